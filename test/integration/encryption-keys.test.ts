import { randomBytes, randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { openApiContext } from '../../api/open-context.ts';
import { loadConfig, type Config } from '../../shared/config/config.ts';
import { SettingsError } from '../../shared/config/settings-reader.ts';
import { openDatabase } from '../../shared/db/database.ts';
import { addKeyChecks, compareKeys, findLockingKeys } from '../../shared/db/encryption-key-checks.ts';
import { probeEncryption } from '../../shared/db/probe-encryption.ts';
import { fingerprintOf } from '../../shared/db/sealed-columns.ts';
import { EncryptionKeys, type EncryptionKey } from '../../shared/encryption/encryption-keys.ts';
import { createLog } from '../../shared/telemetry/log.ts';
import { runWorker } from '../../worker/run-worker.ts';
import { importSample } from '../support/import-sample.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import { cloneDatabase, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { withWorker } from '../support/with-worker.ts';

const newKey = (id: string): EncryptionKey => ({ id, key: randomBytes(32) });
const settingOf = (...keys: EncryptionKey[]) =>
  keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join();

const FIRST = newKey('first');
const test = serviceTest({ settings: { ENCRYPTION_KEYS: settingOf(FIRST) }, worker: false });

/** The settings of another process of this service. */
const withKeys = ({ environment }: TestApp, ...keys: EncryptionKey[]): Config =>
  loadConfig({ ...environment, ENCRYPTION_KEYS: settingOf(...keys) });

/** A worker with these keys, and the lines of its log. */
async function startWorker(app: TestApp, ...keys: EncryptionKey[]) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
  const worker = await runWorker(withKeys(app, ...keys), createLog('worker', 'info', { write }));
  return { lines, stop: () => worker.stop() };
}

test('API and worker do not start with another key under a known ID', async ({ app }) => {
  const config = withKeys(app, newKey('second'), newKey('first'));
  const message =
    /^The settings are wrong:\n {2}ENCRYPTION_KEYS has another key first .* Put the earlier key back/;
  await expect(openApiContext(config, app.api.log)).rejects.toThrow(message);
  await expect(runWorker(config, app.api.log)).rejects.toThrow(SettingsError);
  expect(await app.api.database('encryption_key_checks').pluck('key_id')).not.toContain('second');
  // Another order of the same keys, and another number of them, are no other keys.
  expect(await compareKeys(app.api.database, new EncryptionKeys([newKey('new'), FIRST]))).toMatchObject({
    changed: [],
  });
});

test('of several processes that bring a new ID at once, all with one key start, and none with another', async () => {
  const database = openDatabase({ url: await cloneDatabase(), poolSize: 8 });
  onTestFinished(() => database.destroy());
  const [a, b] = [newKey('a'), newKey('b')];
  const settings = [
    [a, b],
    [b, a],
    [a, b],
    [newKey('a'), b],
  ] as const;
  const changes = await Promise.all(
    settings.map(async (keys) => {
      const { changed } = await addKeyChecks(database, new EncryptionKeys(keys));
      return changed;
    }),
  );
  const refused = changes.map((changed) => changed.length > 0);
  expect([
    [false, false, false, true],
    [true, true, true, false],
  ]).toContainEqual(refused);
});

test('check values depend on key and ID, and contain no part of the key', () => {
  const [{ value } = expect.unreachable()] = new EncryptionKeys([FIRST]).checks();
  const others = [newKey('first'), { ...FIRST, id: 'second' }];
  for (const other of others) expect(new EncryptionKeys([other]).checks()[0]?.value).not.toEqual(value);
  expect(value.includes(FIRST.key.subarray(0, 4))).toBe(false);
});

test('doctor compares the keys, and adds none', async ({ app }) => {
  const url = await cloneDatabase();
  const database = openDatabase({ url, poolSize: 1 });
  onTestFinished(() => database.destroy());
  await addKeyChecks(database, new EncryptionKeys([FIRST, newKey('unneeded')]));
  const findingOf = async (config: Config) => (await probeEncryption(config, url))[0];
  expect(await findingOf(withKeys(app, newKey('new'), FIRST))).toMatchObject({ ok: true, advice: null });
  expect(await findingOf(withKeys(app, newKey('first')))).toMatchObject({
    ok: false,
    detail: expect.stringContaining('another key first'),
    advice: expect.stringContaining('Put the earlier key back'),
  });
  expect(await compareKeys(database, new EncryptionKeys([FIRST, newKey('new')]))).toMatchObject({
    added: ['new'],
    missing: ['unneeded'],
  });
});

