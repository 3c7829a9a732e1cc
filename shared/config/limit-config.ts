import { PACKAGE_FOLDERS } from '../package/layout/package-folders.ts';
import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from '../package/limits.ts';
import { mapMembers } from './map-members.ts';
import type { SettingsReader } from './settings-reader.ts';

const MiB = 1024 * 1024;
/** A century: PostgreSQL cannot subtract much more from the time. */
const MAX_DAYS = 36_500;
/** Timers of Node last at most 24 days. */
const MAX_WAIT_SECONDS = 86_400;

/** The concurrency of one process, by kind of work. */
export const CAPACITY = {
  uploads: 128,
  /** Module files that are read from storage; each uses a connection to it while its client reads. */
  downloads: 64,
  exports: 8,
  /** Each takes a socket, and its import a place in the query that runs every second. */
  eventStreams: 1_000,
  /** JSON bodies that are being received or handled, by their declared or greatest size. */
  jsonBytes: 64 * MiB,
  webhookCalls: 256,
};

const STANDARD_SHARE_PERCENT = 25;

/** Reads how the capacity of a process is shared. One setting scales what an organization may use of each. */
export function readSharing(read: SettingsReader) {
  const percent = read.integer('ORGANIZATION_SHARE_PERCENT', STANDARD_SHARE_PERCENT, { max: 100 });
  /** The limit of an organization, from what it is with the standard share. */
  const share = (capacity: number, standard: number) =>
    Math.max(1, Math.min(capacity, Math.round((standard * percent) / STANDARD_SHARE_PERCENT)));
  const maxRequestsPerSecondPerOrganization = read.integer('MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION', 1_000);
  return {
    uploads: { maxUploads: CAPACITY.uploads, maxUploadsPerOrganization: share(CAPACITY.uploads, 64) },
    sharing: {
      maxDownloads: CAPACITY.downloads,
      maxDownloadsPerOrganization: share(CAPACITY.downloads, 16),
      maxExports: CAPACITY.exports,
      maxExportsPerOrganization: share(CAPACITY.exports, 2),
      /** With tokens: each takes about a millisecond of the one event loop that all organizations share. */
      maxRequestsPerSecondPerOrganization,
      /** In threads, for JSON bodies or package files: a tenth of its share of the event loop. */
      maxThreadMsPerSecondPerOrganization: Math.ceil(maxRequestsPerSecondPerOrganization / 10),
    },
    jsonBodies: {
      maxBytesInFlight: CAPACITY.jsonBytes,
      maxBytesInFlightPerOrganization: share(CAPACITY.jsonBytes, 20 * MiB),
    },
    eventStreams: {
      maxEventStreams: CAPACITY.eventStreams,
      maxEventStreamsPerOrganization: share(CAPACITY.eventStreams, 100),
    },
    webhooks: {
      maxCalls: CAPACITY.webhookCalls,
      maxCallsPerOrganization: share(CAPACITY.webhookCalls, 64),
    },
  };
}

/** The bounds of long answers and event streams. */
export const STREAM_LIMITS = {
  /** A long answer whose client reads less than this is ended: it holds a slot that others wait for. */
  minAnswerBytesPerSecond: 16 * 1024,
  /** The seconds over which that is measured: a client may pause for a while, and it need not be steady. */
  answerPaceSeconds: 60,
  /** The most for which one state of the structures is held: while it is, the database can vacuum nothing newer. */
  snapshotSeconds: 5,
  /** After this an event stream ends, and its client reconnects: so every stream is authorized again. */
  maxEventStreamSeconds: 300,
};

/** Reads how imports are accepted, run and kept. */
export function readImports(read: SettingsReader) {
  const uploadRetentionDays = read.integer('UPLOAD_RETENTION_DAYS', 7, { min: 0, max: MAX_DAYS });
  const importRetentionDays = read.integer('IMPORT_RETENTION_DAYS', 365, { max: MAX_DAYS });
  if (importRetentionDays <= uploadRetentionDays)
    read.addIssue(
      'IMPORT_RETENTION_DAYS',
      'must be greater than UPLOAD_RETENTION_DAYS: only the row of a later import keeps a retried one from replacing it',
    );
  return {
    /** The longest time that a request waits for its import. */
    waitSeconds: read.integer('IMPORT_WAIT_SECONDS', 300, { max: MAX_WAIT_SECONDS }),
    /** The longest time that an attempt waits for a lock, such as that of a module which another import writes. */
    lockSeconds: 30,
    /** The most that one step of an attempt may take. */
    stepSeconds: 1_200,
    /** The time from the start of the first attempt during which failed ones are repeated. */
    deadlineSeconds: 3_600,
    uploadRetentionDays,
    importRetentionDays,
    requiredFolders: read.someOf('REQUIRED_FOLDERS', PACKAGE_FOLDERS),
    /** Whether operators approve the first release of a module whose vendor is not verified. */
    reviewFirstReleases: read.boolean('REVIEW_FIRST_RELEASES', false),
    maxImportsPerMinute: read.integer('MAX_IMPORTS_PER_MINUTE', 600),
    /** Imports that one worker process runs at once. */
    workerConcurrency: read.integer('WORKER_CONCURRENCY', 16, { max: 256 }),
  };
}

