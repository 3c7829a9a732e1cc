import path from 'node:path';
import { readAuth, readCli, readOutbound, readPortal, readRequestParameters } from './identity-config.ts';
import {
  readImports,
  readLimits,
  readMachineAccess,
  readQuotas,
  readRetention,
  readSharing,
  STREAM_LIMITS,
} from './limit-config.ts';
import {
  readApplications,
  readDatabase,
  readEncryptionKeys,
  readMail,
  readMetrics,
  readPackageCheck,
  readS3,
  readServer,
  readTracing,
} from './part-config.ts';
import { SettingsReader, type Environment } from './settings-reader.ts';

/** Everything that can be set, read once at start, and the limits that no deployment changes. */
export type Config = ReturnType<typeof readSections>;

function readSections(read: SettingsReader) {
  const { uploads, eventStreams, ...shared } = readSharing(read);
  const server = readServer(read);
  const requestParameters = readRequestParameters(read);
  const s3 = readS3(read);
  return {
    production: read.optional('NODE_ENV') === 'production',
    allowEmbedded: read.boolean('ALLOW_EMBEDDED', false),
    logLevel: readLogLevel(read),
    dataDir: path.resolve(read.text('DATA_DIR', '.data')),
    catalogueFile: read.optional('CATALOGUE_FILE'),
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    /** None: a key in `DATA_DIR`. */
    encryptionKeys: readEncryptionKeys(read),
    server,
    applications: readApplications(read, server),
    database: readDatabase(read),
    s3,
    /** The name of a make in `STORAGE_MAKES`. */
    storage: read.text('STORAGE', s3 === null ? 'directory' : 's3'),
    auth: readAuth(read),
    portal: readPortal(read, requestParameters),
    cli: readCli(read, requestParameters),
    outbound: readOutbound(read),
    packageCheck: readPackageCheck(read),
    mail: readMail(read),
    metrics: readMetrics(read),
    tracing: readTracing(read),
    ...shared,
    streams: { ...STREAM_LIMITS, ...eventStreams },
    imports: { ...readImports(read), ...uploads },
    machineAccess: readMachineAccess(read),
    limits: readLimits(read),
    quotas: readQuotas(read),
    retention: readRetention(read),
  };
}

function readLogLevel(read: SettingsReader): string {
  return read.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info');
}

/**
 * Reads all settings from an environment.
 * @throws SettingsError with every issue at once.
 */
export function loadConfig(environment: Environment, isWorker = false): Config {
  const read = new SettingsReader(environment);
  const config = readConfig(read, isWorker);
  read.throwIssues();
  return config;
}

/** Reads all settings; one with an issue has its default. A worker needs no issuer: nobody calls it with a token. */
export function readConfig(read: SettingsReader, isWorker = false): Config {
  const config = readSections(read);
  if (!isWorker) requireIssuer(config, read);
  // The API reads only whether mails are sent.
  if (config.mail !== null && config.server.publicUrl === null && (isWorker || config.production))
    read.addIssue('PUBLIC_URL', 'must be set with SMTP_URL: mails have links to it');
  const because = 'who changes its answers on the way decides which packages are imported';
  requireTls(read, 'PACKAGE_CHECK', config.packageCheck?.url ?? null, because);
  if (config.production) checkProduction(config, read);
  return config;
}

/** The settings of this process. */
export function loadProcessConfig(): Config {
  return loadConfig(process.env);
}

/** The settings of this process, which is a worker, a worker's command, or one of any kind that needs no issuer. */
export function loadWorkerConfig(): Config {
  return loadConfig(process.env, true);
}

/** Whether this process has a setting of this name; otherwise its default holds. */
export function isSet(name: string): boolean {
  return new SettingsReader(process.env).optional(name) !== null;
}

/**
 * The settings of the migrate step, which needs no storage credentials and no issuer. Its address is the direct one where
 * there is one: a transaction pooler keeps no session.
 * @throws SettingsError with every issue at once.
 */
export function loadMigrationConfig(environment: Environment = process.env) {
  const read = new SettingsReader(environment);
  const { url, listenUrl } = readDatabase(read);
  if (url === null) read.addIssue('DATABASE_URL', 'must be set (npm start migrates its own database)');
  const logLevel = readLogLevel(read);
  read.throwIssues();
  const databaseUrl = url ?? '';
  const setting = listenUrl === null ? 'DATABASE_URL' : 'DATABASE_LISTEN_URL';
  return { url: listenUrl ?? databaseUrl, setting, databaseUrl, logLevel };
}

/** This process's environment with more settings in it, for a child process. */
export function childEnvironment(
  settings: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  return { ...process.env, ...settings };
}

/** The development issuer is never used where others can call, and tokens are never trusted by plain http there. */
function requireIssuer({ auth, server, production, portal }: Config, read: SettingsReader): void {
  const { issuer } = auth;
  if (issuer === null && !['127.0.0.1', '::1', 'localhost'].includes(server.host))
    read.addIssue(
      'HOST',
      'must be 127.0.0.1 while AUTH_ISSUER is not set: the development issuer is for this machine only',
    );
  if (production && issuer === null) read.addIssue('AUTH_ISSUER', 'must be set in production');
  if (production || portal !== null)
    requireTls(
      read,
      'AUTH_ISSUER',
      issuer,
      'who changes its answers on the way signs tokens for everybody, and nobody signs in at the portal over plain http',
    );
}

/** In production every part must be configured, and tokens and cookies travel by TLS. */
function checkProduction(config: Config, read: SettingsReader): void {
  const { applications, server, database } = config;
  const mustHave = (name: string, value: unknown, why: string) => {
    if (value === null) read.addIssue(name, `must be set in production${why}`);
  };
  mustHave(
    'ENCRYPTION_KEYS',
    config.encryptionKeys[0] ?? null,
    ': id:key, with the key from openssl rand -base64 32',
  );
  const sent = 'in production tokens, keys and cookies are sent there only by TLS';
  requireTls(read, 'PUBLIC_URL', server.publicUrl, sent);
  if (config.portal !== null)
    mustHave('PUBLIC_URL', server.publicUrl, ' with PORTAL_CLIENT_ID: the issuer sends browsers there');
  if (applications.port !== null) {
    mustHave('APPS_ORIGIN', applications.origins, ' with APPS_PORT: hosts load applications from there');
    const because = 'who changes an application on the way runs code in the pages of farmers';
    requireTls(read, 'APPS_ORIGIN', applications.origins, because);
  }
  if (config.allowEmbedded) return;
  const hint = ' (ALLOW_EMBEDDED=1 runs it from DATA_DIR)';
  mustHave('DATABASE_URL', database.url, hint);
  mustHave('REDIS_URL', config.redisUrl, hint);
  if (config.storage === 'directory') mustHave('S3_BUCKET', config.s3, hint);
}

/** Hosts whose traffic never leaves the machine (RFC 1122, section 3.2.1.3; RFC 6761, section 6.3). */
const LOOPBACK_HOST = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.+\.)?localhost)$/;

function requireTls(read: SettingsReader, name: string, url: string | null, because: string): void {
  if (url === null) return;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || LOOPBACK_HOST.test(hostname)) return;
  read.addIssue(
    name,
    `must start with https://: ${because}. Put TLS in front of it; plain http is for loopback addresses only`,
  );
}
