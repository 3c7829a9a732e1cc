import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { components } from '../../shared/client/openapi-types.ts';
import { findImport } from '../../shared/db/imports/imports.ts';
import { failTakenOver } from '../../worker/import/fail-import.ts';
import { failImport } from '../support/fail-import.ts';
import { contextOf, openActor, storeImport } from '../support/import-actors.ts';
import { parseMetrics } from '../support/metric-values.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

type OperatorImport = components['schemas']['OperatorImport'];

const test = serviceTest({ worker: false, config: { imports: { deadlineSeconds: 60 } } });

/** Queues an import without a worker; returns its ID, and the key and the bytes of its upload. */
async function queueUpload(app: TestApp, vendor: TestOrganization) {
  const zip = samplePackage(app.api.catalogue, { files: { 'PackageArtifact/build/id': randomUUID() } });
  const { body } = await app.importPackage(vendor, zip, { headers: { Prefer: 'respond-async' } });
  const importId = body.importId as string;
  const row = await findImport(app.api.database, null, importId);
  return { importId, key: row?.archiveKey ?? '', zip };
}

/** Queues an import whose upload the storage cuts off; returns its ID and what puts the upload back. */
async function queueCut(app: TestApp, vendor: TestOrganization) {
  const { importId, key, zip } = await queueUpload(app, vendor);
  const { storage } = app.api;
  const replace = async (bytes: Buffer) => {
    await storage.remove(key);
    await storage.put(key, bytes);
  };
  await replace(zip.subarray(0, -1));
  return { importId, key, putBack: () => replace(zip) };
}

/** An import that has failed as after its last attempt, whose upload is stored. */
async function addFailed(app: TestApp, vendor: TestOrganization): Promise<string> {
  const { importId } = await storeImport(app, vendor);
  await failImport(app.api.database, importId);
  return importId;
}

/** The failed imports of one organization in the operators' list. */
async function listOf(app: TestApp, vendor: TestOrganization) {
  const path = `/operations/imports?status=failed&dismissed=false&organizationId=${vendor.id}`;
  const items = await app.as('operator').pages<{ importId: string; status: string }>(path);
  return items.map(({ importId }) => importId);
}

async function countFailed(app: TestApp): Promise<number | undefined> {
  return parseMetrics((await app.fetch('/metrics')).text).get('imports_failed');
}

/** Makes two minutes pass for an import: its deadline has passed, and the sweep looks for its job. */
async function passTime({ api: { database } }: TestApp, importId: string): Promise<void> {
  const ago = (column: string) => database.raw(`${column} - interval '2 minutes'`);
  await database('imports')
    .where({ id: importId })
    .update({ startedAt: ago('started_at'), updatedAt: ago('updated_at') });
}

const statusOf = async (app: TestApp, vendor: TestOrganization, importId: string) =>
  (await app.as(vendor).get(`/imports/${importId}`)).body.status as string;

