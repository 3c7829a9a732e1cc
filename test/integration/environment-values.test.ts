import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { reseal } from '../../shared/db/reseal.ts';
import { EncryptionKeys } from '../../shared/encryption/encryption-keys.ts';
import { importSample } from '../support/import-sample.ts';
import { runCommand } from '../support/local-stack.ts';
import { samplePackage } from '../support/sample-package.ts';
import { WebhookModel } from '../../shared/db/webhooks/models.ts';
import { signingKeysOf } from '../../shared/db/sealed-columns.ts';
import { makeWebhook } from '../support/webhook-module.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const KEY = { id: 'first', key: randomBytes(32) };
const test = serviceTest({ settings: { ENCRYPTION_KEYS: `first:${KEY.key.toString('base64')}` } });

const variable = (value: string) => ({ appEnvironmentId: randomUUID(), key: 'TOKEN', value });

/** Every row of every table whose text contains this, also as the bytes of a binary column. */
async function tablesWith({ api }: TestApp, text: string): Promise<readonly string[]> {
  const { rows } = await api.database.raw<{ rows: { name: string }[] }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  expect(rows.map(({ name }) => name)).toContain('public.module_revisions');
  const hex = Buffer.from(text).toString('hex');
  const found: string[] = [];
  for (const { name } of rows) {
    const like = [`%${text}%`, `%${hex}%`];
    const result = await api.database.raw<{ rows: unknown[] }>(
      `select from ${name} t where t::text like ? or t::text like ? limit 1`,
      like,
    );
    if (result.rows.length > 0) found.push(name);
  }
  return found;
}

const exportOf = (app: TestApp, vendor: TestOrganization, moduleId: string) =>
  app.as(vendor).get(`/ExportModuleAsync/${moduleId}`);

test('the value of an environment variable is in no row of the database, and in the export', async ({
  app,
  vendor,
}) => {
  const secret = `geheim-${randomUUID()}`;
  const key = `NAME_${randomUUID()}`;
  const environmentVariables = [{ ...variable(secret), key }];
  const moduleId = await importSample(app, vendor, { descriptor: { environmentVariables } });
  expect(await tablesWith(app, secret)).toEqual([]);
  // The search finds what is there.
  expect(await tablesWith(app, key)).toEqual(['public.module_revisions']);
  expect((await exportOf(app, vendor, moduleId)).text).toContain(secret);
  const read = await app.as(vendor).get(`/modules/${moduleId}`);
  expect(read.text).toContain(key);
  expect(read.text).not.toContain(secret);
});

test('the hash that decides whether an import changes anything cannot be computed from guesses', async ({
  app,
  vendor,
}) => {
  const descriptor = { environmentVariables: [variable('0000')] };
  const ids = [randomUUID(), randomUUID()];
  for (const moduleId of ids) await importSample(app, vendor, { descriptor: { ...descriptor, moduleId } });
  const rows = await app.api
    .database('module_revisions')
    .whereIn('moduleId', ids)
    .select<{ fingerprint: Buffer }[]>('fingerprint');
  // The bytes of a hash, and what encryption adds.
  for (const { fingerprint } of rows) expect(fingerprint.length).toBeGreaterThan(32 + 12 + 16);
});

test('an import that changes only a value is an update; one that changes nothing is unchanged', async ({
  app,
  vendor,
}) => {
  const moduleId = randomUUID();
  const token = variable('one');
  const outcome = async (value: string) => {
    const descriptor = { moduleId, environmentVariables: [{ ...token, value }] };
    return (await app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor }))).body
      .outcome as string;
  };
  expect([await outcome('one'), await outcome('one'), await outcome('two'), await outcome('two')]).toEqual([
    'created',
    'unchanged',
    'updated',
    'unchanged',
  ]);
});

test('values and names of any form come back as they were', async ({ app, vendor }) => {
  const values = ['', ' ', '{"keyId":"x"}', 'ünï 🔑', 'x'.repeat(20_000)];
  const environmentVariables = values.map((value, index) => ({ ...variable(value), key: `K${index}` }));
  const moduleId = await importSample(app, vendor, { descriptor: { environmentVariables } });
  const { text } = await exportOf(app, vendor, moduleId);
  for (const value of values.slice(2)) expect(text).toContain(JSON.stringify(value));
});

