import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { asText } from '../../api/doctor/print-report.ts';
import { addressesOf, probeParts, probeSettings } from '../../api/doctor/probe-parts.ts';
import { checkSettings } from '../../shared/config/check-settings.ts';
import { loadConfig } from '../../shared/config/config.ts';
import { freePort } from '../../shared/local/free-port.ts';
import type { ProbeStep } from '../../shared/process/probe-step.ts';
import { startTestApp } from '../support/test-app.ts';
import { startTestIssuer } from '../support/test-issuer.ts';

const ONE_EACH = { api: 1, workers: 1 };

/** The failures and warnings of one part, by step. */
async function findings(
  part: string,
  settings: Readonly<Record<string, string>>,
): Promise<Record<string, ProbeStep>> {
  const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/nowhere', AUTH_ISSUER: 'http://127.0.0.1:1' };
  const config = loadConfig({ ...nowhere, ...settings });
  const { [part]: steps = [] } = await probeParts(
    config,
    addressesOf(config) ?? expect.unreachable(),
    ONE_EACH,
  );
  return Object.fromEntries(
    steps.filter(({ ok, advice }) => !ok || advice !== null).map((each) => [each.step, each]),
  );
}

/** The address of a database of its own, for a role of its own. */
async function makeDatabase(): Promise<string> {
  const name = `doctor_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(inject('postgresUrl'));
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.query(`create role ${name} login password 'geheimwort'`);
  await client.end();
  [url.pathname, url.username, url.password] = [`/${name}`, name, 'geheimwort'];
  return url.href;
}

test('with every part there, nothing fails, and nothing is left behind', async () => {
  const app = await startTestApp({ worker: false });
  onTestFinished(() => app.stop());
  const addresses = addressesOf(app.config) ?? expect.unreachable();
  const report = await probeParts(app.config, addresses, { api: 2, workers: 2 });
  expect(asText(report)).toContain('Every part works');
  const tables = await app.api.database.raw<{ rows: unknown[] }>(
    "select relname from pg_class where relname like 'doctor%'",
  );
  expect(tables.rows).toEqual([]);
  if (app.api.redis !== null) expect(await app.api.redis.keys('*doctor*')).toEqual([]);
});

test('several broken parts are reported at once, without passwords', async () => {
  const port = await freePort();
  const config = loadConfig({
    DATABASE_URL: `postgres://me:geheimwort@127.0.0.1:${port}/modules`,
    REDIS_URL: `redis://:geheimwort@127.0.0.1:${port}`,
    S3_BUCKET: 'modules',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_ACCESS_KEY_ID: 'geheimwort',
    S3_SECRET_ACCESS_KEY: 'geheimwort',
    AUTH_ISSUER: `http://me:geheimwort@127.0.0.1:${port}`,
  });
  const addresses = addressesOf(config) ?? expect.unreachable();
  const text = asText(await probeParts(config, addresses, ONE_EACH));
  for (const step of ['database: connection', 'queue: connection', 'storage: bucket', 'issuer: discovery'])
    expect(text).toContain(`failed  ${step}`);
  expect(text).not.toContain('geheimwort');
});

test('without the addresses of database and issuer nothing is tried', () => {
  const settings = checkSettings({ DATABASE_URL: 'postgres://127.0.0.1/modules' });
  expect(addressesOf(settings.config)).toBeNull();
  expect(asText({ settings: probeSettings(settings) })).toMatch(/^failed .*AUTH_ISSUER must be set/);
});

test('wrong settings are all reported, and a variable that looks like a setting', () => {
  const steps = probeSettings(checkSettings({ MAX_ENTRIES: 'many', PORT: 'http', DATABSE_URL: 'x' }));
  const text = asText({ settings: steps });
  expect(text).toContain('failed  settings: values: PORT must be a whole number');
  expect(text).toContain('failed  settings: values: MAX_ENTRIES must be a whole number');
  expect(text).toContain('warning settings: DATABSE_URL: ');
  expect(text).toContain('If DATABASE_URL is meant, rename it.');
});

