import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveKeyOf, ARCHIVES } from '../../shared/db/imports/archives.ts';
import { openDatabase } from '../../shared/db/database.ts';
import type { Database } from '../../shared/db/database.ts';
import { createImport } from '../../shared/db/imports/imports.ts';
import { ImportNotifier } from '../../shared/db/notifications.ts';
import { ProcessMetrics } from '../../shared/telemetry/process-metrics.ts';
import { collectGarbage } from '../../worker/collect-garbage.ts';
import { importModule } from '../../worker/import-module.ts';
import type { WorkerContext } from '../../worker/worker-context.ts';
import { makeWorkerMetrics } from '../../worker/worker-metrics.ts';
import { samplePackage } from '../support/sample-package.ts';
import { gateConnections, gatedStorage, StepGate } from '../support/step-gate.ts';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

/** An import or a collection with its own connections; the test can pause each of its steps. */
interface Actor {
  readonly database: Database;
  gate: StepGate;
}

let app: TestApp;
let vendor: TestOrganization;
let importer: Actor;
let collector: Actor;

function openActor(): Actor {
  const url = app.environment['DATABASE_URL'] ?? '';
  const actor: Actor = { database: openDatabase({ url, poolSize: 4 }), gate: new StepGate(0) };
  gateConnections(actor.database, () => actor.gate);
  return actor;
}

beforeAll(async () => {
  app = await startTestApp({ worker: false, settings: { UPLOAD_RETENTION_DAYS: '0' } });
  vendor = await app.organization();
  importer = openActor();
  collector = openActor();
});

afterAll(async () => {
  await importer.database.destroy();
  await collector.database.destroy();
  await app.stop();
});

function contextOf({ database, gate }: Actor): WorkerContext {
  const { limits, imports } = app.config;
  return {
    ...app.api,
    database,
    asyncCommitDatabase: database,
    storage: gatedStorage(app.api.storage, gate),
    notifier: new ImportNotifier(app.api.database, app.api.log),
    metrics: makeWorkerMetrics(new ProcessMetrics()),
    validationSettings: { limits, requiredFolders: imports.requiredFolders, catalogue: app.api.catalogue },
  };
}

/** Leaves the state that the API creates before it queues an import, and the archive of an interrupted upload to collect. */
async function addImport(): Promise<{ importId: string; zip: Buffer }> {
  await app.api.storage.put(archiveKeyOf(randomUUID()), Buffer.from('of an interrupted request'));
  const files = { 'PackageArtifact/build/index.html': `<p>${randomUUID()}</p>` };
  const zip = samplePackage(app.api.catalogue, { files });
  const importId = randomUUID();
  const archiveKey = archiveKeyOf(importId);
  await app.api.storage.put(archiveKey, zip);
  const { id: organizationId, tenantId } = vendor;
  const row = { id: importId, organizationId, tenantId, archiveKey, newModuleId: randomUUID() };
  const upload = { fileName: null, sizeBytes: zip.length, sha256: createHash('sha256').update(zip).digest() };
  const rest = { validateOnly: false, expectedRevisions: null, traceId: '0'.repeat(32), traceParent: '' };
  await createImport(app.api.database, { ...row, ...upload, ...rest }, null);
  return { importId, zip };
}

const ATTEMPTS = 5;

/** Like the queue, retries an attempt that fails. */
async function runImport(importId: string): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const isLastAttempt = attempt === ATTEMPTS;
    const isDone = await importModule(contextOf(importer), { importId, isLastAttempt }).then(
      () => true,
      () => false,
    );
    if (isDone) return;
  }
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
  await collectGarbage(contextOf(collector), 0);
  await runImport(importId);
  return { importSteps: importer.gate.steps, collectionSteps: collector.gate.steps };
}

type Order = 'import first' | 'collection first';

/** Pauses both at their steps, and then lets one after the other run to its end. */
async function runPair(importStep: number, collectionStep: number, order: Order): Promise<void> {
  importer.gate = new StepGate(importStep);
  collector.gate = new StepGate(collectionStep);
  const { importId, zip } = await addImport();
  const importing = runImport(importId);
  await Promise.race([importer.gate.reached, importing]);
  const collecting = collectGarbage(contextOf(collector), 0);
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
  'import and collection, each paused at every step of the other, lose nothing: %s',
  async (order) => {
    const { importSteps, collectionSteps } = await countSteps();
    expect(importSteps).toBeGreaterThan(2);
    expect(collectionSteps).toBeGreaterThan(6);
    for (let importStep = 1; importStep <= importSteps; importStep += 1)
      for (let collectionStep = 1; collectionStep <= collectionSteps; collectionStep += 1)
        await runPair(importStep, collectionStep, order);
    await expectNoOrphans();
  },
);

async function expectNoOrphans(): Promise<void> {
  importer.gate = new StepGate(0);
  collector.gate = new StepGate(0);
  await collectGarbage(contextOf(collector), 0);
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
