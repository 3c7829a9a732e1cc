import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { asText } from '../../api/doctor/print-report.ts';
import { probeParts } from '../../api/doctor/probe-parts.ts';
import { checkSettings } from '../../shared/config/check-settings.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { freePort } from '../../shared/local/free-port.ts';
import type { ProbeStep } from '../../shared/process/probe-step.ts';
import { startTestApp } from '../support/test-app.ts';
import { startTestIssuer } from '../support/test-issuer.ts';

type Environment = Readonly<Record<string, string>>;

/** What is not good about one part, by step. */
async function findings(part: string, environment: Environment): Promise<Record<string, ProbeStep>> {
  const reports = await probeParts(checkSettings(environment), { api: 1, workers: 1 });
  const { steps = [] } = reports.find((each) => each.part === part) ?? {};
  return Object.fromEntries(
    steps.filter(({ ok, advice }) => !ok || advice !== null).map((each) => [each.step, each]),
  );
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of sql.split(';').filter((each) => each.trim() !== ''))
      await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A database of its own, and the address at which a role without rights reaches it. */
async function makeDatabase(): Promise<{ ownerUrl: string; roleUrl: string }> {
  const name = `doctor_${randomUUID().replaceAll('-', '')}`;
  const template = inject('postgresUrl');
  await query(template, `create database ${name}; create role ${name} login password 'geheimwort'`);
  const owner = new URL(template);
  owner.pathname = `/${name}`;
  const role = new URL(owner);
  [role.username, role.password] = [name, 'geheimwort'];
  return { ownerUrl: owner.href, roleUrl: role.href };
}

/** The SQL of an advice, which stands between its first colon and the last semicolon. */
function statementsOf(advice: string | null | undefined): string {
  return /run(?: on the server)?: (.*;)/i.exec(advice ?? '')?.[1] ?? '';
}

async function answerWith(document: (url: string) => unknown): Promise<string> {
  const server = createServer((_request, response) => {
    response.end(JSON.stringify(document(url)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

test('with every part there, nothing fails, and nothing is left behind', async () => {
  const app = await startTestApp({ worker: false });
  onTestFinished(() => app.stop());
  const reports = await probeParts(checkSettings(app.environment), { api: 2, workers: 2 });
  expect(asText(reports)).toContain('Every part works');
  const tables = await app.api.database.raw<{ rows: unknown[] }>(
    "select relname from pg_class where relname like 'doctor%'",
  );
  expect(tables.rows).toEqual([]);
  if (app.api.redis !== null) expect(await app.api.redis.keys('*doctor*')).toEqual([]);
});

test('several broken parts are reported at once, without passwords', async () => {
  const port = await freePort();
  const settings = checkSettings({
    DATABASE_URL: `postgres://me:geheimwort@127.0.0.1:${port}/modules`,
    REDIS_URL: `redis://:geheimwort@127.0.0.1:${port}`,
    S3_BUCKET: 'modules',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_ACCESS_KEY_ID: 'geheimwort',
    S3_SECRET_ACCESS_KEY: 'geheimwort',
    AUTH_ISSUER: `http://me:geheimwort@127.0.0.1:${port}`,
    MAX_ENTRIES: 'many',
  });
  const text = asText(await probeParts(settings, { api: 1, workers: 1 }));
  for (const part of [
    'settings: MAX_ENTRIES',
    'database: connection',
    'queue: connection',
    'storage: bucket',
  ])
    expect(text).toContain(`failed  ${part}`);
  expect(text).toContain('failed  issuer: discovery');
  expect(text).not.toContain('geheimwort');
});

test('a role that may not create tables: with the grants of the advice the migrate step works', async () => {
  const { ownerUrl, roleUrl } = await makeDatabase();
  const environment = { DATABASE_URL: roleUrl };
  const { rights, migrations } = await findings('database', environment);
  expect(rights).toMatchObject({ ok: false, detail: expect.stringContaining('may not create tables') });
  expect(migrations?.advice).toContain('npm run migrate');
  await query(ownerUrl, statementsOf(rights?.advice));
  await migrate(roleUrl);
  expect(await findings('database', environment)).toEqual({});
});

test('a role that may not use the tables of another: with the grants of the advice it works', async () => {
  const { ownerUrl, roleUrl } = await makeDatabase();
  await migrate(ownerUrl);
  const environment = { DATABASE_URL: roleUrl };
  const { tables } = await findings('database', environment);
  expect(tables).toMatchObject({ ok: false, detail: expect.stringContaining('schema_migrations') });
  await query(ownerUrl, statementsOf(tables?.advice));
  const after = await findings('database', environment);
  expect(Object.values(after).filter(({ ok }) => !ok)).toEqual([]);
});

test.each([
  ['a wrong password', (url: URL) => (url.password = 'wrong-password'), /Correct user and password/],
  ['a database that does not exist', (url: URL) => (url.pathname = '/nowhere'), /Create the database/],
  ['TLS that the server does not have', (url: URL) => (url.search = 'sslmode=require'), /remove sslmode/],
])('%s: the advice names it', async (_what, change, advice) => {
  const url = new URL((await makeDatabase()).roleUrl);
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

test('an issuer of another name: with AUTH_ISSUER of the advice it works', async () => {
  const issuer = await startTestIssuer();
  onTestFinished(() => issuer.stop());
  const { discovery } = await findings('issuer', { AUTH_ISSUER: `${issuer.url}/` });
  const [, advised = ''] = /Set AUTH_ISSUER=([^,\s]+),/.exec(discovery?.advice ?? '') ?? [];
  const after = await findings('issuer', { AUTH_ISSUER: advised });
  expect(Object.values(after).filter(({ ok }) => !ok)).toEqual([]);
});

test('an issuer without keys that verify tokens is reported', async () => {
  const url = await answerWith((own) => ({ issuer: own, jwks_uri: `${own}/jwks`, keys: [{ kty: 'oct' }] }));
  const { keys } = await findings('issuer', { AUTH_ISSUER: url });
  expect(keys).toMatchObject({ ok: false, detail: expect.stringContaining('None of the 1 keys') });
});

test('what portal and modulectl need of the issuer and it does not offer is reported', async () => {
  const issuer = await startTestIssuer();
  onTestFinished(() => issuer.stop());
  const environment = { AUTH_ISSUER: issuer.url, PORTAL_CLIENT_ID: 'portal', CLI_CLIENT_ID: 'cli' };
  const { portal, modulectl } = await findings('issuer', environment);
  expect(portal?.detail).toContain('authorization_endpoint, token_endpoint');
  expect(modulectl?.advice).toContain('RFC 8628');
});
