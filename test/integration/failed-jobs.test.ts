import { expect, vi } from 'vitest';
import { ImportModel } from '../../shared/db/models.ts';
import { collectGarbage } from '../../worker/collect-garbage.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import { sessionCookie } from '../support/session-cookie.ts';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const KEPT = 3;
const settings = { MAX_FAILED_JOBS: `${KEPT}`, PORTAL_CLIENT_ID: 'module-portal' };
const test = serviceTest({ worker: false, settings });

/** Imports so many packages whose uploads the storage loses, each with one attempt; resolves when all have failed. */
async function failImports(
  app: TestApp,
  vendor: TestOrganization,
  count: number,
): Promise<readonly string[]> {
  const zip = samplePackage(app.api.catalogue);
  const queue = app.api.queue.lanes.regular;
  const importIds: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { body } = await app.importPackage(vendor, zip, { headers: { Prefer: 'respond-async' } });
    const importId = body.importId as string;
    importIds.push(importId);
    const row = await ImportModel.query(app.api.database).findById(importId);
    await app.api.storage.remove(row?.archiveKey ?? '');
    await app.api.queue.removeJob({ importId, retries: 0 });
    await queue.add('import-module', { importId, retries: 0 }, { jobId: importId, attempts: 1 });
  }
  const worker = await app.startWorker();
  const failed = () =>
    ImportModel.query(app.api.database).findByIds(importIds).where({ status: 'failed' }).resultSize();
  await expect.poll(failed, { timeout: 30_000 }).toBe(count);
  // The job ends after its row. Jobs of other tests may wait for another attempt.
  const unfinished = async () => {
    const states = importIds.map((importId) => app.api.queue.jobState({ importId, retries: 0 }));
    return (await Promise.all(states)).filter((state) => state !== 'failed' && state !== 'unknown');
  };
  await expect.poll(unfinished).toEqual([]);
  await worker.stop();
  return importIds;
}

test('the queue keeps so many failed jobs and no others, the database all, and each can be retried', async ({
  app,
  vendor,
}) => {
  const importIds = await failImports(app, vendor, 2 * KEPT);
  await collectGarbage(app.api);
  const { failed } = await app.api.queue.countJobs();
  expect(failed).toBe(KEPT);
  const list = await app.as('operator').pages<{ importId: string }>('/operations/imports?status=failed');
  expect(list.map(({ importId }) => importId)).toEqual(expect.arrayContaining([...importIds]));
  expect(await app.api.queue.lanes.regular.getCompletedCount()).toBe(0);

  // The job of the first is gone, that of the last is not.
  const worker = await app.startWorker();
  for (const importId of [importIds[0] ?? '', importIds.at(-1) ?? '']) {
    const row = await ImportModel.query(app.api.database).findById(importId);
    await app.api.storage.put(row?.archiveKey ?? '', samplePackage(app.api.catalogue));
    const answer = await app.as('operator').post(`/operations/imports/${importId}/retry`);
    expect(answer.status, answer.text).toBe(202);
    const read = async () => (await app.as(vendor).get(`/imports/${importId}`)).body.status as string;
    await expect.poll(read, { timeout: 20_000 }).toBe('succeeded');
  }
  expect((await app.api.queue.countJobs())['failed']).toBe(KEPT - 1);
  await worker.stop();
});

test('failed jobs are kept for a week', async ({ app, vendor }) => {
  await failImports(app, vendor, 1);
  const countAfter = async (days: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 });
    await app.api.queue.trimFailed().finally(() => vi.useRealTimers());
    return (await app.api.queue.countJobs())['failed'];
  };
  expect(await countAfter(6)).toBeGreaterThan(0);
  expect(await countAfter(8)).toBe(0);
});

test('a retry at the dashboard is refused when the upload is gone, and a retry of all skips it', async () => {
  // A service of its own: a retry of all is one of the other tests' imports too.
  const app = await startTestApp({ worker: false, settings });
  const vendor = await app.organization();
  const [importId = ''] = await failImports(app, vendor, 1);
  await ImportModel.query(app.api.database).findById(importId).patch({ archiveKey: null });
  const Cookie = await sessionCookie(app, await app.bearer({ operator: true }));
  const put = (path: string) =>
    app.fetch(`/queues/api/queues/import-module/${path}`, {
      method: 'PUT',
      headers: { Cookie, Origin: app.url },
    });
  const one = await put(`${importId}/retry`);
  expect([one.status, one.body.type]).toEqual([409, '/problems/import-not-retryable']);
  expect(one.body.detail).toContain('no longer stored');
  const all = await put('retry/failed');
  expect(all.body).toMatchObject({ skipped: expect.any(Number) as number });
  expect((await ImportModel.query(app.api.database).findById(importId))?.status).toBe('failed');
  expect((await put('unknown/retry')).status).toBe(404);
  await app.stop();
});
