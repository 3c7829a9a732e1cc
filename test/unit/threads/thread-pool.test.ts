import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../shared/config/config.ts';
import { OverRateError } from '../../../shared/limits/fair-rate.ts';
import { ThreadPool } from '../../../shared/threads/thread-pool.ts';
import { threadNumber } from '../../../shared/threads/thread-time.ts';
import { openFileThreads } from '../../../worker/import/file-threads.ts';
import type { SpinTasks } from '../../support/spin-tasks.ts';

/** At this rate, an owner may use 30 ms at once, and waits a second for each more. */
const MS_PER_SECOND = 1;

function openPool(maxTimeWaitMs: number, { maxTaskMs = 60_000, maxElapsedMs = 60_000 } = {}) {
  const pool = new ThreadPool<SpinTasks>({
    resource: 'spins',
    module: new URL('../../support/spin-thread.js', import.meta.url),
    max: 2,
    maxPerOwner: 1,
    maxWaitingPerOwner: 8,
    maxWaitMs: 60_000,
    msPerSecond: MS_PER_SECOND,
    maxTimeWaitMs,
    maxHeapMiB: 64,
    ...{ maxTaskMs, maxElapsedMs },
  });
  onTestFinished(() => pool.close());
  const spin = (owner: string, ms: number) => pool.use(owner, (tasks) => tasks.run('spin', { ms }));
  return { pool, spin };
}

test('an owner that has used up its time is refused, with its time, and others are not', async () => {
  const { pool, spin } = openPool(0);
  expect(await spin('a', 1)).toBe('done');
  expect(await spin('a', 40)).toBe('done');
  await expect(spin('a', 1)).rejects.toThrow(OverRateError);
  expect(() => pool.requireTime('a')).toThrow(OverRateError);
  expect(await spin('b', 1)).toBe('done');
});

test('a task that fails is paid for too', async () => {
  const { pool, spin } = openPool(0);
  await expect(pool.use('a', (tasks) => tasks.run('fail', { ms: 50 }))).rejects.toThrow('failed');
  await expect(spin('a', 1)).rejects.toThrow(OverRateError);
});

const LONG = { ms: 3_600_000 };

test('a task that uses up its processor time ends its thread, and is paid for', async () => {
  const { pool, spin } = openPool(0, { maxTaskMs: 400, maxElapsedMs: 3_600_000 });
  const ended = pool.use('a', (tasks) => tasks.run('spin', LONG));
  await expect(ended).rejects.toMatchObject({ name: 'ThreadEndedError', usedUp: 'time' });
  await expect(spin('a', 1)).rejects.toThrow(OverRateError);
  expect(await spin('b', 1)).toBe('done');
});

test.skipIf(threadNumber() === null)(
  'a task that waits too long for a processor ends its thread, uses up nothing, and is not paid for',
  async () => {
    const { pool, spin } = openPool(0, { maxElapsedMs: 5_000 });
    // Its start is the first task's.
    expect(await spin('b', 1)).toBe('done');
    const ended = pool.use('a', (tasks) => tasks.run('wait', LONG));
    await expect(ended).rejects.toMatchObject({ name: 'ThreadEndedError', usedUp: null });
    expect(() => pool.requireTime('a')).not.toThrow();
  },
);

test('where owners wait for time, one that has used it up keeps no thread from others meanwhile', async () => {
  const { pool, spin } = openPool(60_000);
  await spin('a', 32);
  const order: string[] = [];
  const spinInTurn = (owner: string) =>
    pool.use(owner, async (tasks) => {
      order.push(owner);
      return tasks.run('spin', { ms: 1 });
    });
  const waiting = spinInTurn('a');
  await expect.poll(() => pool.limitUse()).toEqual({ used: 0, waiting: 1, max: 2 });
  await Promise.all([spinInTurn('b'), spinInTurn('c'), waiting]);
  expect(order).toEqual(['b', 'c', 'a']);
  expect(pool.limitUse()).toEqual({ used: 0, waiting: 0, max: 2 });
});

test('a session waits for time no longer than it may, and after those of its owner that wait already', async () => {
  const { pool, spin } = openPool(200);
  await spin('a', 100);
  const waiting = [spin('a', 1), spin('a', 1)];
  await expect.poll(() => pool.limitUse().waiting).toBe(2);
  expect(await spin('b', 1)).toBe('done');
  // Paid for, the work of the first session would take over a minute.
  expect(await Promise.all(waiting)).toEqual(['done', 'done']);
});

test('the imports of one organization that a worker runs at once, in both lanes, all get their turn', async () => {
  const threads = openFileThreads(loadConfig({ WORKER_CONCURRENCY: '16' }));
  onTestFinished(() => threads.close());
  const imports = Array.from({ length: 16 + 8 }, (_, index) => index);
  const ended = imports.map((each) => threads.use('a', () => Promise.resolve(each)));
  expect(await Promise.all(ended)).toEqual(imports);
});
