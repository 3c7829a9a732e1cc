import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { findImport } from '../../shared/db/imports/imports.ts';
import { importGroup } from '../../worker/import/import-group.ts';
import { acceptAtOnce } from '../support/accept-at-once.ts';
import { expectEndedOnce } from '../support/ended-once.ts';
import { FIRST_START, contextOf, openActor, storeGroup } from '../support/import-actors.ts';
import { samplePackage } from '../support/sample-package.ts';
import { StepGate } from '../support/step-gate.ts';
import { startTestApp } from '../support/test-app.ts';

async function setUp() {
  const app = await startTestApp({ worker: false });
  onTestFinished(() => app.stop());
  const vendor = await app.organization();
  return {
    app,
    vendor,
    rowOf: (importId: string) => findImport(app.api.database, null, importId),
    cancel: (importId: string) => app.as(vendor).post(`/imports/${importId}/cancel`),
  };
}

/** Never started. */
const CANCELLED = { status: 'cancelled', startedAt: null, runId: null, moduleId: null };

test('an import that is cancelled while the job of its group waits does not run; the others do', async () => {
  const { app, vendor, rowOf, cancel } = await setUp();
  const zips = Array.from({ length: 5 }, () =>
    samplePackage(app.api.catalogue, { files: { 'PackageArtifact/build/index.html': randomUUID() } }),
  );
  acceptAtOnce(app, zips.length);
  const headers = { Prefer: 'respond-async' };
  const answers = await Promise.all(zips.map((zip) => app.importPackage(vendor, zip, { headers })));
  const [cancelled = '', ...others] = answers.map(({ body }) => String(body.importId));
  const groupId = (await rowOf(cancelled))?.groupId ?? '';
  const stateOfGroup = () => app.api.queue.jobState({ groupId });
  expect(await stateOfGroup()).toBe('waiting');
  expect(await cancel(cancelled)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  await app.startWorker();
  await expect.poll(stateOfGroup).toBe('unknown');
  expect(await rowOf(cancelled)).toMatchObject(CANCELLED);
  await expectEndedOnce(app, others);
});

test('an import that is cancelled while others of its group run does not run; one that runs is not cancelled', async () => {
  const { app, vendor, rowOf, cancel } = await setUp();
  const worker = openActor(app);
  onTestFinished(() => worker.database.destroy());
  const group = await storeGroup(app, vendor, 6);
  const [running = ''] = group.importIds;
  const cancelled = group.importIds[4] ?? '';
  worker.gate = new StepGate(2, true);
  const ended = importGroup(contextOf(app, worker), group, FIRST_START);
  await worker.gate.reached;
  expect((await cancel(running)).status).toBe(409);
  expect((await cancel(cancelled)).status).toBe(200);
  worker.gate.open();
  await ended;
  expect(await rowOf(cancelled)).toMatchObject(CANCELLED);
  await expectEndedOnce(
    app,
    group.importIds.filter((each) => each !== cancelled),
  );
});
