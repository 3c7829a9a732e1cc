import { createHash, randomUUID } from 'node:crypto';
import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';
import { openDatabase } from '../../shared/db/database.ts';
import { ImportModel } from '../../shared/db/models.ts';
import { putOrganization } from '../../shared/db/organizations.ts';
import { fileKey, touchFiles } from '../../shared/db/stored-files.ts';
import { writeRevision } from '../../shared/db/write-revision.ts';
import { openQueue, openWorker } from '../../shared/jobs.ts';
import { createLog } from '../../shared/log.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../shared/package/limits.ts';
import { bufferSource } from '../../shared/package/source.ts';
import { checkPackage } from '../../shared/package/check-package.ts';
import type { PackageContent, PackageFile } from '../../shared/package/check-package.ts';
import { openStorage } from '../../shared/storage.ts';

/** The parts of an import with no service around them. */
export interface ImportFloor {
  importOne(prepared: PreparedPackage): Promise<void>;
  close(): Promise<void>;
}

/** A package with what an import makes of it. */
export interface PreparedPackage {
  readonly zip: Buffer;
  readonly content: PackageContent;
  readonly bodies: readonly { readonly file: PackageFile; readonly body: Buffer }[];
}

/** Opens the parts. */
export async function openFloor(databaseUrl: string, dataDir: string): Promise<ImportFloor> {
  const log = createLog('floor', 'warn');
  const database = openDatabase({ url: databaseUrl, poolSize: 10 });
  const storage = await openStorage({ s3: null, dataDir });
  const place = { redisUrl: null, databaseUrl };
  const queue = openQueue(place, log);
  const waiting = new Map<string, () => void>();
  const run = ({ importId }: { importId: string }) => {
    waiting.get(importId)?.();
    waiting.delete(importId);
    return Promise.resolve();
  };
  const worker = openWorker(place, 32, { run, givenUp: () => Promise.resolve() }, log);
  await worker.ready();
  const organizationId = randomUUID();
  const tenantId = randomUUID();
  await putOrganization(database, { id: organizationId, tenantId, kind: 'vendor', name: 'Floor' });

  return {
    async importOne({ zip, content, bodies }) {
      const id = randomUUID();
      await storage.put(`uploads/${id}`, zip);
      const processed = new Promise<void>((resolve) => waiting.set(id, resolve));
      await queue.addImport(id);
      await processed;
      const keys = new Map(bodies.map(({ file }) => [file.sha256, randomUUID()]));
      await Promise.all(
        bodies.map(({ file, body }) => storage.put(fileKey(keys.get(file.sha256) ?? ''), body)),
      );
      await database.transaction(async (transaction) => {
        const runId = randomUUID();
        await ImportModel.query(transaction).insert({
          id,
          organizationId,
          tenantId,
          status: 'running',
          runId,
          validateOnly: false,
          newModuleId: id,
          sizeBytes: zip.length,
          sha256: createHash('sha256').update(zip).digest(),
          uploadKey: `uploads/${id}`,
          traceId: '0',
        });
        const places = await touchFiles(
          transaction,
          bodies.map(({ file }) => file),
        );
        const stored = new Map([...places].map(([sha256, { objectKey }]) => [sha256, objectKey]));
        const next = {
          moduleId: id,
          revision: 1,
          organizationId,
          tenantId,
          importId: id,
          descriptor: content.descriptor,
          roles: content.roles,
          alertRules: content.alertRules,
          fingerprint: Buffer.alloc(32),
        };
        const end = { runId, outcome: 'created', warnings: [] } as const;
        if (!(await writeRevision(transaction, next, content.files, stored, end)))
          throw new Error('the revision was not written');
      });
    },
    async close() {
      await worker.close(60_000);
      await queue.close();
      await database.destroy();
      storage.close();
    },
  };
}

/** Reads packages beforehand, so that none of that time counts in a floor. */
export async function preparePackages(zips: readonly Buffer[]): Promise<PreparedPackage[]> {
  const { englishId, languageIds, dataAreaIds } = loadCatalogue();
  const settings = {
    limits: DEFAULT_PACKAGE_LIMITS,
    requiredFolders: [],
    catalogue: { englishId, languageIds, dataAreaIds },
  };
  const all: PreparedPackage[] = [];
  for (const zip of zips) {
    const bodies: { file: PackageFile; body: Buffer }[] = [];
    const sink = {
      whole: (file: PackageFile, body: Buffer) => {
        bodies.push({ file, body: Buffer.from(body) });
      },
      pieces: () => {
        throw new Error('the files of this package are small');
      },
    };
    const { content } = await checkPackage(bufferSource(zip), settings, sink);
    if (content === null) throw new Error('the package of the benchmark is not valid');
    all.push({ zip, content, bodies });
  }
  return all;
}
