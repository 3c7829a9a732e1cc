import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveKeyOf, ARCHIVES } from '../../shared/db/imports/archives.ts';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import {
  contextOf,
  openActor,
  runImport,
  storeImport,
  type Actor,
  type StoredImport,
} from '../support/import-actors.ts';
import { chosenSteps, StepGate } from '../support/step-gate.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;
let importer: Actor;
let collector: Actor;

beforeAll(async () => {
  app = await startTestApp({ worker: false, settings: { UPLOAD_RETENTION_DAYS: '0' } });
  vendor = await app.organization();
  importer = openActor(app);
  collector = openActor(app);
});

afterAll(async () => {
  await importer.database.destroy();
  await collector.database.destroy();
  await app.stop();
});

/** Stores an import, and the archive of an interrupted upload to collect. */
async function addImport(): Promise<StoredImport> {
  const { storage, deploymentId } = app.api;
  await storage.put(archiveKeyOf(deploymentId, randomUUID()), Buffer.from('of an interrupted request'));
  return storeImport(app, vendor);
}

/** The archive of the revision that an import made. */
async function readArchive(importId: string): Promise<Buffer | null> {
  const { rows } = await app.api.database.raw<{ rows: { archiveKey: string; archiveBytes: number }[] }>(
    `select r.archive_key, r.archive_bytes from imports i join module_revisions r on r.import_id = i.id
     where i.id = ? and i.status = 'succeeded'`,
    [importId],
  );
  const [row] = rows;
  return row === undefined ? null : app.api.storage.read(row.archiveKey, 0, row.archiveBytes);
}

async function countSteps(): Promise<{ importSteps: number; collectionSteps: number }> {
  importer.gate = new StepGate(0);
  collector.gate = new StepGate(0);
  const { importId } = await addImport();
  // The longest case of both: the collection runs before the import, so that it finds objects to remove.
  await addImport();
  await collectGarbage(contextOf(app, collector), 0);
  await runImport(contextOf(app, importer), importId);
  return { importSteps: importer.gate.steps, collectionSteps: collector.gate.steps };
}

type Order = 'import first' | 'collection first';

/** Pauses both at their steps, and then lets one after the other run to its end. */
async function runPair(importStep: number, collectionStep: number, order: Order): Promise<void> {
  importer.gate = new StepGate(importStep);
  collector.gate = new StepGate(collectionStep);
  const { importId, zip } = await addImport();
  const importing = runImport(contextOf(app, importer), importId);
  await Promise.race([importer.gate.reached, importing]);
  const collecting = collectGarbage(contextOf(app, collector), 0);
  await Promise.race([collector.gate.reached, collecting]);
  const actors = [
    { gate: importer.gate, ended: importing },
    { gate: collector.gate, ended: collecting },
  ];
  for (const { gate, ended } of order === 'import first' ? actors : actors.toReversed()) {
    gate.open();
    await ended;
  }
  const situation = `import at step ${importStep}, collection at ${collectionStep}, ${order}`;
  expect((await readArchive(importId))?.equals(zip), situation).toBe(true);
}

test.each<Order>(['import first', 'collection first'])(
  'import and collection, each paused at steps of the other, lose nothing: %s',
  async (order) => {
    const { importSteps, collectionSteps } = await countSteps();
    expect(importSteps).toBeGreaterThan(2);
    expect(collectionSteps).toBeGreaterThan(8);
    const steps = Array.from({ length: importSteps }, (_, index) => index + 1);
    for (let collectionStep = 1; collectionStep <= collectionSteps; collectionStep += 1)
      for (const importStep of chosenSteps(collectionStep, collectionSteps, steps))
        await runPair(importStep, collectionStep, order);
    await expectNoOrphans();
  },
);

async function expectNoOrphans(): Promise<void> {
  importer.gate = new StepGate(0);
  collector.gate = new StepGate(0);
  await collectGarbage(contextOf(app, collector), 0);
  const keys: string[] = [];
  for await (const { key } of app.api.storage.list(ARCHIVES)) keys.push(key);
  const rows = [
    ...(await app.api.database('module_revisions').select<{ archiveKey: string }[]>('archiveKey')),
    ...(await app.api
      .database('imports')
      .whereNotNull('archiveKey')
      .select<{ archiveKey: string }[]>('archiveKey')),
  ];
  expect(keys.toSorted()).toEqual(rows.map(({ archiveKey }) => archiveKey).toSorted());
}
