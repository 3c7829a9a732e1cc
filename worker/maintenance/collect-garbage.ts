import { archivesOf, findKnownArchives } from '../../shared/db/imports/archives.ts';
import {
  addTo,
  dueArchives,
  forgetFreed,
  freeExpiredArchives,
  sumDueArchives,
  type ArchiveSum,
  type FreedArchive,
} from '../../shared/db/imports/freed-archives.ts';
import { deleteEndedRows } from '../../shared/db/ended-rows.ts';
import { ownDeployments } from '../../shared/db/deployments.ts';
import {
  deleteOutdatedRevisions,
  deleteRevisionsOfDeletedModules,
} from '../../shared/db/modules/old-revisions.ts';
import { databaseTime, dropOldImports } from '../../shared/db/imports/retention.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Database } from '../../shared/db/database.ts';
import type { Context } from '../../shared/process/context.ts';
import { isOwn, removeFreed, removeObjects } from '../../shared/storage/remove-freed.ts';
import type { Storage, StoredObject } from '../../shared/storage/storage.ts';

/** Younger objects are kept: their upload may not have its row yet. */
const LEAST_GRACE_MS = 24 * 3_600_000;
/** The slowest upload that the API accepts, in bytes per second. */
export const SLOWEST_UPLOAD = 16 * 1024;

/** The rows that a collection changed. */
interface CollectedRows {
  /** Uploads that are no longer kept. */
  readonly uploads: ArchiveSum;
  /** Revisions of deleted modules, and outdated ones. */
  readonly revisions: number;
  /** Uploads that are no longer kept, and archives of revisions that were deleted earlier. */
  readonly freed: ArchiveSum;
  /** Imports whose rows were deleted. */
  readonly imports: number;
  /** Rows of other tables that were deleted. */
  readonly ended: number;
}

/** The result of a collection. */
export interface Collected extends CollectedRows {
  /** The objects that were removed. */
  readonly removed: ArchiveSum;
}

/**
 * Removes what nothing points to: expired archives, unfinished uploads, rows that ended long enough ago. Of the
 * storage only what is under the prefixes of this database: another deployment may use it too.
 */
export async function collectGarbage(context: Context, graceMs = graceOf(context)): Promise<Collected> {
  const { database, storage, config, log } = context;
  // By the database's clock: a worker whose clock is ahead would remove what is just being stored.
  const before = new Date((await databaseTime(database)).getTime() - graceMs);
  const rows = await collectRows(database, config, graceMs);
  const deploymentIds = await ownDeployments(database);
  const removed = { archives: 0, bytes: 0 };
  for await (const freed of dueArchives(database, graceMs)) {
    addTo(removed, await removeFreed(context, freed, deploymentIds));
    // A copy of the database has the rows of its original's objects.
    const foreign = freed.filter(({ archiveKey }) => !isOwn(archiveKey, deploymentIds));
    if (foreign.length > 0)
      await forgetFreed(
        database,
        foreign.map(({ archiveKey }) => archiveKey),
      );
  }
  for await (const unknown of unknownArchives(context, deploymentIds, before))
    addTo(removed, await removeObjects(context, unknown, ({ archiveKey }) => archiveKey));
  for (const id of deploymentIds) await storage.removeUnfinished(archivesOf(id), before);
  const collected = { removed, ...rows };
  log.info(collected, 'garbage collected');
  return collected;
}

/** A dry run undoes what it did to the rows. */
class UndoError extends Error {
  override readonly name = 'UndoError';
  readonly rows: CollectedRows;

  constructor(rows: CollectedRows) {
    super('the rows are as they were');
    this.rows = rows;
  }
}

/** Previews a collection; nothing is changed. */
export async function previewCollection(context: Context): Promise<Collected> {
  const { database, config } = context;
  const graceMs = graceOf(context);
  const before = new Date((await databaseTime(database)).getTime() - graceMs);
  const rows = await database
    .transaction(async (transaction) => {
      throw new UndoError(await collectRows(transaction, config, graceMs));
    })
    .catch((error: unknown) => {
      if (error instanceof UndoError) return error.rows;
      throw error;
    });
  const removed = { ...rows.freed };
  for await (const unknown of unknownArchives(context, await ownDeployments(database), before))
    addTo(removed, unknown);
  return { removed, ...rows };
}

/** Longer than the longest upload: some stores date an object by the start of its upload. */
export function graceOf({ config }: Pick<Context, 'config'>): number {
  return Math.max(LEAST_GRACE_MS, (2_000 * config.limits.maxPackageBytes) / SLOWEST_UPLOAD);
}

async function collectRows(database: Database, config: Config, graceMs: number): Promise<CollectedRows> {
  const { imports, retention } = config;
  const { deletedModuleDays, revisionDays, minRevisionsPerModule: kept } = retention;
  const uploads = await freeExpiredArchives(database, imports.uploadRetentionDays);
  const ended = await deleteEndedRows(database, retention);
  const dropped = await dropOldImports(database, imports.importRetentionDays);
  let revisions = await countAll(deleteRevisionsOfDeletedModules(database, deletedModuleDays));
  if (revisionDays !== null)
    revisions += await countAll(deleteOutdatedRevisions(database, { days: revisionDays, kept }));
  const freed = await sumDueArchives(database, graceMs);
  return { uploads, revisions, freed, imports: dropped, ended };
}

async function countAll(batches: AsyncIterable<readonly FreedArchive[]>): Promise<number> {
  let count = 0;
  for await (const { length } of batches) count += length;
  return count;
}

/** Archives that no row has: those whose request failed between storage and database. */
async function* unknownArchives(
  { database, storage }: Context,
  deploymentIds: readonly string[],
  before: Date,
): AsyncGenerator<readonly FreedArchive[]> {
  for await (const batch of archiveBatches(storage, deploymentIds)) {
    const old = batch.filter(({ storedAt }) => storedAt <= before);
    const known = await findKnownArchives(
      database,
      old.map(({ key }) => key),
    );
    yield old
      .filter(({ key }) => !known.has(key))
      .map(({ key: archiveKey, sizeBytes: archiveBytes }) => ({ archiveKey, archiveBytes }));
  }
}

const BATCH = 500;

/** Every archive of these deployments, in batches. */
export async function* archiveBatches(
  storage: Storage,
  deploymentIds: readonly string[],
): AsyncGenerator<readonly StoredObject[]> {
  for (const deploymentId of deploymentIds) {
    let batch: StoredObject[] = [];
    for await (const object of storage.list(archivesOf(deploymentId))) {
      if (batch.push(object) < BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
}