test('values that were moved to another module are not exported as its own', async ({ app, vendor }) => {
  const secret = `geheim-${randomUUID()}`;
  const owner = await importSample(app, vendor, { descriptor: { environmentVariables: [variable(secret)] } });
  const thief = await importSample(app, vendor);
  const row = app.api.database('module_revisions');
  const own = await row.clone().where({ moduleId: thief }).first<{ environment: Buffer }>('environment');
  const stolen = await row.clone().where({ moduleId: owner }).first<{ environment: Buffer }>('environment');
  await row.clone().where({ moduleId: thief }).update(stolen);
  const answer = await exportOf(app, vendor, thief);
  await row.clone().where({ moduleId: thief }).update(own);
  expect(answer.status).toBe(503);
  expect(answer.text).not.toContain(secret);
});

/** Runs the command that docs/operators.md names; returns its log. */
async function reencrypt(settings: Readonly<Record<string, string>>): Promise<string> {
  expect(readFileSync('docs/operators.md', 'utf8')).toMatch(/```sh\n *npm run reencrypt\n *```/);
  const { exitCode, output } = await runCommand(['reencrypt'], settings['DATA_DIR'] ?? '', settings);
  expect(exitCode).toBe(0);
  return output;
}

test('after a rotation every revision is sealed with the new key, and the old one is not needed any more', async ({
  app,
}) => {
  const vendor = await app.organization();
  const secret = `geheim-${randomUUID()}`;
  const moduleId = await importSample(app, vendor, {
    descriptor: { environmentVariables: [variable(secret)] },
  });
  const before = await exportOf(app, vendor, moduleId);
  const webhook = await makeWebhook(app, vendor, 'https://hooks.example.com/', {}, moduleId);
  await app.as(vendor).post(`${webhook.path}/rotate`);
  const { database } = app.api;
  const newKey = { id: 'second', key: randomBytes(32) };
  const both = new EncryptionKeys([newKey, KEY]);
  const { n: revisions } = await database('module_revisions').count({ n: '*' }).first<{ n: number }>();
  expect(await reseal(database, new EncryptionKeys([KEY]))).toEqual({
    revisions: 0,
    webhooks: 0,
    unreadable: [],
  });
  const environmentKeys = [newKey, KEY].map(({ id, key }) => `${id}:${key.toString('base64')}`).join();
  const log = await reencrypt({ ...app.environment, LOG_LEVEL: 'info', ENCRYPTION_KEYS: environmentKeys });
  expect(log).toContain(`"revisions":${revisions},"webhooks":1,"key":"second"`);
  expect(await reseal(database, both)).toEqual({ revisions: 0, webhooks: 0, unreadable: [] });
  const { environment } = await database('module_revisions')
    .where({ moduleId })
    .first<{ environment: Buffer }>('environment');
  const opened = new EncryptionKeys([newKey]).open(environment, `environment of module ${moduleId}`);
  expect(opened.toString()).toContain(secret);
  const { id } = webhook;
  const sealed = await WebhookModel.query(database).findById(id).throwIfNotFound();
  for (const each of [sealed.sealedKeys, sealed.previousSealedKeys])
    expect(new EncryptionKeys([newKey]).openJson(each ?? Buffer.alloc(0), signingKeysOf(id))).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
    });
  // This service does not have the new key: the answer says nothing about keys.
  const without = await exportOf(app, vendor, moduleId);
  expect(without.status).toBe(503);
  expect(without.text).not.toContain('second');
  expect(await reseal(database, new EncryptionKeys([KEY, newKey]))).toEqual({
    revisions,
    webhooks: 1,
    unreadable: [],
  });
  const after = await exportOf(app, vendor, moduleId);
  expect([after.status, after.headers.get('etag')]).toEqual([200, before.headers.get('etag')]);
});
