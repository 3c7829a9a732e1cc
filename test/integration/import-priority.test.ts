import { expect } from 'vitest';
import { findImport } from '../../shared/db/imports/imports.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const BACKLOG = 45;
const test = serviceTest({ worker: false, settings: { WORKER_CONCURRENCY: '1' } });

/** Uploads a package without waiting for its import. */
async function queueImport(app: TestApp, vendor: TestOrganization): Promise<string> {
  const headers = { Prefer: 'respond-async' };
  const { body } = await app.importPackage(vendor, samplePackage(app.api.catalogue), { headers });
  return String(body.importId);
}

test('the backlog of one organization does not delay the imports of another; its own stay in order', async ({
  app,
}) => {
  const [busy, other] = [await app.organization(), await app.organization()];
  const backlog: string[] = [];
  while (backlog.length < BACKLOG) backlog.push(await queueImport(app, busy));
  const late = await queueImport(app, other);
  await app.startWorker();
  const startOf = async (importId: string) => {
    const started = async () => (await findImport(app.api.database, null, importId))?.startedAt ?? null;
    await expect.poll(started).not.toBeNull();
    return (await started())?.getTime() ?? 0;
  };
  const starts: number[] = [];
  for (const importId of backlog) starts.push(await startOf(importId));
  const lateStart = await startOf(late);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  // The first imports of the minute have the same priority as those of others.
  expect([lateStart >= (starts[19] ?? 0), lateStart <= (starts[20] ?? 0)]).toEqual([true, true]);
});
