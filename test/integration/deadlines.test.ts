import { expect, onTestFinished, test } from 'vitest';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

const SHORT = { imports: { stepSeconds: 1, deadlineSeconds: 3 } };

async function startApp(options: Parameters<typeof startTestApp>[0]): Promise<TestApp> {
  const app = await startTestApp(options);
  onTestFinished(() => app.stop());
  return app;
}

/** Makes every writer of a module wait. Returns the function that releases them. */
async function lockModules(app: TestApp): Promise<() => Promise<void>> {
  const transaction = await app.api.database.transaction();
  await transaction.raw('lock table module_revisions in share mode');
  const release = async () => {
    if (!transaction.isCompleted()) await transaction.rollback();
  };
  onTestFinished(release);
  return release;
}

async function readImport(app: TestApp, vendor: TestOrganization, importId: string): Promise<unknown> {
  const headers = { Authorization: vendor.admin };
  return (await app.fetch(`/api/v8.0/${vendor.id}/imports/${importId}`, { headers })).body;
}

test('an import that exceeds its deadline fails with the reason, stores nothing, and can be retried', async () => {
  const app = await startApp({ config: SHORT, worker: false });
  const { context } = await app.startWorker();
  const vendor = await app.organization();
  const release = await lockModules(app);
  const answer = await app.importPackage(vendor, samplePackage(app.api.catalogue));
  expect(answer.status, answer.text).toBe(503);
  // Under load the deadline may pass in the steps before, and the last attempt may fail otherwise than by its time.
  expect(answer.body.type).toMatch(/^\/problems\/import-(?:deadline-exceeded|failed)$/);
  expect(answer.body.detail).toMatch(/ within 3 seconds; it was (?:reading|checking|writing) the package\./);
  await release();
  const importId = answer.body.importId as string;
  const failed = await readImport(app, vendor, importId);
  expect(failed).toMatchObject({ status: 'failed', errorsTotal: 1, moduleId: null });
  // On a busy machine three seconds may not be enough for the retry.
  const imports = { ...context.config.imports, stepSeconds: 600, deadlineSeconds: 3_600 };
  Object.assign(context, { config: { ...context.config, imports } });
  const headers = { Authorization: await app.bearer({ operator: true }) };
  const retry = await app.fetch(`/api/v8.0/operations/imports/${importId}/retry`, {
    method: 'POST',
    headers,
  });
  expect(retry.status, retry.text).toBe(202);
  const read = () => readImport(app, vendor, importId);
  await expect.poll(read).toMatchObject({ status: 'succeeded', errors: [], errorsTotal: 0, revision: 1 });
});

test('a step that exceeds its time is retried', async () => {
  const app = await startApp({ config: { imports: { stepSeconds: 1 } } });
  const vendor = await app.organization();
  const release = await lockModules(app);
  const answer = app.importPackage(vendor, samplePackage(app.api.catalogue));
  const runs = new Set<string>();
  const countRuns = async () => {
    const rows = await app.api.database('imports').select<{ runId: string }[]>('runId');
    for (const { runId } of rows) runs.add(runId);
    return runs.size;
  };
  await expect.poll(countRuns).toBeGreaterThan(2);
  await release();
  expect((await answer).status).toBe(200);
});