/** A descriptor with the ID of a module that was imported with the keys of the app. */
async function importedDescriptor(app: TestApp, vendor: TestOrganization): Promise<{ moduleId: string }> {
  const descriptor = { moduleId: randomUUID() };
  await withWorker(app, () => importSample(app, vendor, { descriptor }));
  return descriptor;
}

test('a known key that is missing is reported with the number of values; an import that needs it fails at once', async ({
  app,
  vendor,
}) => {
  const descriptor = await importedDescriptor(app, vendor);
  const [locking] = await findLockingKeys(app.api.database, ['first', 'none']);
  expect(locking).toMatchObject({ keyId: 'first' });
  const without = withKeys(app, newKey('unknown'));
  const [finding] = await probeEncryption(without, app.environment['DATABASE_URL'] ?? '');
  const detail = `The key first is missing; it encrypted ${locking?.values} stored values.`;
  expect(finding).toMatchObject({ ok: true, advice: expect.stringContaining('Add it behind') });
  // Other tests of this file may have lost keys too.
  expect(finding?.detail).toContain(detail);

  const worker = await startWorker(app, newKey('third'));
  onTestFinished(() => worker.stop());
  expect(worker.lines).toContainEqual(expect.objectContaining({ msg: 'encryption key missing', ...locking }));
  const answer = await app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor }));
  expect(answer.status).toBe(503);
  const { body } = await app.as(vendor).get(`/imports/${answer.body.importId}`);
  expect(body).toMatchObject({
    status: 'failed',
    errors: [{ detail: expect.stringContaining('encryption key') }],
  });
  const { items } = (await app.as('operator').get(`/operations/imports?organizationId=${vendor.id}`)).body;
  expect(items[0].failure).toMatchObject({ attempts: 1, cause: expect.stringContaining('no key "first"') });
});

test('an import that needs a value that its key does not open fails at once', async ({ app, vendor }) => {
  const descriptor = await importedDescriptor(app, vendor);
  const { database } = app.api;
  // The last byte of the ciphertext is another one.
  const last = 'length(fingerprint) - 1';
  await database('module_revisions')
    .where(descriptor)
    .update({
      fingerprint: database.raw(`set_byte(fingerprint, ${last}, get_byte(fingerprint, ${last}) # 1)`),
    });
  const worker = await startWorker(app, FIRST);
  onTestFinished(() => worker.stop());
  const answer = await app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor }));
  expect(answer.status).toBe(503);
  const { items } = (await app.as('operator').get(`/operations/imports?organizationId=${vendor.id}`)).body;
  expect(items[0].failure).toMatchObject({
    attempts: 1,
    cause: expect.stringContaining('restore it from a backup'),
  });
});

test('an import that needs a key of a rotation, which its worker will get, is tried again', async ({
  app,
  vendor,
}) => {
  const descriptor = await importedDescriptor(app, vendor);
  const { moduleId } = descriptor;
  const worker = await startWorker(app, FIRST);
  onTestFinished(() => worker.stop());
  const newer = new EncryptionKeys([newKey('newer'), FIRST]);
  await addKeyChecks(app.api.database, newer);
  const row = app.api.database('module_revisions').where({ moduleId });
  const { fingerprint } = await row.clone().first<{ fingerprint: Buffer }>('fingerprint');
  const owner = fingerprintOf(moduleId);
  await row.update({ fingerprint: newer.seal(newer.open(fingerprint, owner), owner) });
  await app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor }), {
    headers: { Prefer: 'respond-async' },
  });
  await expect
    .poll(() => worker.lines.find(({ msg }) => msg === 'import attempt ended'), { timeout: 30_000 })
    .toMatchObject({ isFinal: false });
});
