import { KEY_BYTES, type EncryptionKey } from '../encryption/encryption-keys.ts';
import { CONNECTION_TIMES, STANDARD_TIMES } from '../db/session-options.ts';
import { CAPACITY } from './limit-config.ts';
import type { SettingsReader } from './settings-reader.ts';

const WHOLE_ORIGIN =
  'cookies and the policies of browsers apply to an origin as a whole. Give the service a host name or a port of its own, and let the proxy forward every path to it';
const OWN_ORIGINS =
  'each module runs at an origin of its own, which has none of the pages and calls of this service. Give them a domain, with a certificate for all names below it';

/** Reads where and how the API listens and stops. */
export function readServer(read: SettingsReader) {
  return {
    host: read.text('HOST', '127.0.0.1'),
    /** 0 picks a free port. */
    port: read.integer('PORT', 8080, { min: 0, max: 65_535 }),
    /** The port of probes and metrics; 0 picks a free one, null: the API serves them on its port, a worker not at all. */
    adminPort: read.integer('ADMIN_PORT', null, { min: 0, max: 65_535 }),
    /** The origin that clients use; null: the one that the server listens on. */
    publicUrl: read.origin('PUBLIC_URL', 'https://modules.example.com', WHOLE_ORIGIN),
    /** Number of proxies in front whose `X-Forwarded-*` headers are trusted. */
    trustProxy: read.integer('TRUST_PROXY', 0, { min: 0, max: 32 }),
    corsOrigins: read.list('CORS_ORIGINS'),
    maxJsonBodyBytes: 10 * 1024 * 1024,
    /** At shutdown: how long the server still serves but is not ready, so that the load balancer notices. */
    shutdownDelaySeconds: read.integer('SHUTDOWN_DELAY_SECONDS', 0, { min: 0, max: 3_600 }),
    /** At shutdown: how long running requests and jobs may take to end. */
    drainSeconds: read.integer('DRAIN_SECONDS', 10, { min: 0, max: 86_400 }),
  };
}

/** Reads where the web applications of modules are served. */
export function readApplications(read: SettingsReader, { publicUrl }: { readonly publicUrl: string | null }) {
  /** 0 picks a free port; null: this process serves none. Settings may be shared with other processes. */
  const port = read.integer('APPS_PORT', null, { min: 0, max: 65_535 });
  /** The origins that browsers use, with `*` in place of a module's ID; null: names below `localhost`. */
  const origins = read.origin('APPS_ORIGIN', 'https://*.apps.example.com', OWN_ORIGINS);
  /** Origins of pages that may embed applications and read their files. */
  const hostOrigins = read.list('APP_HOST_ORIGINS');
  for (const each of hostOrigins)
    if (!URL.canParse(each) || !/^https?:/.test(each) || new URL(each).origin !== each)
      read.addIssue(
        'APP_HOST_ORIGINS',
        `has ${JSON.stringify(each)}, which is not an origin such as https://farm.example.com`,
      );
  const names = origins === null ? null : new URL(origins).hostname;
  if (names !== null && !/^\*\.[^*]+$/.test(names))
    read.addIssue('APPS_ORIGIN', `must begin with *. as in https://*.apps.example.com: ${OWN_ORIGINS}`);
  else if (names !== null && publicUrl !== null && new URL(publicUrl).hostname.endsWith(names.slice(1)))
    read.addIssue('APPS_ORIGIN', `must not include the host of PUBLIC_URL: ${OWN_ORIGINS}`);
  return { port, origins, hostOrigins };
}

/** Reads where PostgreSQL is. */
export function readDatabase(read: SettingsReader) {
  return {
    url: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    /** A direct connection for LISTEN where `url` goes through a transaction pooler. */
    listenUrl: read.url('DATABASE_LISTEN_URL', ['postgres:', 'postgresql:']),
    poolSize: read.integer('DATABASE_POOL_SIZE', 10, { min: 2, max: 200 }),
    /** The longest time that a request waits for a connection. */
    waitSeconds: CONNECTION_TIMES.shareMs / 1_000,
    /** The longest time that a request waits for locks, with a connection in short tries only. */
    lockSeconds: STANDARD_TIMES.lockMs / 1_000,
    /** The most that a statement of a request may take. */
    statementSeconds: STANDARD_TIMES.statementMs / 1_000,
  };
}

/** The bucket, how it is reached, and what its store can do. */
export type S3Config = NonNullable<ReturnType<typeof readS3>>;

/** For short reads, deletions, health checks, and what a worker reads. */
const OTHER_SOCKETS = 256;
/** An export reads this many small files ahead. */
const SOCKETS_OF_EXPORT = 17;

