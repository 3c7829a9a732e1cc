import { OF_TOKEN } from '../../shared/db/access/authority.ts';
import { createHash, randomUUID } from 'node:crypto';
import { archiveKeyOf } from '../../shared/db/imports/archives.ts';
import { openDatabase, type Database } from '../../shared/db/database.ts';
import { startImports, type ImportGroup, type NewAttempt } from '../../shared/db/imports/attempts.ts';
import { TurnBatches } from '../../shared/db/together.ts';
import { createImports, IMPORTS_CHANNEL, type NewImport } from '../../shared/db/imports/imports.ts';
import { Notifier } from '../../shared/db/notifications.ts';
import { ProcessMetrics } from '../../shared/telemetry/process-metrics.ts';
import { importModule } from '../../worker/import/import-module.ts';
import type { GroupRun } from '../../shared/queue/import-worker.ts';
import type { WorkerContext } from '../../worker/worker-context.ts';
import { ModuleQuota } from '../../shared/registration/module-quota.ts';
import { NewModules } from '../../shared/registration/new-modules.ts';
import { writeRevisions } from '../../shared/db/modules/write-revision.ts';
import { openFileThreads } from '../../worker/import/file-threads.ts';
import { makeWorkerMetrics } from '../../worker/worker-metrics.ts';
import { samplePackage, type SampleOptions } from './sample-package.ts';
import { gateConnections, gatedStorage, StepGate } from './step-gate.ts';
import type { TestApp, TestOrganization } from './test-app.ts';

/** A worker, an operator or a collection with its own connections; the test can pause each of its steps. */
export interface Actor {
  readonly database: Database;
  gate: StepGate;
}

/** Opens an actor on the app's database. The test destroys its connections. */
export function openActor(app: TestApp): Actor {
  const url = app.environment['DATABASE_URL'] ?? '';
  const actor: Actor = { database: openDatabase({ url, poolSize: 4 }), gate: new StepGate(0) };
  gateConnections(actor.database, () => actor.gate);
  return actor;
}

/** The parts that a worker makes once for all its imports. */
type WorkerParts = Pick<WorkerContext, 'notifier' | 'metrics' | 'fileThreads' | 'packageCheck'>;

/** By the connections of each worker. */
const opened = new WeakMap<Database, WorkerParts>();

function partsOf({ api, config }: TestApp, { database }: Actor): WorkerParts {
  const made = opened.get(database) ?? {
    notifier: new Notifier(api.database, IMPORTS_CHANNEL, api.log),
    metrics: makeWorkerMetrics(new ProcessMetrics()),
    // Its files are small: no thread is ever started.
    fileThreads: openFileThreads(config),
    packageCheck: null,
  };
  opened.set(database, made);
  return made;
}

/** The context of a worker whose every call of storage and every connection is a step of the actor's gate. */
export function contextOf(app: TestApp, actor: Actor): WorkerContext {
  const { database, gate } = actor;
  const { limits, imports } = app.config;
  const parts = partsOf(app, actor);
  return {
    ...app.api,
    database,
    asyncCommitDatabase: database,
    ...startsOn(database),
    storage: gatedStorage(app.api.storage, gate),
    ...parts,
    // It counts the modules at its first import, as a step.
    moduleQuota: new ModuleQuota(),
    newModules: new NewModules(async (writes) => writeRevisions(database, writes, parts.notifier)),
    validationSettings: {
      limits,
      requiredFolders: imports.requiredFolders,
      catalogue: app.api.catalogue.forPackages,
    },
  };
}

/** The part of a worker's context that starts attempts, on this database. */
export function startsOn(database: Database): Pick<WorkerContext, 'starts'> {
  return { starts: new TurnBatches((attempts: readonly NewAttempt[]) => startImports(database, attempts)) };
}

/** An import without a job, and its package. */
export interface StoredImport {
  readonly importId: string;
  readonly archiveKey: string;
  readonly zip: Buffer;
}

/** What the API stores of an upload before it writes the row of its import. */
export async function storeUpload(
  app: TestApp,
  { id: organizationId, tenantId }: TestOrganization,
  descriptor: SampleOptions['descriptor'] = {},
): Promise<StoredImport & { readonly row: NewImport }> {
  const { storage, catalogue, deploymentId } = app.api;
  const files = { 'PackageArtifact/build/index.html': randomUUID() };
  const zip = samplePackage(catalogue, { descriptor, files });
  const importId = randomUUID();
  const archiveKey = archiveKeyOf(deploymentId, importId);
  await storage.put(archiveKey, zip);
  const row = {
    id: importId,
    organizationId,
    tenantId,
    archiveKey,
    newModuleId: randomUUID(),
    fileName: null,
    sizeBytes: zip.length,
    sha256: createHash('sha256').update(zip).digest(),
    importedBy: 'fixture',
    actorName: null,
    validateOnly: false,
    expectedRevisions: null,
    traceId: '0'.repeat(32),
    traceParent: '',
    onlyModuleId: null,
    publisherTokenId: null,
    staged: false,
    renameScope: false,
    authority: OF_TOKEN,
    groupId: null,
    claim: null,
  };
  return { importId, archiveKey, zip, row };
}

/** Leaves the state that the API creates before it queues an import. */
export async function storeImport(
  app: TestApp,
  vendor: TestOrganization,
  descriptor: SampleOptions['descriptor'] = {},
): Promise<StoredImport> {
  const { row, ...stored } = await storeUpload(app, vendor, descriptor);
  await createImports(app.api.database, [row]);
  return stored;
}

/** The same for the imports of a group. */
export async function storeGroup(app: TestApp, vendor: TestOrganization, size: number): Promise<ImportGroup> {
  const groupId = randomUUID();
  const uploads = await Promise.all(Array.from({ length: size }, () => storeUpload(app, vendor)));
  await createImports(
    app.api.database,
    uploads.map(({ row }) => ({ ...row, groupId })),
  );
  return { groupId, importIds: uploads.map(({ importId }) => importId) };
}

/** A context in which an attempt that fails is the last. */
export function atDeadline(context: WorkerContext): WorkerContext {
  const { config } = context;
  return { ...context, config: { ...config, imports: { ...config.imports, deadlineSeconds: 0 } } };
}

const ATTEMPTS = 5;

/** Runs a job of an import with at most this number of attempts, as the queue does. Returns whether it completed. */
export async function runImport(
  context: WorkerContext,
  importId: string,
  { retries = 0, attempts = ATTEMPTS } = {},
): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const run = attempt === attempts ? atDeadline(context) : context;
    const isDone = await importModule(run, { importId, retries }).then(
      () => true,
      () => false,
    );
    if (isDone) return true;
  }
  return false;
}

/** The first start of a group's job, on a worker with free slots. */
export const FIRST_START: GroupRun = { priority: 0, mayStart: () => true, inSlot: async (act) => act() };

/** Another start of it: the first has not ended the group. */
export const LATER_START: GroupRun = { ...FIRST_START, mayStart: () => false };
