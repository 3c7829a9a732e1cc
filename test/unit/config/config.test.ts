import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/config.ts';
import { SECRET_SETTINGS, SettingsError } from '../../../shared/config/settings-reader.ts';

function issuesOf(environment: Record<string, string>, isWorker = false): readonly string[] {
  try {
    loadConfig(environment, isWorker);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.issues;
    throw error;
  }
}

test('with nothing set, every part is the local one', () => {
  const config = loadConfig({});
  expect(config).toMatchObject({ redisUrl: null, s3: null, database: { url: null }, auth: { issuer: null } });
  expect(config.server).toMatchObject({ host: '127.0.0.1', port: 8080 });
});

test('what writes links into mails has PUBLIC_URL: a worker, and every process in production', () => {
  const mail = { SMTP_URL: 'smtp://127.0.0.1:2525?from=alerts@example.com' };
  const issue = 'PUBLIC_URL must be set with SMTP_URL: mails have links to it';
  expect(issuesOf(mail, true)).toEqual([issue]);
  expect(issuesOf({ ...mail, NODE_ENV: 'production' })).toContain(issue);
  expect(issuesOf({ ...mail, PUBLIC_URL: 'http://127.0.0.1' }, true)).toEqual([]);
  expect(issuesOf(mail)).toEqual([]);
});

test('all issues are reported at once, each with the name of its setting', () => {
  const issues = issuesOf({
    PORT: 'http',
    MAX_ENTRIES: '0',
    S3_ENDPOINT: 'x',
    LOG_LEVEL: 'loud',
    REQUIRED_FOLDERS: 'Attic',
  });
  expect(issues.map((issue) => issue.split(' ', 1)[0])).toEqual(
    expect.arrayContaining(['PORT', 'MAX_ENTRIES', 'S3_ENDPOINT', 'LOG_LEVEL', 'REQUIRED_FOLDERS']),
  );
});

test('an issue does not repeat the text of a URL, which may contain a password', () =>
  expect(issuesOf({ DATABASE_URL: 'mysql://me:geheim@host/db' }).join()).not.toContain('geheim'));

test('a % in the user or password of a URL that encodes nothing is an issue, with how it is written', () => {
  const urls = {
    SMTP_URL: 'smtp://me:100%@mail.example.com?from=alerts@example.com',
    REDIS_URL: 'redis://100%:geheim@queue',
    OUTBOUND_PROXY_URL: 'http://me:%ff@proxy:3128',
  };
  const encoded = Object.entries(urls).map(([name, url]) => [name, url.replace('%', '%25')]);
  expect(issuesOf({ ...urls, PUBLIC_URL: 'http://127.0.0.1' }).toSorted()).toEqual(
    Object.keys(urls)
      .toSorted()
      .map((name) => `${name} has a % in its user or password: write it as %25`),
  );
  const config = loadConfig({ ...Object.fromEntries(encoded), PUBLIC_URL: 'http://127.0.0.1' });
  expect(config.mail?.credentials).toEqual({ user: 'me', pass: '100%' });
});

test('an empty value is treated as unset', () =>
  expect(loadConfig({ PORT: ' ', REDIS_URL: '' })).toMatchObject({ redisUrl: null, server: { port: 8080 } }));

test('without an issuer only loopback addresses are accepted', () => {
  expect(issuesOf({ HOST: '0.0.0.0' })).toHaveLength(1);
  expect(issuesOf({ HOST: '0.0.0.0', AUTH_ISSUER: 'https://id.example' })).toEqual([]);
});

test('production refuses every part that is not set', () =>
  expect(issuesOf({ NODE_ENV: 'production' })).toHaveLength(5));

test('ALLOW_EMBEDDED covers neither identity nor encryption', () =>
  expect(issuesOf({ NODE_ENV: 'production', ALLOW_EMBEDDED: '1' })).toEqual([
    'AUTH_ISSUER must be set in production',
    'ENCRYPTION_KEYS must be set in production: id:key, with the key from openssl rand -base64 32',
  ]));

const KEY = Buffer.alloc(32, 7).toString('base64');
const PRODUCTION = {
  NODE_ENV: 'production',
  ENCRYPTION_KEYS: `k1:${KEY}`,
  ALLOW_EMBEDDED: '1',
  AUTH_ISSUER: 'https://id.example',
};

test('a worker needs no issuer, in production and on every address', () => {
  const worker = { ...PRODUCTION, AUTH_ISSUER: '', HOST: '0.0.0.0' };
  expect(loadConfig(worker, true).auth.issuer).toBeNull();
});

