import { OF_TOKEN } from '../../../../shared/db/access/authority.ts';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { loadCatalogue } from '../../../../shared/catalogue/catalogue.ts';
import { currentDeployment } from '../../../../shared/db/deployments.ts';
import { archiveKeyOf } from '../../../../shared/db/imports/archives.ts';
import { type Database, openDatabase } from '../../../../shared/db/database.ts';
import { createImports, findImport } from '../../../../shared/db/imports/imports.ts';
import { migrate } from '../../../../shared/db/migrate.ts';
import { putOrganization } from '../../../../shared/db/access/organizations.ts';
import { openQueue } from '../../../../shared/queue/import-queue.ts';
import { ensureDatabase, startPostgres } from '../../../../shared/local/postgres.ts';
import { createLog } from '../../../../shared/telemetry/log.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../../../shared/package/limits.ts';
import { type ZipFile, writeZip } from '../../../../shared/package/archive/write-zip.ts';
import { openStorage } from '../../../../shared/storage/open-storage.ts';
import { sampleDescriptor } from '../../../support/sample-package.ts';
import type { WorkerUse } from './counting-worker.ts';
import { startProcess } from '../start-process.ts';
import { FIXTURE_ACTOR } from '../../../support/fixture-actor.ts';

const FILES = 300;
/** The bytes left for headers, directory and descriptor in the largest package that is accepted. */
const ROOM_BYTES = 256 * 1024;
const FILE_BYTES = Math.floor((DEFAULT_PACKAGE_LIMITS.maxPackageBytes - ROOM_BYTES) / FILES);
const POLL_MS = 200;

/** The resources used by the import of the largest package. */
export interface LargestImport extends WorkerUse {
  readonly sizeBytes: number;
  readonly ms: number;
}

/** Files that do not compress, all different, made one at a time. */
function* contents(): Generator<ZipFile> {
  const descriptor = { ...sampleDescriptor(loadCatalogue()), moduleFiles: [] };
  yield { path: 'moduleSchema.json', content: Buffer.from(JSON.stringify(descriptor)) };
  for (let index = 0; index < FILES; index++) {
    yield { path: `PackageArtifact/build/data-${index}.bin`, content: randomBytes(FILE_BYTES) };
  }
}

interface Upload {
  readonly organizationId: string;
  readonly importId: string;
  readonly sizeBytes: number;
}

/** Prepares what the API prepares before it queues an import. */
async function storeUpload(database: Database, dataDir: string): Promise<Upload> {
  const [organizationId, tenantId, importId] = [randomUUID(), randomUUID(), randomUUID()];
  await putOrganization(
    database,
    { id: organizationId, tenantId, kind: 'vendor', name: 'Bench' },
    FIXTURE_ACTOR,
  );
  const storage = await openStorage({ storage: 'directory', s3: null, dataDir });
  const archiveKey = archiveKeyOf(await currentDeployment(database), importId);
  const sizeBytes = await storage.put(archiveKey, writeZip(contents()));
  storage.close();
  const row = {
    ...{ id: importId, organizationId, tenantId, newModuleId: importId, archiveKey, sizeBytes },
    ...{
      importedBy: FIXTURE_ACTOR.subject,
      actorName: null,
      validateOnly: false,
      expectedRevisions: null,
      fileName: null,
      traceParent: '',
      traceId: '0',
      onlyModuleId: null,
      authority: OF_TOKEN,
      publisherTokenId: null,
      staged: false,
      renameScope: false,
    },
    // A field of the API that the worker does not read.
    sha256: createHash('sha256').digest(),
  };
  await createImports(database, [{ ...row, groupId: null, claim: null }]);
  return { organizationId, importId, sizeBytes };
}

async function waitForSuccess(database: Database, { organizationId, importId }: Upload): Promise<void> {
  for (;;) {
    const status = (await findImport(database, organizationId, importId))?.status;
    if (status === 'succeeded') return;
    if (status !== 'queued' && status !== 'running') throw new Error(`the import ended as ${String(status)}`);
    await sleep(POLL_MS);
  }
}

async function importOnce(databaseUrl: string, dataDir: string): Promise<LargestImport> {
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  const queue = openQueue({ redisUrl: null, databaseUrl }, createLog('bench', 'warn'));
  const upload = await storeUpload(database, dataDir);
  const environment = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
  const worker = startProcess('test/lab/bench/archive/counting-worker.js', environment);
  try {
    await worker.started;
    const start = performance.now();
    await queue.addImport({ importId: upload.importId, retries: 0 });
    await waitForSuccess(database, upload);
    const ms = performance.now() - start;
    return { ...(await worker.request<WorkerUse>('use')), sizeBytes: upload.sizeBytes, ms };
  } finally {
    await worker.stop();
    await queue.close();
    await database.destroy();
  }
}

/** Imports a package of the largest size in a worker process, with PostgreSQL and a directory below `folder`. */
export async function importLargest(folder: string): Promise<LargestImport> {
  const postgres = await startPostgres(join(folder, 'postgres'), { fsync: true });
  try {
    const databaseUrl = await ensureDatabase(postgres.url, 'bench');
    await migrate(databaseUrl);
    return await importOnce(databaseUrl, join(folder, 'data'));
  } finally {
    await postgres.stop();
  }
}
