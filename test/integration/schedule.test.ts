import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Registry } from 'prom-client';
import { addTasks, claimDueTasks } from '../../shared/db/leases.ts';
import { TASK_EVERY_MS } from '../../worker/run-worker.ts';
import { startSchedule } from '../../worker/schedule.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';

// Each test has tasks of its own, and most wait for their times: so they run at once, each with its own `expect`.
const test = serviceTest({ worker: false });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Starts a process that has one task. */
function start({ api }: TestApp, name: string, everyMs: number, run: () => Promise<unknown>) {
  const labelNames = ['task', 'result'] as const;
  const runs = new Counter({ name: 'runs', help: 'Runs.', labelNames, registers: [new Registry()] });
  const stop = startSchedule(api, runs, [{ name, everyMs, run }]);
  return async (maxWaitMs = DAY_MS) => stop(maxWaitMs);
}

async function addDue(app: TestApp, name: string, everyMs = HOUR_MS): Promise<void> {
  await addTasks(app.api.database, [{ name, everyMs }]);
  await makeDue(app, name);
}

async function makeDue({ api: { database } }: TestApp, name: string): Promise<void> {
  await database('leases').where({ name }).update({ dueAt: database.fn.now() });
}

test.concurrent(
  'an hourly task runs when it is due, although no process lives for an hour',
  async ({ app, expect }) => {
    const name = randomUUID();
    let runs = 0;
    const run = () => Promise.resolve((runs += 1));
    const live = async (isDue: boolean) => {
      const expected = runs + (isDue ? 1 : 0);
      const stop = start(app, name, HOUR_MS, run);
      await expect.poll(() => runs, { timeout: 20_000 }).toBe(expected);
      await stop();
      expect(runs).toBe(expected);
    };
    await addDue(app, name);
    await live(true);
    await live(false);
    await live(false);
    await makeDue(app, name);
    await live(true);
    await live(false);
  },
);

test.concurrent('a new task is first due within its interval, not at once', async ({ app, expect }) => {
  const { database } = app.api;
  const tasks = Array.from({ length: 20 }, () => ({ name: randomUUID(), everyMs: HOUR_MS }));
  await addTasks(database, tasks);
  const rows: { dueAt: Date }[] = await database('leases')
    .whereIn(
      'name',
      tasks.map(({ name }) => name),
    )
    .select('dueAt');
  const ahead = rows.map(({ dueAt }) => dueAt.getTime() - Date.now());
  expect(new Set(ahead).size).toBeGreaterThan(1);
  for (const ms of ahead) expect(ms).toBeLessThan(HOUR_MS);
});

test.concurrent('of many processes one runs a task that is due', async ({ app, expect }) => {
  const name = randomUUID();
  let runs = 0;
  const run = () => Promise.resolve((runs += 1));
  await addDue(app, name);
  const stops = Array.from({ length: 8 }, () => start(app, name, HOUR_MS, run));
  await expect.poll(() => runs, { timeout: 20_000 }).toBeGreaterThan(0);
  await Promise.all(stops.map((stop) => stop()));
  expect(runs).toBe(1);
});

test.concurrent(
  'a task whose process died is run by another one when its lease has ended',
  async ({ app, expect }) => {
    const { database } = app.api;
    const task = { name: randomUUID(), leaseMs: 500, everyMs: DAY_MS };
    await addDue(app, task.name, task.everyMs);
    expect(await claimDueTasks(database, randomUUID(), [task])).toEqual([task.name]);
    const [lease] = await database('leases').where({ name: task.name }).select('expiresAt');
    let ranAt = 0;
    const stop = start(app, task.name, DAY_MS, async () => {
      const { rows } = await database.raw<{ rows: { now: Date }[] }>('select clock_timestamp() as now');
      ranAt = rows[0]?.now.getTime() ?? 0;
    });
    await expect.poll(() => ranAt, { timeout: 20_000 }).not.toBe(0);
    expect(ranAt).toBeGreaterThanOrEqual((lease as { expiresAt: Date }).expiresAt.getTime());
    await stop();
  },
);

test.concurrent(
  'a task that runs for longer than its lease is not started a second time',
  async ({ app, expect }) => {
    const name = randomUUID();
    let runs = 0;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const run = () => {
      runs += 1;
      return finished;
    };
    const stops = [start(app, name, 4_000, run), start(app, name, 4_000, run)];
    await expect.poll(() => runs, { timeout: 20_000 }).toBe(1);
    // Twice the lease.
    await sleep(8_000);
    expect(runs).toBe(1);
    finish();
    await Promise.all(stops.map((stop) => stop()));
  },
);

test.concurrent('a task that hangs in one process is run by another one', async ({ app, expect }) => {
  const name = randomUUID();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let hanging = 0;
  const hang = () => {
    hanging += 1;
    return finished;
  };
  const stopFirst = start(app, name, 100, hang);
  await expect.poll(() => hanging, { timeout: 20_000 }).toBe(1);
  let runs = 0;
  const stopSecond = start(app, name, 100, () => Promise.resolve((runs += 1)));
  // Five of the shortest leases, and one that is not extended.
  await expect.poll(() => runs, { timeout: 30_000 }).toBeGreaterThan(0);
  expect(hanging).toBe(1);
  expect(await stopFirst(0)).toBe(false);
  finish();
  await Promise.all([stopFirst(), stopSecond()]);
});

test.concurrent(
  'a task is run although its times were written before the clock of the database was put back',
  async ({ app, expect }) => {
    const { database } = app.api;
    const name = randomUUID();
    await addTasks(database, [{ name, everyMs: HOUR_MS }]);
    const ahead = database.raw("now() + interval '26 hours'");
    let runs = 0;
    for (const column of ['dueAt', 'expiresAt']) {
      await database('leases')
        .where({ name })
        .update({ dueAt: database.fn.now(), expiresAt: database.fn.now(), [column]: ahead });
      const expected = runs + 1;
      const stop = start(app, name, HOUR_MS, () => Promise.resolve((runs += 1)));
      await expect.poll(() => runs, { timeout: 20_000 }).toBe(expected);
      await stop();
    }
  },
);

test.concurrent('a failing task is due again after its time, and keeps no lease', async ({ app, expect }) => {
  const name = randomUUID();
  let runs = 0;
  await addDue(app, name);
  const stop = start(app, name, HOUR_MS, () => {
    runs += 1;
    return Promise.reject(new Error('the task fails'));
  });
  await expect.poll(() => runs, { timeout: 20_000 }).toBe(1);
  await stop();
  const row = await app.api
    .database('leases')
    .where({ name })
    .first<{ dueAt: Date; holder: string | null }>();
  expect(row.holder).toBeNull();
  const waitMs = row.dueAt.getTime() - Date.now();
  expect(waitMs).toBeGreaterThan(0.8 * HOUR_MS);
  expect(waitMs).toBeLessThan(1.2 * HOUR_MS);
});

test.concurrent(
  'garbage is collected by workers that are restarted every second',
  async ({ app, expect }) => {
    const isCollected = async () => {
      const lease = await app.api
        .database('leases')
        .where({ name: 'collect-garbage' })
        .first<{ dueAt: Date } | undefined>();
      return lease !== undefined && lease.dueAt.getTime() > Date.now();
    };
    await addDue(app, 'collect-garbage', TASK_EVERY_MS['collect-garbage']);
    expect(await isCollected()).toBe(false);
    for (let restarts = 0; restarts < 3; restarts += 1) {
      const worker = await app.startWorker();
      await sleep(1_000);
      await worker.stop();
    }
    expect(await isCollected()).toBe(true);
  },
);