test.each([
  ['DATABASE_URL', 'postgres:db/modules', 'postgres:// or postgresql://'],
  ['DATABASE_URL', 'db:5432/modules', 'postgres:// or postgresql://'],
  ['REDIS_URL', 'redis:queue:6379', 'redis:// or rediss://'],
])('%s=%s is refused, because it does not start with %s', (name, value, starts) => {
  expect(issuesOf({ [name]: value })).toEqual([`${name} must be a URL that starts with ${starts}`]);
});

test('a scheme may be in upper case', () => {
  expect(issuesOf({ DATABASE_URL: 'POSTGRES://db/modules' })).toEqual([]);
});

test('production refuses plain http for the issuer and the public address, with what to do, both at once', () => {
  const plain = { ...PRODUCTION, AUTH_ISSUER: 'http://id.example', PUBLIC_URL: 'HTTP://modules.example/' };
  const issues = issuesOf(plain);
  expect(issues).toHaveLength(2);
  expect(issues.find((issue) => issue.startsWith('PUBLIC_URL'))).toMatch(/https:\/\/.*TLS/);
  expect(issues.find((issue) => issue.startsWith('AUTH_ISSUER'))).toMatch(/https:\/\/.*TLS/);
});

test.each([
  'https://modules.example.com/portal',
  'https://modules.example.com/?a=b',
  'https://user@modules.example.com',
])('PUBLIC_URL %s is refused with what to do: the service needs an origin of its own', (address) => {
  const issues = issuesOf({ ...PRODUCTION, PORTAL_CLIENT_ID: 'portal', PUBLIC_URL: address });
  expect(issues).toEqual([
    expect.stringMatching(/^PUBLIC_URL must be an origin .* Give the service a host name/),
  ]);
});

describe('the origins of applications', () => {
  const apps = { APPS_PORT: '8081', APPS_ORIGIN: 'https://*.apps.example.com' };

  test('are served where APPS_PORT is set', () => {
    expect(loadConfig({}).applications.port).toBeNull();
    const { applications } = loadConfig({ ...apps, APP_HOST_ORIGINS: 'https://farm.example.com' });
    expect(applications).toEqual({
      port: 8_081,
      origins: 'https://*.apps.example.com',
      hostOrigins: ['https://farm.example.com'],
    });
  });

  test.each([
    [
      { ...apps, PUBLIC_URL: 'https://portal.apps.example.com/' },
      /^APPS_ORIGIN must not include the host of PUBLIC_URL/,
    ],
    [{ ...apps, APPS_ORIGIN: 'https://apps.example.com' }, /^APPS_ORIGIN must begin with \*\. as in/],
    [{ ...apps, APPS_ORIGIN: 'https://*.*.example.com' }, /^APPS_ORIGIN must begin with \*\. as in/],
    [{ ...apps, APPS_ORIGIN: 'https://*.apps.example.com/x' }, /^APPS_ORIGIN must be an origin/],
    [{ ...apps, APP_HOST_ORIGINS: 'farm.example.com' }, /^APP_HOST_ORIGINS has "farm.example.com"/],
    [{ ...apps, APP_HOST_ORIGINS: 'https://farm.example.com/' }, /^APP_HOST_ORIGINS has/],
    [{ ...PRODUCTION, APPS_PORT: '8081' }, /^APPS_ORIGIN must be set in production/],
    [
      { ...PRODUCTION, ...apps, APPS_ORIGIN: 'http://*.apps.example.com' },
      /^APPS_ORIGIN must start with https/,
    ],
  ])('%j has an issue', (settings, issue) =>
    expect(issuesOf(settings)).toEqual([expect.stringMatching(issue)]),
  );
});

test('PUBLIC_URL may end with a slash', () => {
  const { server } = loadConfig({ PUBLIC_URL: 'https://modules.example.com/' });
  expect(server.publicUrl).toBe('https://modules.example.com');
});

test.each(['127.0.0.1', '127.8.9.1', '[::1]', 'localhost', 'LocalHost', 'id.localhost'])(
  'production accepts plain http on the loopback host %s: it never leaves the machine',
  (host) => {
    const plain = { AUTH_ISSUER: `http://${host}:9000`, PUBLIC_URL: `http://${host}` };
    expect(issuesOf({ ...PRODUCTION, ...plain })).toEqual([]);
  },
);

test.each(['127.0.0.1.example', 'localhost.example', '0.0.0.0', '10.0.0.1', 'notlocalhost'])(
  'production refuses plain http on %s, which is no loopback host',
  (host) => expect(issuesOf({ ...PRODUCTION, AUTH_ISSUER: `http://${host}` })).toHaveLength(1),
);