test('an import is tried again until its deadline; then it says what failed, to operators with the cause, to its vendor without', async ({
  app,
  vendor,
}) => {
  const { importId, key, putBack } = await queueCut(app, vendor);
  const worker = await app.startWorker();
  const path = `/operations/imports?limit=200&organizationId=${vendor.id}`;
  const read = async () => {
    const { items } = (await app.as('operator').get(path)).body as { items: readonly OperatorImport[] };
    return items.find((item) => item.importId === importId);
  };
  // Operators see the cause before the deadline too.
  await expect
    .poll(async () => (await read())?.failure, { timeout: 30_000 })
    .toMatchObject({ step: 'reading' });
  await passTime(app, importId);
  await expect.poll(() => statusOf(app, vendor, importId), { timeout: 60_000 }).toBe('failed');
  const { failure = null, canRetry } = (await read()) ?? {};
  expect(failure?.attempts).toBeGreaterThan(1);
  expect(failure?.cause).toMatch(/ends before byte|InvalidRange|has \d+ bytes of/);
  expect(Date.parse(failure?.lastAt ?? '') - Date.parse(failure?.firstAt ?? '')).toBeGreaterThan(500);
  expect(canRetry).toBe(true);

  const { body, text } = await app.as(vendor).get(`/imports/${importId}`);
  expect(body.errors).toEqual([
    {
      code: 'import-failed',
      detail:
        'The import failed because of an internal error: it could not be finished within 60 seconds; it was reading the package. An operator can retry it.',
      severity: 'error',
    },
  ]);
  expect(text).not.toContain(key);
  expect(text).not.toContain('failure');
  // The row has it, the queue nothing more.
  await expect.poll(() => app.api.queue.jobState({ importId, retries: 0 })).toBe('unknown');

  await putBack();
  const retry = () => app.as('operator').post(`/operations/imports/${importId}/retry`);
  expect(await retry()).toMatchObject({
    status: 202,
    body: { status: 'queued', errors: [], errorsTotal: 0 },
  });
  await expect.poll(() => statusOf(app, vendor, importId), { timeout: 30_000 }).toBe('succeeded');
  // As after a lost answer.
  expect(await retry()).toMatchObject({ status: 202, body: { status: 'succeeded' } });
  expect((await read())?.failure).toBeNull();
  await worker.stop();
});

test('an attempt after the deadline, because everything was unavailable, can still succeed', async ({
  app,
  vendor,
}) => {
  const { importId, putBack } = await queueCut(app, vendor);
  await putBack();
  const startedAt = new Date(Date.now() - 86_400_000);
  await app.api
    .database('imports')
    .where({ id: importId })
    .update({ status: 'running', runId: randomUUID(), startedAt });
  const worker = await app.startWorker();
  await expect.poll(() => statusOf(app, vendor, importId), { timeout: 30_000 }).toBe('succeeded');
  await worker.stop();
});

test('an import whose upload is no longer kept fails at once', async ({ app, vendor }) => {
  const { importId } = await queueUpload(app, vendor);
  await app.api.database('imports').where({ id: importId }).update({ archiveKey: null });
  const worker = await app.startWorker();
  await expect.poll(() => statusOf(app, vendor, importId), { timeout: 30_000 }).toBe('failed');
  const row = await findImport(app.api.database, null, importId);
  expect(row?.failure).toMatchObject({
    attempts: 1,
    cause: 'ArchiveGoneError: the archive of the import is no longer kept',
  });
  await worker.stop();
});

test('an import whose object the storage has lost fails at once, and can be retried when it is back', async ({
  app,
  vendor,
}) => {
  const { importId, key, zip } = await queueUpload(app, vendor);
  await app.api.storage.remove(key);
  const worker = await app.startWorker();
  await expect.poll(() => statusOf(app, vendor, importId), { timeout: 30_000 }).toBe('failed');
  const row = await findImport(app.api.database, null, importId);
  expect(row?.failure).toMatchObject({
    attempts: 1,
    cause: expect.stringContaining(`ObjectMissingError: The storage has lost the object ${key}`),
  });
  expect((await app.as(vendor).get(`/imports/${importId}`)).body.errors).toMatchObject([
    { code: 'import-failed', detail: expect.stringContaining('the archive of the package is gone') },
  ]);
  await app.api.storage.put(key, zip);
  expect((await app.as('operator').post(`/operations/imports/${importId}/retry`)).status).toBe(202);
  await expect.poll(() => statusOf(app, vendor, importId), { timeout: 30_000 }).toBe('succeeded');
  await worker.stop();
});

test('an import that the queue hands out no more, because its workers died, fails and says so', async ({
  app,
  vendor,
}) => {
  const { importId } = await storeImport(app, vendor);
  const actor = openActor(app);
  await failTakenOver(contextOf(app, actor), { importId, retries: 0 });
  await actor.database.destroy();
  const row = await findImport(app.api.database, null, importId);
  expect(row).toMatchObject({ status: 'failed', failure: { step: 'queued', attempts: 1 } });
  expect(row?.failure?.cause).toContain('workers that ran it died');
});

