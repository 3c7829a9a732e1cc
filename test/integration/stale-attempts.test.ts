import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startImports } from '../../shared/db/imports/attempts.ts';
import { findImport } from '../../shared/db/imports/imports.ts';
import { requeueImport } from '../../shared/db/imports/failed-imports.ts';
import { failImport } from '../support/fail-import.ts';
import { importSample } from '../support/import-sample.ts';
import { samplePackage, type SampleOptions } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';

let app: TestApp;
let vendor: TestOrganization;
let importId: string;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  vendor = await app.organization();
});

beforeEach(async () => {
  importId = await queueImport();
});

afterAll(() => app.stop());

/** Uploads a package while no worker runs. */
async function queueImport(options?: SampleOptions): Promise<string> {
  const headers = { Prefer: 'respond-async' };
  const { body } = await app.importPackage(vendor, samplePackage(app.api.catalogue, options), { headers });
  return body.importId as string;
}

const statusOf = async () => (await findImport(app.api.database, vendor.id, importId))?.status;

test('an attempt that was taken over does not fail the import; the current one does', async () => {
  const { database } = app.api;
  const [stale, running] = [randomUUID(), randomUUID()];
  await startImports(database, [{ importId, retries: 0, runId: stale }]);
  await startImports(database, [{ importId, retries: 0, runId: running }]);
  expect(await failImport(database, importId, { runId: stale })).toBeNull();
  expect(await statusOf()).toBe('running');
  expect(await failImport(database, importId, { runId: running })).toBe('failed');
  expect(await statusOf()).toBe('failed');
});

/** Fails the import as its first attempt and its first job, and retries it as an operator. */
async function failAndRetry(): Promise<string> {
  const { database } = app.api;
  const runId = randomUUID();
  await startImports(database, [{ importId, retries: 0, runId }]);
  await failImport(database, importId, { runId });
  expect(await requeueImport(database, importId, FIXTURE_ACTOR)).toMatchObject({
    status: 'queued',
    retries: 1,
  });
  return runId;
}

test.each(['queued', 'running'] as const)(
  "earlier attempts and jobs neither fail nor start an operator's retry that is %s",
  async (status) => {
    const { database } = app.api;
    const runId = await failAndRetry();
    if (status === 'running') await startImports(database, [{ importId, retries: 1, runId: randomUUID() }]);
    expect(await failImport(database, importId, { runId })).toBeNull();
    expect(await failImport(database, importId)).toBeNull();
    expect(await startImports(database, [{ importId, retries: 0, runId: randomUUID() }])).toEqual([null]);
    expect(await statusOf()).toBe(status);
  },
);

test('an import that failed does not start again unless an operator retries it', async () => {
  const { database } = app.api;
  await failImport(database, importId);
  expect(await startImports(database, [{ importId, retries: 0, runId: randomUUID() }])).toEqual([null]);
  expect(await statusOf()).toBe('failed');
});

test('an import that the queue failed before an attempt started is failed', async () => {
  expect(await failImport(app.api.database, importId)).toBe('failed');
  expect(await statusOf()).toBe('failed');
});

test('an import that was accepted before its module was deleted does not restore it', async () => {
  const worker = await app.startWorker();
  const moduleId = await importSample(app, vendor);
  await worker.stop();
  importId = await queueImport({ descriptor: { moduleId, component: 'late' } });
  expect((await app.as(vendor).delete(`/modules/${moduleId}`)).status).toBe(204);
  const second = await app.startWorker();
  await expect.poll(statusOf, { timeout: 30_000 }).toBe('rejected');
  const row = await findImport(app.api.database, vendor.id, importId);
  expect(row?.errors.map(({ code }) => code)).toEqual(['registry-superseded']);
  expect((await app.as(vendor).get(`/modules/${moduleId}`)).status).toBe(404);
  const again = samplePackage(app.api.catalogue, { descriptor: { moduleId } });
  expect((await app.importPackage(vendor, again)).body).toMatchObject({
    outcome: 'created',
    moduleId,
    revision: 2,
  });
  // Other tests decide themselves when an attempt starts.
  await second.stop();
});