/** Reads the bucket and its credentials; null: objects are in the data directory. */
export function readS3(read: SettingsReader) {
  const bucket = read.optional('S3_BUCKET');
  if (bucket === null) {
    for (const name of ['S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']) {
      if (read.optional(name) !== null) read.addIssue(name, 'is set, but S3_BUCKET is not');
    }
    return null;
  }
  return {
    bucket,
    /** Null: Amazon S3. */
    endpoint: read.url('S3_ENDPOINT', ['http:', 'https:']),
    region: read.text('S3_REGION', 'us-east-1'),
    /** Null: those that the AWS SDK finds in the environment, in files, or by a role. */
    credentials: readCredentials(read),
    forcePathStyle: read.boolean('S3_FORCE_PATH_STYLE', true),
    /** Whether requests have checksums wherever S3 defines them, or only where it requires them. */
    checksums: read.oneOf('S3_CHECKSUMS', ['when-supported', 'when-required'], 'when-supported'),
    /** More connections than all uploads and downloads use at once, so that none waits for another's. */
    maxSockets: CAPACITY.uploads + CAPACITY.downloads + SOCKETS_OF_EXPORT * CAPACITY.exports + OTHER_SOCKETS,
    /** How the store encrypts objects; null: as the bucket's own settings say. */
    serverSideEncryption: read.oneOf('S3_SERVER_SIDE_ENCRYPTION', ['AES256', 'aws:kms'], null),
  };
}

/** Both keys, or neither: half a pair must not silently become the credentials of the machine. */
function readCredentials(read: SettingsReader) {
  const accessKeyId = read.optional('S3_ACCESS_KEY_ID');
  const secretAccessKey = read.optional('S3_SECRET_ACCESS_KEY');
  if (accessKeyId !== null && secretAccessKey !== null) return { accessKeyId, secretAccessKey };
  if (accessKeyId !== null) read.addIssue('S3_SECRET_ACCESS_KEY', 'must be set: S3_ACCESS_KEY_ID is set');
  if (secretAccessKey !== null) read.addIssue('S3_ACCESS_KEY_ID', 'must be set: S3_SECRET_ACCESS_KEY is set');
  return null;
}

const ENCRYPTION_KEY = /^(?<id>[\w.-]{1,32}):(?<text>[A-Za-z0-9+/]+={0,2})$/;

/** Reads the keys that seal values in the database; the first seals, every key opens. No issue repeats a key. */
export function readEncryptionKeys(read: SettingsReader): readonly EncryptionKey[] {
  const name = 'ENCRYPTION_KEYS';
  const keys = read.list(name).flatMap((item, index): EncryptionKey[] => {
    const { id, text } = ENCRYPTION_KEY.exec(item)?.groups ?? {};
    const key = Buffer.from(text ?? '', 'base64');
    if (id !== undefined && key.length === KEY_BYTES) return [{ id, key }];
    read.addIssue(
      name,
      `must be id:key, separated by commas, with keys of ${KEY_BYTES} bytes in base64 (openssl rand -base64 32): item ${index + 1} is not`,
    );
    return [];
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length) read.addIssue(name, 'has one ID twice');
  return keys;
}

const CHECK_SECRET = /^whsec_(?<text>[A-Za-z0-9+/]+={0,2})$/;
/** As Standard Webhooks says of shared secrets. */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** Reads the operator's own check of packages; null: there is none. No issue repeats an address or a secret. */
export function readPackageCheck(read: SettingsReader) {
  const [mode, url = '', secret = '', ...others] = read.list('PACKAGE_CHECK');
  if (mode === undefined) return null;
  const bytes = Buffer.from(CHECK_SECRET.exec(secret)?.groups?.['text'] ?? '', 'base64').length;
  const areFormed =
    (mode === 'required' || mode === 'optional') &&
    /^https?:\/\/[^/@]+(?:\/|$)/.test(url) &&
    URL.canParse(url) &&
    bytes >= MIN_SECRET_BYTES &&
    bytes <= MAX_SECRET_BYTES &&
    others.length === 0;
  /** Whether a package is imported only after it was checked. */
  if (areFormed) return { url, secret, isRequired: mode === 'required' };
  read.addIssue(
    'PACKAGE_CHECK',
    `must be required or optional, an address without user name, and whsec_ with ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes in base64 (openssl rand -base64 32), separated by commas`,
  );
  return null;
}

/** Reads the mail server that sends mails to people; null: none are sent. No issue repeats the address. */
export function readMail(read: SettingsReader) {
  const name = 'SMTP_URL';
  const address = read.url(name, ['smtp:', 'smtps:']);
  if (address === null) return null;
  const url = new URL(address);
  const from = url.searchParams.get('from') ?? '';
  if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(from))
    read.addIssue(name, 'must end with the address that mails are from, such as ?from=alerts@example.com');
  const isSecure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    /** Whether the connection starts with TLS. */
    isSecure,
    credentials: user === '' ? null : { user, pass: decodeURIComponent(url.password) },
    from,
  };
}

const MIN_TOKEN_LENGTH = 16;

/** Reads who may read metrics. */
export function readMetrics(read: SettingsReader) {
  /** The token that a reader must send; null: only this machine may read. */
  const token = read.optional('METRICS_TOKEN');
  if (token !== null && token.length < MIN_TOKEN_LENGTH)
    read.addIssue('METRICS_TOKEN', `must have at least ${MIN_TOKEN_LENGTH} characters`);
  return { token };
}

/**
 * Reads whether traces are sent, and how; null: they are not. OpenTelemetry's SDK itself reads the address, the headers
 * and the sampling from its standard variables.
 */
export function readTracing(read: SettingsReader) {
  const address = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']);
  const protocol = read.oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf', 'http/json'], 'http/protobuf');
  return address === null ? null : { protocol };
}
