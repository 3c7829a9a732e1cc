import path from 'node:path';
import { readApplications, type ApplicationConfig } from './application-config.ts';
import { readAuth, type AuthConfig } from './auth-config.ts';
import { checkProduction } from './check-production.ts';
import { readDatabase, type DatabaseConfig } from './database-config.ts';
import { readEncryptionKeys } from './encryption-config.ts';
import type { EncryptionKey } from '../encryption/encryption-keys.ts';
import { readImports, readLimits, type ImportConfig } from './import-config.ts';
import { readMetrics, readTracing, type MetricsConfig, type TracingConfig } from './observability-config.ts';
import type { PackageLimits } from '../package/limits.ts';
import { readStreams, type StreamConfig } from './stream-config.ts';
import { readCli, type CliConfig } from './cli-config.ts';
import { readOutbound, type OutboundConfig } from './outbound-config.ts';
import { readPortal, type PortalConfig } from './portal-config.ts';
import { readQuotas, readRetention, type QuotaConfig, type RetentionConfig } from './retention-config.ts';
import { withSecretFiles } from './secret-files.ts';
import { readServer, type ServerConfig } from './server-config.ts';
import { readS3, type S3Config } from './storage-config.ts';
import { SettingsReader } from './settings-reader.ts';
import { readWebhooks, type WebhookConfig } from './webhook-config.ts';
import { readSharing, storageSockets, type SharingConfig } from './sharing-config.ts';

/** How long API keys are valid, and how often they may call. */
export interface MachineAccessConfig {
  readonly apiKeyLifetimeDays: number;
  /** 0: not limited. */
  readonly maxRequestsPerMinutePerKey: number;
  /** Of all keys of one vendor organization together; 0: not limited. */
  readonly maxRequestsPerMinutePerOrganization: number;
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
  /** Null: the applications of modules are not served. */
  readonly applications: ApplicationConfig | null;
  readonly database: DatabaseConfig;
  readonly s3: S3Config | null;
  readonly auth: AuthConfig;
  readonly imports: ImportConfig;
  readonly machineAccess: MachineAccessConfig;
  readonly outbound: OutboundConfig;
  readonly sharing: SharingConfig;
  readonly webhooks: WebhookConfig;
  readonly streams: StreamConfig;
  readonly quotas: QuotaConfig;
  readonly retention: RetentionConfig;
  readonly limits: PackageLimits;
  readonly metrics: MetricsConfig;
  /** Null: no traces are sent. */
  readonly tracing: TracingConfig | null;
  /** Null: there is no portal. */
  readonly portal: PortalConfig | null;
  /** Null: the command line cannot sign people in. */
  readonly cli: CliConfig | null;
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

function readLogLevel(read: SettingsReader): string {
  return read.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info');
}

/**
 * Reads all settings from an environment.
 * @throws SettingsError with every issue at once.
 */
export function loadConfig(environment: Environment): Config {
  const read = new SettingsReader(environment);
  const config = readConfig(read);
  read.throwIssues();
  return config;
}

/** Reads all settings; one with an issue has its default. */
export function readConfig(read: SettingsReader): Config {
  const imports = readImports(read);
  const sharing = readSharing(read);
  const server = readServer(read);
  const config: Config = {
    production: read.optional('NODE_ENV') === 'production',
    allowEmbedded: read.boolean('ALLOW_EMBEDDED', false),
    logLevel: readLogLevel(read),
    dataDir: path.resolve(read.text('DATA_DIR', '.data')),
    catalogueFile: read.optional('CATALOGUE_FILE'),
    heartbeatFile: read.optional('HEARTBEAT_FILE'),
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    encryptionKeys: readEncryptionKeys(read),
    server,
    applications: readApplications(read, server),
    database: readDatabase(read),
    s3: readS3(read, storageSockets(imports, sharing)),
    auth: readAuth(read),
    imports,
    machineAccess: readMachineAccess(read),
    outbound: readOutbound(read),
    sharing,
    webhooks: readWebhooks(read),
    streams: readStreams(read),
    quotas: readQuotas(read),
    retention: readRetention(read),
    limits: readLimits(read),
    metrics: readMetrics(read),
    tracing: readTracing(read),
    portal: readPortal(read),
    cli: readCli(read),
  };
  checkProduction(config, read);
  return config;
}

/** The settings of this process; secrets may be in files that `<NAME>_FILE` names. */
export function loadProcessConfig(): Config {
  return loadConfig(withSecretFiles(process.env));
}

/** Whether this process has a setting of this name; otherwise its default holds. */
export function isSet(name: string): boolean {
  return new SettingsReader(withSecretFiles(process.env)).optional(name) !== null;
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