test('outside production, plain http is accepted, and in production for S3 and for traces in a closed network', () => {
  expect(issuesOf({ AUTH_ISSUER: 'http://id.example', PUBLIC_URL: 'http://modules.example' })).toEqual([]);
  const s3 = {
    S3_BUCKET: 'b',
    S3_ENDPOINT: 'http://s3:7070',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 's',
  };
  expect(issuesOf({ ...PRODUCTION, ...s3, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' })).toEqual(
    [],
  );
});

test('one setting scales what an organization may use of each capacity, up to all of it', () => {
  const half = loadConfig({ ORGANIZATION_SHARE_PERCENT: '50' });
  expect(half.imports).toMatchObject({ maxUploads: 128, maxUploadsPerOrganization: 128 });
  expect(half.sharing).toMatchObject({ maxExports: 8, maxExportsPerOrganization: 4 });
  expect(half.streams).toMatchObject({ maxEventStreams: 1_000, maxEventStreamsPerOrganization: 200 });
  const little = loadConfig({ ORGANIZATION_SHARE_PERCENT: '1' });
  expect(little.sharing).toMatchObject({ maxExportsPerOrganization: 1, maxDownloadsPerOrganization: 1 });
});

test('the keys of encryption are read in their order', () => {
  const { encryptionKeys } = loadConfig({ ENCRYPTION_KEYS: `new:${KEY}, old:${KEY}` });
  expect(encryptionKeys.map(({ id, key }) => [id, key.length])).toEqual([
    ['new', 32],
    ['old', 32],
  ]);
});

test.each([
  ['geheim'],
  ['k1:Z2VoZWlt'],
  [`:${KEY}`],
  [`k 1:${KEY}`],
  [`${'k'.repeat(33)}:${KEY}`],
  [`k1:${KEY},k1:${KEY}`],
])('a key of encryption that is not usable is refused, and not repeated: %s', (keys) => {
  const issues = issuesOf({ ENCRYPTION_KEYS: keys });
  expect(issues).toHaveLength(1);
  expect(issues.join()).toMatch(/^ENCRYPTION_KEYS /);
  for (const text of ['geheim', 'Z2VoZWlt', KEY]) expect(issues.join()).not.toContain(text);
});

test('.env.example names every setting that is read, and no other', () => {
  const read = new Set<string>();
  const spy = new Proxy<Record<string, string>>(
    {},
    {
      get: (_target, name) => {
        read.add(String(name));
        return undefined;
      },
    },
  );
  loadConfig(spy);
  loadConfig(
    new Proxy<Record<string, string>>(
      {},
      {
        get: (_target, name) => {
          read.add(String(name));
          return ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'].includes(String(name))
            ? 'x'
            : undefined;
        },
      },
    ),
  );
  const documented = [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z0-9_]+)=/gm)].map(
    ([, name]) => name,
  );
  // Each secret may be in a file instead.
  for (const name of SECRET_SETTINGS) expect(read.delete(`${name}_FILE`)).toBe(true);
  expect(documented.toSorted()).toEqual([...read].toSorted());
});

test('there are no more settings than an operator can read', () =>
  expect(readFileSync('.env.example', 'utf8').match(/^[A-Z0-9_]+=/gm)?.length).toBeLessThanOrEqual(75));

test('.env.example shows the default values', () => {
  const lines = [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z0-9_]+)=(.*)$/gm)];
  const shown = Object.fromEntries(lines.map(([, name, value]) => [name, value ?? '']));
  expect(loadConfig(shown)).toEqual(loadConfig({}));
});

test('rows of imports are kept for longer than a failed import can be retried', () => {
  const issue = expect.stringMatching(/^IMPORT_RETENTION_DAYS must be greater than UPLOAD_RETENTION_DAYS: /);
  expect(issuesOf({ IMPORT_RETENTION_DAYS: '7' })).toEqual([issue]);
  expect(issuesOf({ UPLOAD_RETENTION_DAYS: '2', IMPORT_RETENTION_DAYS: '1' })).toEqual([issue]);
  expect(issuesOf({ UPLOAD_RETENTION_DAYS: '2', IMPORT_RETENTION_DAYS: '3' })).toEqual([]);
});

test('times that PostgreSQL or a timer of Node cannot reckon with are refused', () => {
  for (const name of ['AUDIT_RETENTION_DAYS', 'IMPORT_RETENTION_DAYS', 'REVISION_RETENTION_DAYS'])
    expect(issuesOf({ [name]: '9999999' }).join()).toMatch(`${name} must be a whole number from 1 to 36500`);
  expect(issuesOf({ IMPORT_WAIT_SECONDS: '2147484' }).join()).toMatch('from 1 to 86400');
});
