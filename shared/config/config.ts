import path from 'node:path';
import { checkProduction } from './check-production.ts';
import { readEncryptionKeys } from './encryption-config.ts';
import type { EncryptionKey } from '../encryption/encryption-keys.ts';
import { readMetrics, readTracing } from './observability-config.ts';
import type { MetricsConfig, TracingConfig } from './observability-config.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../package/limits.ts';
import type { PackageLimits } from '../package/limits.ts';
import { PACKAGE_FOLDERS } from '../package/layout/package-folders.ts';
import type { PackageFolder } from '../package/layout/package-folders.ts';
import { readStreams } from './stream-config.ts';
import type { StreamConfig } from './stream-config.ts';
import { readPortal } from './portal-config.ts';
import type { PortalConfig } from './portal-config.ts';
import { readQuotas, readRetention } from './retention-config.ts';
import type { QuotaConfig, RetentionConfig } from './retention-config.ts';
import { withSecretFiles } from './secret-files.ts';
import { SettingsReader } from './settings-reader.ts';
import { readSharing, storageSockets } from './sharing-config.ts';
import type { SharingConfig } from './sharing-config.ts';
import { withoutEndSlashes } from './without-end-slashes.ts';

/** Where and how the API listens and stops. */
export interface ServerConfig {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The address that clients use, without a trailing slash; null: the one that the server listens on. */
  readonly publicUrl: string | null;
  /** Number of proxies in front whose `X-Forwarded-*` headers are trusted. */
  readonly trustProxy: number;
  readonly corsOrigins: readonly string[];
  readonly maxJsonBodyBytes: number;
  /** Of all JSON bodies that are being received or handled, by their declared or greatest size. */
  readonly maxJsonBytesInFlight: number;
  readonly maxJsonBytesInFlightPerOrganization: number;
  /** Threads that parse and validate larger bodies. */
  readonly jsonThreads: number;
  /** At shutdown: how long the server still serves but is not ready, so that the load balancer notices. */
  readonly shutdownDelaySeconds: number;
  /** At shutdown: how long running requests and jobs may take to end. */
  readonly drainSeconds: number;
}

/** Where PostgreSQL is. */
export interface DatabaseConfig {
  readonly url: string | null;
  /** A direct connection for LISTEN where `url` goes through a transaction pooler. */
  readonly listenUrl: string | null;
  readonly poolSize: number;
  /** How long a request waits for a connection. */
  readonly waitSeconds: number;
  /** How long a request waits for a lock: it holds a connection meanwhile. */
  readonly lockSeconds: number;
  /** The most that a statement of a request may take. */
  readonly statementSeconds: number;
}

/** The bucket and its credentials. */
export interface S3Config {
  readonly endpoint: string | null;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly forcePathStyle: boolean;
  /** Connections of a process to the store. */
  readonly maxSockets: number;
  /** How the store encrypts objects; null: as the bucket's own settings say. */
  readonly serverSideEncryption: 'AES256' | 'aws:kms' | null;
}

/** Whose access tokens are accepted. */
export interface AuthConfig {
  readonly issuer: string | null;
  readonly audience: string;
  /** Name of the claim that lists organizations and roles. */
  readonly organizationsClaim: string;
}

/** How long API keys are valid, and how often they may call. */
export interface MachineAccessConfig {
  readonly apiKeyLifetimeDays: number;
  /** 0: not limited. */
  readonly maxRequestsPerMinutePerKey: number;
  /** Of all keys of one vendor organization together; 0: not limited. */
  readonly maxRequestsPerMinutePerOrganization: number;
}

/** How imports are accepted, run and kept. */
export interface ImportConfig {
  readonly waitSeconds: number;
  /** How long an attempt waits for a lock, such as that of a module which another import writes. */
  readonly lockSeconds: number;
  /** The most that one step of an attempt may take. */
  readonly stepSeconds: number;
  /** The most that an import may take, from the start of its first attempt to its end. */
  readonly deadlineSeconds: number;
  readonly uploadRetentionDays: number;
  readonly importRetentionDays: number;
  readonly requiredFolders: readonly PackageFolder[];
  readonly maxUploads: number;
  readonly maxUploadsPerOrganization: number;
  readonly maxImportsPerMinute: number;
  /** Imports that one worker process runs at once. */
  readonly workerConcurrency: number;
  /** Failed jobs that the queue keeps; the imports' rows are kept longer. */
  readonly maxFailedJobs: number;
  /** Threads of one worker process that validate larger files. */
  readonly workerThreads: number;
}

