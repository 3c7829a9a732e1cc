import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { RunningWorker } from '../../worker/run-worker.ts';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { holdTransaction } from '../support/held-lock.ts';

const DEADLINE_SECONDS = 3_600;

let app: TestApp;
let worker: RunningWorker;
let vendor: TestOrganization;

beforeAll(async () => {
  const config = { imports: { stepSeconds: 1, deadlineSeconds: DEADLINE_SECONDS } };
  app = await startTestApp({ config, worker: false });
  worker = await app.startWorker();
  vendor = await app.organization();
});

afterAll(() => app.stop());

/** Makes every writer of a module wait until the transaction ends. */
async function lockModules(): Promise<Knex.Transaction> {
  const transaction = await holdTransaction(app.api.database);
  await transaction.raw('lock table module_revisions in share mode');
  return transaction;
}

/** On a busy machine a second may not be enough for an attempt that should succeed. */
function allowLongSteps(): void {
  const { context } = worker;
  const { config } = context;
  Object.assign(context, { config: { ...config, imports: { ...config.imports, stepSeconds: 600 } } });
  onTestFinished(() => void Object.assign(context, { config }));
}

/** Lets the time pass for an import that has started. Returns whether one has. */
async function passDeadline(): Promise<boolean> {
  const started = app.api.database('imports').where({ organizationId: vendor.id, status: 'running' });
  const startedAt = app.api.database.raw("now() - ? * interval '1 second'", [DEADLINE_SECONDS]);
  return (await started.update({ startedAt })) > 0;
}

test('an import that exceeds its deadline fails with the reason, stores nothing, and can be retried', async () => {
  const lock = await lockModules();
  const answering = app.importPackage(vendor, samplePackage(app.api.catalogue));
  await expect.poll(passDeadline).toBe(true);
  const answer = await answering;
  expect(answer.status, answer.text).toBe(503);
  // The last attempt may fail otherwise than by its time.
  expect(answer.body.type).toMatch(/^\/problems\/import-(?:deadline-exceeded|failed)$/);
  expect(answer.body.detail).toMatch(
    / within 3600 seconds; it was (?:reading|checking|writing) the package\./,
  );
  await lock.rollback();
  const importId = answer.body.importId as string;
  const read = async () => (await app.as(vendor).get(`/imports/${importId}`)).body as unknown;
  expect(await read()).toMatchObject({ status: 'failed', errorsTotal: 1, moduleId: null });
  allowLongSteps();
  const retry = await app.as('operator').post(`/operations/imports/${importId}/retry`);
  expect(retry.status, retry.text).toBe(202);
  await expect.poll(read).toMatchObject({ status: 'succeeded', errors: [], errorsTotal: 0, revision: 1 });
});

test('a step that exceeds its time is retried', async () => {
  const lock = await lockModules();
  const answer = app.importPackage(vendor, samplePackage(app.api.catalogue));
  const runs = new Set<string>();
  const countRuns = async () => {
    const running = app.api.database('imports').where({ organizationId: vendor.id, status: 'running' });
    for (const { runId } of await running.select<{ runId: string }[]>('runId')) runs.add(runId);
    return runs.size;
  };
  await expect.poll(countRuns).toBeGreaterThan(1);
  await lock.rollback();
  expect((await answer).status).toBe(200);
});
