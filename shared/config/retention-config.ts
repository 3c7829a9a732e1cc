import type { SettingsReader } from './settings-reader.ts';

/** The most that is kept for an organization of what stays until somebody deletes it. */
export interface QuotaConfig {
  readonly maxModulesPerOrganization: number;
  /** Packages: those of revisions, of deleted modules too, and uploads that are kept. */
  readonly maxStoredBytesPerOrganization: number;
  /** Of one module: the oldest beyond so many are deleted. */
  readonly maxRevisionsPerModule: number;
  readonly maxStructuresPerOrganization: number;
  readonly maxAlertRulesPerOrganization: number;
  readonly maxInstallationsPerOrganization: number;
  readonly maxMembersPerOrganization: number;
  readonly maxGroupsPerOrganization: number;
  /** Used ones count until they expire. */
  readonly maxInvitationsPerOrganization: number;
  /** Revoked and expired keys count until they are removed. */
  readonly maxApiKeysPerModule: number;
  readonly maxWebhooksPerModule: number;
  /** Of one module at one farmer, so that no module uses up what another needs. */
  readonly maxOpenAlertsPerInstallation: number;
}

/** For how many days is kept what ends by itself. */
export interface RetentionConfig {
  readonly auditDays: number;
  /** After an alert was resolved. */
  readonly alertDays: number;
  /** After a key was revoked or expired. */
  readonly apiKeyDays: number;
  /** After the day or the hour that they are about. */
  readonly statisticsDays: number;
  /** Of the changes that modules' back ends receive. */
  readonly changeDays: number;
  /** After a webhook was called. */
  readonly webhookAttemptDays: number;
  /** After a consent that is not the farmer's latest for an installed module. */
  readonly consentDays: number;
  /** After a module was deleted: its revisions with their archives. */
  readonly deletedModuleDays: number;
  /** After a revision was made, unless it is one of the newest; null: until the module has too many. */
  readonly revisionDays: number | null;
  /** The newest revisions of a module, which are kept however old they are. */
  readonly minRevisionsPerModule: number;
}

/** Reads the quotas. The defaults are far above what people make by hand, and far below what would slow others down. */
export function readQuotas(read: SettingsReader): QuotaConfig {
  return {
    maxModulesPerOrganization: read.integer('MAX_MODULES_PER_ORGANIZATION', 250_000),
    maxStoredBytesPerOrganization: read.integer('MAX_STORED_BYTES_PER_ORGANIZATION', 1_099_511_627_776),
    maxRevisionsPerModule: read.integer('MAX_REVISIONS_PER_MODULE', 10_000),
    maxStructuresPerOrganization: read.integer('MAX_STRUCTURES_PER_ORGANIZATION', 250_000),
    maxAlertRulesPerOrganization: read.integer('MAX_ALERT_RULES_PER_ORGANIZATION', 5_000),
    maxInstallationsPerOrganization: read.integer('MAX_INSTALLATIONS_PER_ORGANIZATION', 1_000),
    maxMembersPerOrganization: read.integer('MAX_MEMBERS_PER_ORGANIZATION', 2_000),
    maxGroupsPerOrganization: read.integer('MAX_GROUPS_PER_ORGANIZATION', 100),
    maxInvitationsPerOrganization: read.integer('MAX_INVITATIONS_PER_ORGANIZATION', 500),
    maxApiKeysPerModule: read.integer('MAX_API_KEYS_PER_MODULE', 1_000),
    maxWebhooksPerModule: read.integer('MAX_WEBHOOKS_PER_MODULE', 20),
    maxOpenAlertsPerInstallation: read.integer('MAX_OPEN_ALERTS_PER_INSTALLATION', 20_000),
  };
}

/** Reads the retention times. */
export function readRetention(read: SettingsReader): RetentionConfig {
  return {
    auditDays: read.integer('AUDIT_RETENTION_DAYS', 730),
    alertDays: read.integer('ALERT_RETENTION_DAYS', 365),
    apiKeyDays: read.integer('API_KEY_RETENTION_DAYS', 90),
    statisticsDays: read.integer('STATISTICS_RETENTION_DAYS', 400),
    changeDays: read.integer('CHANGE_RETENTION_DAYS', 30),
    webhookAttemptDays: read.integer('WEBHOOK_ATTEMPT_RETENTION_DAYS', 30),
    consentDays: read.integer('CONSENT_RETENTION_DAYS', 3_650),
    deletedModuleDays: read.integer('DELETED_MODULE_RETENTION_DAYS', 30),
    revisionDays:
      read.optional('REVISION_RETENTION_DAYS') === null ? null : read.integer('REVISION_RETENTION_DAYS', 0),
    minRevisionsPerModule: read.integer('MIN_REVISIONS_PER_MODULE', 10),
  };
}