/** Reads the limits of packages. */
export function readLimits(read: SettingsReader): PackageLimits {
  const standard = DEFAULT_PACKAGE_LIMITS;
  return {
    ...standard,
    maxPackageBytes: read.integer('MAX_PACKAGE_BYTES', standard.maxPackageBytes),
    maxEntries: read.integer('MAX_ENTRIES', standard.maxEntries),
    maxUnpackedBytes: read.integer('MAX_UNPACKED_BYTES', standard.maxUnpackedBytes),
    maxDescriptorBytes: read.integer('MAX_DESCRIPTOR_BYTES', standard.maxDescriptorBytes),
  };
}

/** Reads how long API keys are valid, and how often they may call; 0: as often as they like. */
export function readMachineAccess(read: SettingsReader) {
  const perMinute = (name: string, standard: number) => read.integer(name, standard, { min: 0 });
  return {
    apiKeyLifetimeDays: read.integer('API_KEY_LIFETIME_DAYS', 365, { max: 3_650 }),
    maxRequestsPerMinutePerKey: perMinute('MAX_REQUESTS_PER_MINUTE_PER_KEY', 600),
    /** For all keys of one vendor organization together. */
    maxRequestsPerMinutePerOrganization: perMinute('MAX_REQUESTS_PER_MINUTE_PER_ORGANIZATION', 3_000),
  };
}

/** A quota: its default, its meaning, and the setting that changes it, if there is one. */
type Quota = readonly [standard: number, meaning: string, setting?: string];

/**
 * The quotas for data that stays until somebody deletes it. The defaults are far above what people make by hand, and
 * far below what would slow others down.
 */
const QUOTAS = {
  maxModulesPerOrganization: [
    250_000,
    'The most modules that an organization can keep.',
    'MAX_MODULES_PER_ORGANIZATION',
  ],
  maxStoredBytesPerOrganization: [
    1_099_511_627_776,
    'The most bytes that an organization can store: its revisions, those of deleted modules, and kept uploads.',
    'MAX_STORED_BYTES_PER_ORGANIZATION',
  ],
  maxRevisionsPerModule: [10_000, 'The most revisions that are kept of a module; older ones are deleted.'],
  maxStructuresPerOrganization: [
    250_000,
    'The most farm structures that an organization can keep.',
    'MAX_STRUCTURES_PER_ORGANIZATION',
  ],
  maxAlertRulesPerOrganization: [5_000, 'The most alert rules that an organization can keep.'],
  maxInstallationsPerOrganization: [1_000, 'The most modules that an organization can have installed.'],
  maxMembersPerOrganization: [
    2_000,
    'The most members that are kept for an organization.',
    'MAX_MEMBERS_PER_ORGANIZATION',
  ],
  maxGroupsPerOrganization: [100, 'The most groups that an organization can map to roles.'],
  maxInvitationsPerOrganization: [500, 'The most invitations of an organization that can still be used.'],
  maxApiKeysPerModule: [
    1_000,
    'The most keys of a module, including revoked and expired ones that are still listed.',
  ],
  maxWebhooksPerModule: [20, 'The most webhooks of a module.'],
  maxWebhooksPerOrganization: [1_000, 'The most webhooks of all modules of an organization.'],
  // For one module at one farmer, so that no module uses up another's share.
  maxOpenAlertsPerInstallation: [20_000, 'The most open alerts of one module in one organization.'],
} satisfies Record<string, Quota>;

/** What each quota means, for the callers that read the limits. */
export const QUOTA_MEANINGS = mapMembers<keyof typeof QUOTAS, Quota, string>(
  QUOTAS,
  ([, meaning]) => meaning,
);

/** The limits that an operator can set for one organization. */
export const ORGANIZATION_LIMITS = [
  'maxImportsPerMinute',
  'maxRequestsPerSecondPerOrganization',
  ...(Object.keys(QUOTAS) as (keyof typeof QUOTAS)[]),
] as const;

/** The limits of one organization, by their names at `/api/v8.0/limits`. */
export type OrganizationLimitValues = Readonly<Record<(typeof ORGANIZATION_LIMITS)[number], number>>;

/** Reads the quotas. */
export function readQuotas(read: SettingsReader) {
  return mapMembers<keyof typeof QUOTAS, Quota, number>(QUOTAS, ([standard, , setting]) =>
    setting === undefined ? standard : read.integer(setting, standard),
  );
}

/** Reads for how many days is kept what ends by itself. */
export function readRetention(read: SettingsReader) {
  return {
    auditDays: read.integer('AUDIT_RETENTION_DAYS', 730, { max: MAX_DAYS }),
    /** After an alert was resolved. */
    alertDays: 365,
    /** After a key was revoked or expired. */
    apiKeyDays: 90,
    /** After the day or the hour that they are about. */
    statisticsDays: 400,
    /** For the changes that modules' back ends receive. */
    changeDays: 30,
    /** After a webhook was called. */
    webhookAttemptDays: 30,
    /** After a consent that is not the farmer's latest for an installed module. */
    consentDays: 3_650,
    /** After a module was deleted: its revisions with their archives. */
    deletedModuleDays: read.integer('DELETED_MODULE_RETENTION_DAYS', 30, { max: MAX_DAYS }),
    /** After a revision was made, unless it is one of the newest; null: until the module has too many. */
    revisionDays: read.integer('REVISION_RETENTION_DAYS', null, { max: MAX_DAYS }),
    /** The newest revisions of a module, which are kept however old they are. */
    minRevisionsPerModule: 10,
  };
}
