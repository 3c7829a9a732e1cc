import { afterAll, beforeAll, expect, test } from 'vitest';
import { retryImport } from '../../api/operations/failed-import-endpoints.ts';
import { ProblemError } from '../../api/http/problem.ts';
import { ImportModel } from '../../shared/db/imports/models.ts';
import type { Storage } from '../../shared/storage/storage.ts';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { importModule } from '../../worker/import/import-module.ts';
import { sweepImports } from '../../worker/maintenance/sweep-imports.ts';
import { failImport } from '../support/fail-import.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import {
  atDeadline,
  contextOf,
  openActor,
  runImport,
  startsOn,
  storeImport,
  type Actor,
} from '../support/import-actors.ts';
import { chosenSteps, StepGate } from '../support/step-gate.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

const ORDERS = ['first', 'second'] as const;
type Order = (typeof ORDERS)[number];

let app: TestApp;
let vendor: TestOrganization;
let first: Actor;
let second: Actor;

beforeAll(async () => {
  app = await startTestApp({ worker: false, settings: { UPLOAD_RETENTION_DAYS: '0' } });
  vendor = await app.organization();
  first = openActor(app);
  second = openActor(app);
});

afterAll(async () => {
  await first.database.destroy();
  await second.database.destroy();
  await app.stop();
});

async function readRow(importId: string): Promise<ImportModel> {
  const row = await ImportModel.query(app.api.database).findById(importId);
  if (row === undefined) throw new Error('the import has no row');
  return row;
}

/** Counts the steps of what an actor does. */
async function stepsOf(actor: Actor, act: () => Promise<unknown>): Promise<number> {
  actor.gate = new StepGate(0);
  await act();
  return actor.gate.steps;
}

interface Started {
  readonly gate: StepGate;
  readonly ended: Promise<unknown>;
}

/** Starts what an actor does, and pauses it before its step of this number. */
async function pauseAt(actor: Actor, step: number, act: () => Promise<unknown>): Promise<Started> {
  actor.gate = new StepGate(step);
  const started = { gate: actor.gate, ended: act() };
  await Promise.race([started.gate.reached, started.ended]);
  return started;
}

async function finish(pair: readonly [Started, Started], order: Order): Promise<void> {
  for (const { gate, ended } of order === 'first' ? pair : pair.toReversed()) {
    gate.open();
    await ended;
  }
}

/** A storage from which nothing can be read. */
function brokenStorage(storage: Storage): Storage {
  const fail = async () => {
    await storage.check();
    throw new Error('the storage is broken');
  };
  return { ...storage, check: () => storage.check(), read: fail, stream: fail };
}

/** The last attempt of a job, which fails: its worker cannot read the storage. */
function runFailing(importId: string): Promise<boolean> {
  const context = contextOf(app, first);
  return runImport({ ...context, storage: brokenStorage(context.storage) }, importId, { attempts: 1 });
}

const runHealthy = (importId: string, retries = 0) =>
  runImport(contextOf(app, second), importId, { retries, attempts: 1 });

test.each(ORDERS)(
  'an attempt that fails for the last time at whatever step never fails the import that another has taken over; the %s ends first',
  async (order) => {
    const failingSteps = await stepsOf(first, async () =>
      runFailing((await storeImport(app, vendor)).importId),
    );
    const healthySteps = await stepsOf(second, async () =>
      runHealthy((await storeImport(app, vendor)).importId),
    );
    expect([failingSteps >= 2, healthySteps >= 3]).toEqual([true, true]);
    // Before its first step the failing attempt has not started: it would be the one that takes over.
    for (let failingStep = 2; failingStep <= failingSteps; failingStep += 1)
      for (let healthyStep = 2; healthyStep <= healthySteps; healthyStep += 1) {
        const { importId } = await storeImport(app, vendor);
        const failing = await pauseAt(first, failingStep, () => runFailing(importId));
        const healthy = await pauseAt(second, healthyStep, () => runHealthy(importId));
        await finish([failing, healthy], order);
        const situation = `failing at step ${failingStep}, healthy at ${healthyStep}`;
        expect(await readRow(importId), situation).toMatchObject({ status: 'succeeded', failedAt: null });
      }
  },
);