/** Everything that can be set, read once at start. */
export interface Config {
  readonly production: boolean;
  readonly allowEmbedded: boolean;
  readonly logLevel: string;
  readonly dataDir: string;
  readonly catalogueFile: string | null;
  /** A file that a worker rewrites while it is alive; the image's health check reads its age. */
  readonly heartbeatFile: string | null;
  readonly redisUrl: string | null;
  /** The first encrypts, every key decrypts; none: a key in `DATA_DIR`. */
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly server: ServerConfig;
  readonly database: DatabaseConfig;
  readonly s3: S3Config | null;
  readonly auth: AuthConfig;
  readonly imports: ImportConfig;
  readonly machineAccess: MachineAccessConfig;
  readonly sharing: SharingConfig;
  readonly streams: StreamConfig;
  readonly quotas: QuotaConfig;
  readonly retention: RetentionConfig;
  readonly limits: PackageLimits;
  readonly metrics: MetricsConfig;
  /** Null: no traces are sent. */
  readonly tracing: TracingConfig | null;
  /** Null: there is no portal. */
  readonly portal: PortalConfig | null;
}

function readMachineAccess(read: SettingsReader): MachineAccessConfig {
  return {
    apiKeyLifetimeDays: read.integer('API_KEY_LIFETIME_DAYS', 365, { max: 3_650 }),
    maxRequestsPerMinutePerKey: read.integer('MAX_REQUESTS_PER_MINUTE_PER_KEY', 600, { min: 0 }),
    maxRequestsPerMinutePerOrganization: read.integer('MAX_REQUESTS_PER_MINUTE_PER_ORGANIZATION', 3_000, {
      min: 0,
    }),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

function readServer(read: SettingsReader): ServerConfig {
  const publicUrl = read.url('PUBLIC_URL', ['http:', 'https:']);
  return {
    host: read.text('HOST', '127.0.0.1'),
    port: read.integer('PORT', 8080, { min: 0, max: 65_535 }),
    publicUrl: publicUrl === null ? null : withoutEndSlashes(publicUrl),
    trustProxy: read.integer('TRUST_PROXY', 0, { min: 0, max: 32 }),
    corsOrigins: read.list('CORS_ORIGINS'),
    maxJsonBodyBytes: read.integer('MAX_JSON_BODY_BYTES', 10 * 1024 * 1024),
    maxJsonBytesInFlight: read.integer('MAX_JSON_BYTES_IN_FLIGHT', 64 * 1024 * 1024),
    maxJsonBytesInFlightPerOrganization: read.integer(
      'MAX_JSON_BYTES_IN_FLIGHT_PER_ORGANIZATION',
      20 * 1024 * 1024,
    ),
    jsonThreads: read.integer('JSON_THREADS', 2, { max: 64 }),
    shutdownDelaySeconds: read.integer('SHUTDOWN_DELAY_SECONDS', 0, { min: 0, max: 3_600 }),
    drainSeconds: read.integer('DRAIN_SECONDS', 10, { min: 0, max: 86_400 }),
  };
}

function readDatabase(read: SettingsReader): DatabaseConfig {
  return {
    url: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    listenUrl: read.url('DATABASE_LISTEN_URL', ['postgres:', 'postgresql:']),
    poolSize: read.integer('DATABASE_POOL_SIZE', 10, { min: 2, max: 200 }),
    waitSeconds: read.integer('DATABASE_WAIT_SECONDS', 5, { max: 60 }),
    lockSeconds: read.integer('DATABASE_LOCK_SECONDS', 5, { max: 60 }),
    statementSeconds: read.integer('DATABASE_STATEMENT_SECONDS', 30, { max: 3_600 }),
  };
}

function readLogLevel(read: SettingsReader): string {
  return read.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info');
}

function readS3(read: SettingsReader, maxSockets: number): S3Config | null {
  const bucket = read.optional('S3_BUCKET');
  if (bucket === null) {
    for (const name of ['S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']) {
      if (read.optional(name) !== null) read.addIssue(name, 'is set, but S3_BUCKET is not');
    }
    return null;
  }
  return {
    bucket,
    endpoint: read.url('S3_ENDPOINT', ['http:', 'https:']),
    region: read.text('S3_REGION', 'us-east-1'),
    accessKeyId: read.required('S3_ACCESS_KEY_ID', 'S3_BUCKET is set'),
    secretAccessKey: read.required('S3_SECRET_ACCESS_KEY', 'S3_BUCKET is set'),
    forcePathStyle: read.boolean('S3_FORCE_PATH_STYLE', true),
    maxSockets,
    serverSideEncryption: read.optionalOneOf('S3_SERVER_SIDE_ENCRYPTION', ['AES256', 'aws:kms']),
  };
}

/** A timer accepts at most 2^31 milliseconds. */
const MAX_SECONDS = 2_000_000;

function readImports(read: SettingsReader): ImportConfig {
  return {
    waitSeconds: read.integer('IMPORT_WAIT_SECONDS', 300),
    lockSeconds: read.integer('IMPORT_LOCK_SECONDS', 30, { max: 3_600 }),
    stepSeconds: read.integer('IMPORT_STEP_SECONDS', 1_200, { max: MAX_SECONDS }),
    deadlineSeconds: read.integer('IMPORT_DEADLINE_SECONDS', 3_600, { max: MAX_SECONDS }),
    uploadRetentionDays: read.integer('UPLOAD_RETENTION_DAYS', 7, { min: 0 }),
    importRetentionDays: read.integer('IMPORT_RETENTION_DAYS', 365),
    requiredFolders: read.someOf('REQUIRED_FOLDERS', PACKAGE_FOLDERS),
    maxUploads: read.integer('MAX_UPLOADS', 128),
    maxUploadsPerOrganization: read.integer('MAX_UPLOADS_PER_ORGANIZATION', 64),
    maxImportsPerMinute: read.integer('MAX_IMPORTS_PER_MINUTE', 600),
    workerConcurrency: read.integer('WORKER_CONCURRENCY', 16, { max: 256 }),
    maxFailedJobs: read.integer('MAX_FAILED_JOBS', 10_000),
    workerThreads: read.integer('WORKER_THREADS', 2, { max: 64 }),
  };
}

function readLimits(read: SettingsReader): PackageLimits {
  const standard = DEFAULT_PACKAGE_LIMITS;
  return {
    maxPackageBytes: read.integer('MAX_PACKAGE_BYTES', standard.maxPackageBytes),
    maxEntries: read.integer('MAX_ENTRIES', standard.maxEntries),
    maxEntryBytes: read.integer('MAX_ENTRY_BYTES', standard.maxEntryBytes),
    maxUnpackedBytes: read.integer('MAX_UNPACKED_BYTES', standard.maxUnpackedBytes),
    maxExpansionRatio: read.integer('MAX_EXPANSION_RATIO', standard.maxExpansionRatio),
    expansionGraceBytes: read.integer('EXPANSION_GRACE_BYTES', standard.expansionGraceBytes, { min: 0 }),
    maxPathBytes: read.integer('MAX_PATH_BYTES', standard.maxPathBytes),
    maxPathDepth: read.integer('MAX_PATH_DEPTH', standard.maxPathDepth),
    maxDescriptorBytes: read.integer('MAX_DESCRIPTOR_BYTES', standard.maxDescriptorBytes),
    maxRolesBytes: read.integer('MAX_ROLES_BYTES', standard.maxRolesBytes),
    maxAlertRulesBytes: read.integer('MAX_ALERT_RULES_BYTES', standard.maxAlertRulesBytes),
    maxImageBytes: read.integer('MAX_IMAGE_BYTES', standard.maxImageBytes),
    maxReportedProblems: read.integer('MAX_REPORTED_PROBLEMS', standard.maxReportedProblems),
  };
}

/**
 * Reads all settings from an environment.
 * @throws SettingsError with every issue at once.
 */
export function loadConfig(environment: Environment): Config {
  const read = new SettingsReader(environment);
  const imports = readImports(read);
  const sharing = readSharing(read);
  const config: Config = {
    production: read.optional('NODE_ENV') === 'production',
    allowEmbedded: read.boolean('ALLOW_EMBEDDED', false),
    logLevel: readLogLevel(read),
    dataDir: path.resolve(read.text('DATA_DIR', '.data')),
    catalogueFile: read.optional('CATALOGUE_FILE'),
    heartbeatFile: read.optional('HEARTBEAT_FILE'),
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    encryptionKeys: readEncryptionKeys(read),
    server: readServer(read),
    database: readDatabase(read),
    s3: readS3(read, storageSockets(imports, sharing)),
    auth: {
      issuer: read.url('AUTH_ISSUER', ['http:', 'https:']),
      audience: read.text('AUTH_AUDIENCE', 'module-import-service'),
      organizationsClaim: read.text('AUTH_ORGANIZATIONS_CLAIM', 'organizations'),
    },
    imports,
    machineAccess: readMachineAccess(read),
    sharing,
    streams: readStreams(read),
    quotas: readQuotas(read),
    retention: readRetention(read),
    limits: readLimits(read),
    metrics: readMetrics(read),
    tracing: readTracing(read),
    portal: readPortal(read),
  };
  checkProduction(config, read);
  read.throwIssues();
  return config;
}

/** The settings of this process; secrets may be in files that `<NAME>_FILE` names. */
export function loadProcessConfig(): Config {
  return loadConfig(withSecretFiles(process.env));
}

/** The settings of the migrate step. It needs no storage credentials and no issuer. */
export interface MigrationConfig {
  /** The direct address where there is one: a transaction pooler keeps no session. */
  readonly url: string;
  readonly logLevel: string;
}

/** The settings of the migrate step. @throws SettingsError with every issue at once. */
export function loadMigrationConfig(environment: Environment = process.env): MigrationConfig {
  const read = new SettingsReader(withSecretFiles(environment));
  const { url, listenUrl } = readDatabase(read);
  if (url === null) read.addIssue('DATABASE_URL', 'must be set (npm start migrates its own database)');
  const logLevel = readLogLevel(read);
  read.throwIssues();
  return { url: listenUrl ?? url ?? '', logLevel };
}

/** This process's environment with more settings in it, for a child process. */
export function childEnvironment(
  settings: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  return { ...process.env, ...settings };
}
