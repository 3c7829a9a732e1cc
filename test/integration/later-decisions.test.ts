import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { freeExpiredArchives } from '../../shared/db/imports/freed-archives.ts';
import { failImport } from '../support/fail-import.ts';
import { importSample, importThrice } from '../support/import-sample.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import { withWorker } from '../support/with-worker.ts';

/** Imports run when a test starts a worker. */
const test = serviceTest({ worker: false });

/** A module with three revisions, and an import of another that waits. */
async function makeWaiting(app: TestApp, vendor: TestOrganization) {
  const moduleId = await withWorker(app, () => importThrice(app, vendor));
  const zip = samplePackage(app.api.catalogue, { descriptor: { moduleId, component: randomUUID() } });
  const { body } = await app.importPackage(vendor, zip, { headers: { Prefer: 'respond-async' } });
  return { moduleId, importId: String(body.importId) };
}

/** Runs the import that waits; returns it when it has ended. */
async function runToEnd(app: TestApp, vendor: TestOrganization, importId: string) {
  const worker = await app.startWorker();
  onTestFinished(() => worker.stop());
  const read = async () =>
    (await app.as(vendor).get(`/imports/${importId}`)).body as {
      status: string;
      warnings: { code: string; detail: string }[];
    };
  await expect.poll(async () => (await read()).status).toMatch(/succeeded|rejected|failed/);
  return read();
}

const release = (app: TestApp, vendor: TestOrganization, moduleId: string, ring?: object) =>
  app.as(vendor).post(`/modules/${moduleId}/revisions/1/release`, ring);

const STAGED = { status: 'succeeded', revision: 4, released: false };
const codesOf = (warnings: readonly { readonly code: string }[]) => warnings.map(({ code }) => code);

test('an import that waits while the module is rolled back is staged, and says so', async ({
  app,
  vendor,
}) => {
  const { moduleId, importId } = await makeWaiting(app, vendor);
  expect((await release(app, vendor, moduleId)).status).toBe(200);
  const ended = await runToEnd(app, vendor, importId);
  expect(ended).toMatchObject(STAGED);
  expect(codesOf(ended.warnings)).toContain('registry-revision-not-released');
  expect((await app.as(vendor).get(`/modules/${moduleId}/releases`)).body).toMatchObject({
    currentRevision: 1,
  });
});

test('an import that waits while a revision is released to a ring is staged', async ({ app, vendor }) => {
  const { moduleId, importId } = await makeWaiting(app, vendor);
  const ring = { organizationIds: [randomUUID()] };
  expect((await release(app, vendor, moduleId, ring)).status).toBe(200);
  const ended = await runToEnd(app, vendor, importId);
  expect(ended).toMatchObject(STAGED);
  expect(codesOf(ended.warnings)).toContain('registry-revision-not-released');
});

test('a failed import that an operator retries after a roll-back is staged', async ({ app, vendor }) => {
  const { moduleId, importId } = await makeWaiting(app, vendor);
  await failImport(app.api.database, importId);
  expect((await release(app, vendor, moduleId)).status).toBe(200);
  expect((await app.as('operator').post(`/operations/imports/${importId}/retry`)).status).toBe(202);
  const ended = await runToEnd(app, vendor, importId);
  expect(ended).toMatchObject(STAGED);
  expect(codesOf(ended.warnings)).toContain('registry-revision-not-released');
});

test('the advice of a staged import releases it, and later imports are released by themselves', async ({
  app,
  vendor,
}) => {
  const { moduleId, importId } = await makeWaiting(app, vendor);
  await release(app, vendor, moduleId);
  const ended = await runToEnd(app, vendor, importId);
  const [, path = ''] = /POST (\S+)\.$/.exec(ended.warnings.at(-1)?.detail ?? '') ?? [];
  const released = await app.fetch(path, { method: 'POST', headers: { Authorization: vendor.admin } });
  expect([released.status, released.body.currentRevision]).toEqual([200, 4]);
  const answer = await app.importPackage(
    vendor,
    samplePackage(app.api.catalogue, { descriptor: { moduleId, component: randomUUID() } }),
  );
  expect(answer.body).toMatchObject({ revision: 5, released: true });
});

test('an import that waits while the module is put into quarantine is staged, also after its end', async ({
  app,
  vendor,
}) => {
  const { moduleId, importId } = await makeWaiting(app, vendor);
  const path = `/operations/modules/${moduleId}/quarantine`;
  expect((await app.as('operator').post(path, { reason: 'a reason' })).status).toBe(200);
  expect((await app.as('operator').delete(path)).status).toBe(204);
  expect(await runToEnd(app, vendor, importId)).toMatchObject(STAGED);
});

test('an import that waits while the module is deleted is rejected', async ({ app, vendor }) => {
  const { moduleId, importId } = await makeWaiting(app, vendor);
  expect((await app.as(vendor).delete(`/modules/${moduleId}`)).status).toBe(204);
  expect(await runToEnd(app, vendor, importId)).toMatchObject({
    status: 'rejected',
    errors: [{ code: 'registry-superseded' }],
  });
});

test('an import can be retried for the days after its first failure, however often it has failed since', async ({
  app,
  vendor,
}) => {
  const { database } = app.api;
  const { importId } = await makeWaiting(app, vendor);
  const retry = async () => (await app.as('operator').post(`/operations/imports/${importId}/retry`)).status;
  await failImport(database, importId);
  await freeExpiredArchives(database, 7);
  expect(await retry()).toBe(202);
  await database.raw("update imports set failed_at = failed_at - interval '7 days' where id = ?", [importId]);
  await failImport(database, importId, { retries: 1 });
  await freeExpiredArchives(database, 7);
  expect(await retry()).toBe(409);
});

test('what was public of a deleted module stays deleted where it is imported anew', async ({
  app,
  vendor,
}) => {
  const files = { 'PackageArtifact/build/index.html': 'the first revision' };
  const descriptor = { moduleId: randomUUID() };
  await withWorker(app, () => importSample(app, vendor, { descriptor, files }));
  const { moduleId } = descriptor;
  const record = `/api/v8.0/publicationRecords/${moduleId}?revision=1`;
  const seen = async () => [
    (await app.fetchApplication(moduleId, '/1/index.html')).status,
    (await app.fetch(record)).status,
  ];
  expect(await seen()).toEqual([200, 200]);
  expect((await app.as(vendor).delete(`/modules/${moduleId}`)).status).toBe(204);
  // Within a second.
  await expect.poll(seen).toEqual([404, 404]);
  await withWorker(app, () =>
    app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor }), { query: '?release=staged' }),
  );
  expect((await app.as(vendor).get(`/modules/${moduleId}`)).status).toBe(200);
  expect(await seen()).toEqual([404, 404]);
});