test('a % that encodes nothing, in the address of whatever variable, does not end the doctor', () => {
  const settings = checkSettings({
    HTTP_PROXY: 'http://me:geheim%wort@proxy:3128',
    SMTP_URL: 'smtp://me:geheim%wort@mail.example.com?from=alerts@example.com',
  });
  expect(settings.secrets).toContain('geheim%wort');
  expect(asText({ settings: probeSettings(settings) })).toContain(
    'failed  settings: values: SMTP_URL has a % in its user or password: write it as %25',
  );
});

test.each([
  ['a wrong password', (url: URL) => (url.password = 'wrong-password'), /Correct user and password/],
  ['a database that does not exist', (url: URL) => (url.pathname = '/nowhere'), /Create the database/],
  ['TLS that the server does not have', (url: URL) => (url.search = 'sslmode=require'), /remove sslmode/],
])('%s: the advice names it', async (_what, change, advice) => {
  const url = new URL(await makeDatabase());
  change(url);
  const { connection } = await findings('database', { DATABASE_URL: url.href });
  expect(connection).toMatchObject({ ok: false, advice: expect.stringMatching(advice) });
});

test('more connections than the server allows are reported with a number that is enough', async () => {
  const environment = { DATABASE_URL: inject('postgresUrl'), DATABASE_POOL_SIZE: '200' };
  const { connections } = await findings('database', environment);
  expect(connections).toMatchObject({
    ok: false,
    advice: expect.stringMatching(/Set max_connections = \d{3}/),
  });
});

test('the limit of connections is that of the role that signs in, not of the one that it acts as', async () => {
  const url = await makeDatabase();
  const { username: role, pathname } = new URL(url);
  const client = new pg.Client({ connectionString: new URL(pathname, inject('postgresUrl')).href });
  await client.connect();
  await client.query(`create role ${role}_acting nologin`);
  await client.query(`grant ${role}_acting to ${role}`);
  await client.query(`alter role ${role} set role ${role}_acting`);
  await client.query(`alter role ${role} connection limit 5`);
  await client.end();
  const { connections } = await findings('database', { DATABASE_URL: url });
  expect(connections).toMatchObject({ ok: false, detail: expect.stringMatching(/the server allows 5$/) });
});

test('an issuer of another name: with AUTH_ISSUER of the advice it works', async () => {
  const issuer = await startTestIssuer();
  onTestFinished(() => issuer.stop());
  const { discovery } = await findings('issuer', { AUTH_ISSUER: `${issuer.url}/` });
  const [, advised = ''] = /Set AUTH_ISSUER=([^,\s]+),/.exec(discovery?.advice ?? '') ?? [];
  const after = await findings('issuer', { AUTH_ISSUER: advised });
  expect(Object.values(after).filter(({ ok }) => !ok)).toEqual([]);
});

test('what portal and modulectl need of the issuer and it does not offer is reported', async () => {
  const issuer = await startTestIssuer();
  onTestFinished(() => issuer.stop());
  const clients = { PORTAL_CLIENT_ID: 'portal', CLI_CLIENT_ID: 'cli' };
  const environment = { AUTH_ISSUER: issuer.url, PUBLIC_URL: 'https://modules.example', ...clients };
  const { portal, modulectl, ...others } = await findings('issuer', environment);
  expect(others).toEqual({});
  expect(portal?.detail).toContain('authorization_endpoint, token_endpoint');
  expect(modulectl?.advice).toContain('RFC 8628');
});

test.each([
  ['https://modules.example.com', 'https://*.apps.example.com', true],
  ['https://example.com', 'https://*.apps.example.com', true],
  ['https://modules.example.com', 'https://*.farm-apps.example', false],
  ['https://modules.example.com', 'https://*.notexample.com', false],
])(
  'the portal at %s and applications at %s are on one domain: %s; otherwise browsers refuse them storage',
  async (portal, origins, isOneSite) => {
    const found = await findings('applications', { PUBLIC_URL: portal, APPS_ORIGIN: origins });
    expect(Object.values(found)).toMatchObject(
      isOneSite ? [] : [{ ok: true, advice: expect.stringContaining('below the domain') as string }],
    );
  },
);
