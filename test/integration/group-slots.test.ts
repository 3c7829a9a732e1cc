import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { findImport } from '../../shared/db/imports/imports.ts';
import { openWorker, type GroupRun } from '../../shared/queue/import-worker.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ settings: { WORKER_CONCURRENCY: '2' } });
const testWithoutWorker = serviceTest({ worker: false });
/** The regular lane runs this many imports at once, the other half as many. */
const AT_ONCE = 2 + 1;
/** Too long to be validated outside of a thread. */
const LONG_TERMS = '# Terms\n\nThe soil is yours.\n'.repeat(1_000);

test('imports of groups take slots of a worker as others do, and none is refused what they share', async ({
  app,
  vendor,
}) => {
  const zips = Array.from({ length: 24 }, () =>
    samplePackage(app.api.catalogue, {
      files: { 'ModuleToS/terms.md': LONG_TERMS + randomBytes(8).toString('hex') },
    }),
  );
  const answers = await Promise.all(zips.map(async (zip) => app.importPackage(vendor, zip)));
  expect(answers.map(({ status }) => status)).toEqual(zips.map(() => 200));
  const rows = await Promise.all(
    answers.map(async ({ body }) => findImport(app.api.database, vendor.id, String(body.importId))),
  );
  expect(rows.some((row) => row?.groupId !== null)).toBe(true);
  expect(rows.map((row) => row?.failure)).toEqual(rows.map(() => null));
  const times = rows.map((row) => [row?.startedAt?.getTime() ?? 0, row?.finishedAt?.getTime() ?? 0] as const);
  const running = times.map(([at]) => times.filter(([from, to]) => from <= at && at < to).length);
  expect(Math.max(...running)).toBeLessThanOrEqual(AT_ONCE);
});

testWithoutWorker(
  'a group may run its imports at the first start of its job alone, and keeps its priority',
  async ({ app }) => {
    const starts: (readonly [boolean, number])[] = [];
    const handlers = {
      run: () => Promise.resolve(),
      exhausted: () => Promise.resolve(),
      runGroup(_group: unknown, { mayStart, priority }: GroupRun) {
        starts.push([mayStart(), priority]);
        return starts.length === 1
          ? Promise.reject(new Error('the queue cannot be reached'))
          : Promise.resolve();
      },
    };
    const worker = openWorker(app.api.queueConnection, 1, handlers, app.api.log);
    onTestFinished(async () => {
      await worker.close(10_000);
    });
    await worker.ready();
    worker.start();
    await app.api.queue.addImport({ groupId: randomUUID(), importIds: [randomUUID()] }, 3);
    await expect
      .poll(() => starts, { timeout: 30_000 })
      .toEqual([
        [true, 3],
        [false, 3],
      ]);
  },
);

testWithoutWorker(
  'a worker runs each job before it fetches the next, and as many at once as it may',
  async ({ app }) => {
    const [atOnce, jobs] = [6, 10];
    const starts: number[] = [];
    const release = new AbortController();
    const released = once(release.signal, 'abort');
    let ended = 0;
    const handlers = {
      async run() {
        starts.push(Date.now());
        await released;
        ended += 1;
      },
      exhausted: () => Promise.resolve(),
      runGroup: () => Promise.resolve(),
    };
    for (let job = 0; job < jobs; job += 1)
      await app.api.queue.addImport({ importId: randomUUID(), retries: 0 });
    const worker = openWorker(app.api.queueConnection, atOnce, handlers, app.api.log);
    onTestFinished(async () => {
      await worker.close(10_000);
    });
    await worker.ready();
    worker.start();
    await expect.poll(() => starts.length).toBe(atOnce);
    const fetched = (await app.api.queue.lanes.regular.getActive()).map(({ processedOn = 0 }) => processedOn);
    // Round trips lie between the first start and the last fetch. BullMQ alone fetches them all before the first start.
    expect(Math.max(...fetched)).toBeGreaterThanOrEqual(starts[0] ?? Infinity);
    expect(await app.api.queue.countJobs()).toMatchObject({ active: atOnce, waiting: jobs - atOnce });
    release.abort();
    await expect.poll(() => ended).toBe(jobs);
  },
);
