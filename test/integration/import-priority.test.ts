import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, vi } from 'vitest';
import { findImport } from '../../shared/db/imports/imports.ts';
import { lockModule } from '../../shared/db/modules/registry-state.ts';
import { contextOf, openActor, storeGroup } from '../support/import-actors.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import { holdTransaction } from '../support/held-lock.ts';
import { sweepImports } from '../../worker/maintenance/sweep-imports.ts';

const BACKLOG = 24;
/** An organization's imports at once that have the regular lane. */
const REGULAR = 8;
const test = serviceTest({ worker: false, settings: { WORKER_CONCURRENCY: '1' } });
const testOfSweep = serviceTest({ worker: false });
// An import that waits for a lock keeps its connection.
const testOfSlots = serviceTest({
  settings: { WORKER_CONCURRENCY: String(2 * REGULAR), DATABASE_POOL_SIZE: '40' },
});

/** Uploads a package without waiting for its import. */
async function queueImport(app: TestApp, vendor: TestOrganization, moduleId?: string): Promise<string> {
  const headers = { Prefer: 'respond-async' };
  const zip = samplePackage(app.api.catalogue, { descriptor: { moduleId } });
  const { body } = await app.importPackage(vendor, zip, { headers });
  return String(body.importId);
}

test('the backlog of one organization does not delay the imports of another; its own stay in order', async ({
  app,
}) => {
  const [busy, other] = [await app.organization(), await app.organization()];
  const backlog: string[] = [];
  // The clock stands still: they are queued at once, however long that takes.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(Date.now() - performance.timeOrigin);
  onTestFinished(() => clock.mockRestore());
  while (backlog.length < BACKLOG) backlog.push(await queueImport(app, busy));
  clock.mockRestore();
  const isBulk = async (importId: string) => (await app.api.queue.lanes.bulk.getJob(importId)) !== undefined;
  const areBulk = await Promise.all(backlog.map(isBulk));
  expect(areBulk).toEqual(backlog.map((_, index) => index >= REGULAR));
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
  for (const lane of [true, false]) {
    const ofLane = starts.filter((_, index) => areBulk[index] === lane);
    expect(ofLane).toEqual(ofLane.toSorted((a, b) => a - b));
  }
  expect(lateStart).toBeLessThan(starts.at(-1) ?? 0);
});

testOfSweep(
  'the sweep requeues the lost imports of an organization with the priorities of as many uploads at once',
  async ({ app }) => {
    const actor = openActor(app);
    onTestFinished(() => actor.database.destroy());
    const busy = await storeGroup(app, await app.organization(), BACKLOG);
    const other = await storeGroup(app, await app.organization(), 1);
    expect(await sweepImports(contextOf(app, actor), -1_000)).toBe(BACKLOG + 1);
    const { regular, bulk } = app.api.queue.lanes;
    const priorityOf = async (importId: string) =>
      (await regular.getJob(importId))?.priority ?? (await bulk.getJob(importId))?.priority;
    const priorities = await Promise.all(busy.importIds.map(priorityOf));
    const expected = busy.importIds.map((_, index) => Math.floor(index / REGULAR));
    expect(priorities.toSorted()).toEqual(expected);
    expect(await Promise.all(other.importIds.map(priorityOf))).toEqual([0]);
  },
);

testOfSlots(
  'an organization cannot hold all slots of the workers, however long its imports take',
  async ({ app }) => {
    const [busy, other] = [await app.organization(), await app.organization()];
    const moduleId = randomUUID();
    expect(
      (await app.importPackage(busy, samplePackage(app.api.catalogue, { descriptor: { moduleId } }))).status,
    ).toBe(200);
    // Imports of the module wait for this lock, each in a slot of its own.
    const blocker = await holdTransaction(app.api.database);
    await lockModule(blocker, moduleId);
    const waiting: string[] = [];
    while (waiting.length < BACKLOG) waiting.push(await queueImport(app, busy, moduleId));
    const running = async () => (await app.api.queue.countJobs())['active'];
    await expect.poll(running).toBeGreaterThanOrEqual(2 * REGULAR - 1);
    expect(await app.importPackage(other, samplePackage(app.api.catalogue))).toMatchObject({ status: 200 });
    await blocker.rollback();
    for (const importId of waiting) {
      const status = async () => (await findImport(app.api.database, null, importId))?.status;
      await expect.poll(status).toMatch(/succeeded|rejected/u);
    }
  },
);
