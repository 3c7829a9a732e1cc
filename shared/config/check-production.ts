import type { SettingsReader } from './settings-reader.ts';

/** The settings that decide whether a process may start in production. */
interface CheckedSettings {
  readonly production: boolean;
  readonly allowEmbedded: boolean;
  readonly redisUrl: string | null;
  readonly encryptionKeys: readonly object[];
  readonly applications: { readonly origin: string | null } | null;
  readonly server: { readonly host: string; readonly publicUrl: string | null };
  readonly database: { readonly url: string | null };
  readonly auth: { readonly issuer: string | null };
  readonly s3: object | null;
  readonly portal: object | null;
}

/** In production every part must be configured, tokens and cookies travel by TLS, and the development issuer is never used. */
export function checkProduction(config: CheckedSettings, read: SettingsReader): void {
  const { issuer } = config.auth;
  const loopback = ['127.0.0.1', '::1', 'localhost'].includes(config.server.host);
  if (issuer === null && !loopback) {
    read.addIssue(
      'HOST',
      'must be 127.0.0.1 while AUTH_ISSUER is not set: the development issuer is for this machine only',
    );
  }
  if (config.production || config.portal !== null)
    requireTls(
      read,
      'AUTH_ISSUER',
      issuer,
      'who changes its answers on the way signs tokens for everybody, and nobody signs in at the portal over plain http',
    );
  if (!config.production) return;
  if (issuer === null) read.addIssue('AUTH_ISSUER', 'must be set in production');
  if (config.encryptionKeys.length === 0)
    read.addIssue(
      'ENCRYPTION_KEYS',
      'must be set in production: id:key, with the key from openssl rand -base64 32',
    );
  requireTls(
    read,
    'PUBLIC_URL',
    config.server.publicUrl,
    'in production tokens, keys and cookies are sent there only by TLS',
  );
  checkApplications(config, read);
  if (config.portal !== null && config.server.publicUrl === null)
    read.addIssue(
      'PUBLIC_URL',
      'must be set in production with PORTAL_CLIENT_ID: the issuer sends browsers there',
    );
  if (config.allowEmbedded) return;
  const hint = 'must be set in production (ALLOW_EMBEDDED=1 runs it from DATA_DIR)';
  if (config.database.url === null) read.addIssue('DATABASE_URL', hint);
  if (config.redisUrl === null) read.addIssue('REDIS_URL', hint);
  if (config.s3 === null) read.addIssue('S3_BUCKET', hint);
}

function checkApplications({ applications }: CheckedSettings, read: SettingsReader): void {
  if (applications === null) return;
  if (applications.origin === null)
    read.addIssue(
      'APPS_ORIGIN',
      'must be set in production with APPS_PORT: hosts load applications from there',
    );
  const because = 'who changes an application on the way runs code in the pages of farmers';
  requireTls(read, 'APPS_ORIGIN', applications.origin, because);
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