test('a last attempt that cannot even start does not fail the import that another attempt runs', async () => {
  const { importId } = await storeImport(app, vendor);
  const healthy = await pauseAt(second, 2, () => runHealthy(importId));
  const context = contextOf(app, first);
  const broken = openActor(app);
  await broken.database.destroy();
  const job = { importId, retries: 0 };
  const starting = importModule(atDeadline({ ...context, ...startsOn(broken.database) }), job);
  await expect(starting).rejects.toThrow('the attempt failed');
  expect((await readRow(importId)).status).toBe('running');
  healthy.gate.open();
  await healthy.ended;
  expect((await readRow(importId)).status).toBe('succeeded');
});

test.each(ORDERS)(
  "the queue's report that a job failed never fails an operator's retry, whatever its step; the %s ends first",
  async (order) => {
    const steps = await stepsOf(second, async () => runHealthy((await storeImport(app, vendor)).importId));
    for (let step = 1; step <= steps; step += 1) {
      const { importId } = await storeImport(app, vendor);
      await runFailing(importId);
      expect((await readRow(importId)).status).toBe('failed');
      first.gate = new StepGate(0);
      const report = await pauseAt(first, 1, () => failImport(first.database, importId));
      await retryImport(app.api, importId, FIXTURE_ACTOR);
      const retry = await pauseAt(second, step, () => runHealthy(importId, 1));
      await finish([report, retry], order);
      expect((await readRow(importId)).status, `retry at step ${step}`).toBe('succeeded');
    }
  },
);

test.each(ORDERS)(
  'a retry at every step of a collection is refused, or keeps the upload until its end; the %s ends first',
  async (order) => {
    const addFailed = async () => {
      const stored = await storeImport(app, vendor);
      await failImport(app.api.database, stored.importId);
      return stored;
    };
    const retry = (importId: string) =>
      retryImport({ ...app.api, database: second.database }, importId, FIXTURE_ACTOR).then(
        () => 'accepted',
        (error: unknown) => (error instanceof ProblemError ? error.message : Promise.reject(error as Error)),
      );
    const collect = () => collectGarbage(contextOf(app, first), 0);
    await addFailed();
    const collectionSteps = await stepsOf(first, collect);
    expect(collectionSteps).toBeGreaterThan(8);
    for (let step = 1; step <= collectionSteps; step += 1)
      for (const retryStep of chosenSteps(step, collectionSteps, [0, 1, 2])) {
        const { importId, archiveKey, zip } = await addFailed();
        const collecting = await pauseAt(first, step, collect);
        let answer = '';
        const retrying = await pauseAt(second, retryStep, async () => {
          answer = await retry(importId);
        });
        await finish([collecting, retrying], order);
        const situation = `collection at step ${step}, retry at ${retryStep}`;
        if (answer === 'accepted') {
          await collectGarbage(app.api, 0);
          expect((await app.api.storage.read(archiveKey, 0, zip.length)).equals(zip), situation).toBe(true);
          expect(await runHealthy(importId, 1), situation).toBe(true);
          expect((await readRow(importId)).status, situation).toBe('succeeded');
        } else {
          expect(answer, situation).toContain('no longer stored');
          expect(await readRow(importId), situation).toMatchObject({ status: 'failed', archiveKey: null });
        }
      }
  },
);

test('a retry whose job the queue lost is queued by the sweep, and earlier failed jobs do not hide it', async () => {
  const { importId } = await storeImport(app, await app.organization());
  const queue = app.api.queue.lanes.regular;
  await failImport(app.api.database, importId);
  await retryImport(app.api, importId, FIXTURE_ACTOR);
  await app.api.queue.removeJob({ importId, retries: 1 });
  await queue.add('import-module', { importId, retries: 0 }, { jobId: importId, attempts: 1 });
  await sweepImports(contextOf(app, first), 0);
  expect(await app.api.queue.jobState({ importId, retries: 1 })).toBe('waiting');
  await app.api.queue.removeJob({ importId, retries: 0 });
  await app.api.queue.removeJob({ importId, retries: 1 });
});