test('a dismissed import leaves the list and the alert, stays failed for its vendor, and can be retried', async ({
  app,
  vendor,
}) => {
  const importId = await addFailed(app, vendor);
  const before = await countFailed(app);
  expect(await listOf(app, vendor)).toContain(importId);
  const dismiss = () => app.as('operator').post(`/operations/imports/${importId}/dismiss`);
  const [first, second] = [await dismiss(), await dismiss()];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body.dismissedAt).toBe(first.body.dismissedAt);
  expect(await listOf(app, vendor)).not.toContain(importId);
  expect(await countFailed(app)).toBe((before ?? 0) - 1);
  expect(await statusOf(app, vendor, importId)).toBe('failed');
  const log = await app.as(vendor).get('/auditLog?limit=200');
  const entries = (log.body.items as { action: string; targetId: string }[]).filter(
    ({ action, targetId }) => targetId === importId && action === 'import.dismissed',
  );
  expect(entries).toHaveLength(1);

  const retried = await app.as('operator').post(`/operations/imports/${importId}/retry`);
  expect([retried.status, retried.body.dismissedAt]).toEqual([202, null]);
  const again = await dismiss();
  expect([again.status, again.body.type]).toEqual([409, '/problems/import-not-failed']);
  expect((await app.as('operator').post(`/operations/imports/${randomUUID()}/dismiss`)).status).toBe(404);
});

test('all failed imports of a filter are retried, but not those that were dismissed or whose upload is gone', async ({
  app,
  vendor,
}) => {
  const other = await app.organization();
  const [importId, dismissed, gone, ofOther] = [
    await addFailed(app, vendor),
    await addFailed(app, vendor),
    await addFailed(app, vendor),
    await addFailed(app, other),
  ];
  await app.as('operator').post(`/operations/imports/${dismissed}/dismiss`);
  await app.api.database('imports').where({ id: gone }).update({ archiveKey: null });
  const retry = (query: string) => app.as('operator').post(`/operations/imports/retry?${query}`);
  expect((await retry(`organizationId=${vendor.id}&step=writing`)).body).toEqual({ retried: 0 });
  const { status, body } = await retry(`organizationId=${vendor.id}&step=reading`);
  expect([status, body.retried >= 1]).toEqual([202, true]);
  const statuses = await Promise.all([importId, dismissed, gone].map((each) => statusOf(app, vendor, each)));
  expect(statuses).toEqual(['queued', 'failed', 'failed']);
  expect(await statusOf(app, other, ofOther)).toBe('failed');
  const log = await app.as(vendor).get('/auditLog?limit=200');
  expect(log.body.items).toContainEqual(
    expect.objectContaining({ action: 'import.retried', targetId: importId }),
  );
  // Its job comes from the sweep.
  await passTime(app, importId);
  const worker = await app.startWorker();
  await expect.poll(() => statusOf(app, vendor, importId), { timeout: 30_000 }).toBe('succeeded');
  await worker.stop();
});

test('the list is the same after the queue is emptied, and its imports can be retried', async ({
  app,
  vendor,
}) => {
  const importId = await addFailed(app, vendor);
  const [list, count] = [await listOf(app, vendor), await countFailed(app)];
  for (const lane of Object.values(app.api.queue.lanes)) await lane.obliterate({ force: true });
  expect([await listOf(app, vendor), await countFailed(app)]).toEqual([list, count]);
  const worker = await app.startWorker();
  expect((await app.as('operator').post(`/operations/imports/${importId}/retry`)).status).toBe(202);
  await expect.poll(() => statusOf(app, vendor, importId), { timeout: 30_000 }).toBe('succeeded');
  await worker.stop();
});
