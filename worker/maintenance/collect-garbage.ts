import { archivesOf, findKnownArchives } from '../../shared/db/imports/archives.ts';
import { deleteEndedRows } from '../../shared/db/ended-rows.ts';
import { ownDeployments } from '../../shared/db/deployments.ts';
import {
  deleteOutdatedRevisions,
  deleteRevisionsOfDeletedModules,
  type FreedArchive,
} from '../../shared/db/modules/old-revisions.ts';
import {
  databaseTime,
  dropOldImports,
  forgetExpiredArchives,
  forgetFreedArchives,
  type UnnamedArchives,
} from '../../shared/db/imports/retention.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Database } from '../../shared/db/database.ts';
import type { Context } from '../../shared/process/context.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import type { Storage, StoredObject } from '../../shared/storage/storage.ts';

const REMOVALS_AT_ONCE = 8;
/** Younger objects are kept: their upload may not have its row yet. */
const LEAST_GRACE_MS = 24 * 3_600_000;
/** The slowest upload that the API accepts, in bytes per second. */
export const SLOWEST_UPLOAD = 16 * 1024;

/** The rows that a collection changed. */
interface CollectedRows {
  /** Uploads that are no longer kept. */
  readonly uploads: UnnamedArchives;
  /** Revisions of deleted modules, and outdated ones. */
  readonly revisions: number;
  /** Archives of revisions that were deleted earlier. */
  readonly freed: UnnamedArchives;
  /** Imports whose rows were deleted. */
  readonly imports: number;
  /** Rows of other tables that were deleted. */
  readonly ended: number;
}

/** The result of a collection. */
export interface Collected extends CollectedRows {
  /** The objects that were removed. */
  readonly removed: UnnamedArchives;
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
  const removed = await eachUnknownArchive(context, deploymentIds, before, (key) => storage.remove(key));
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
  const unknown = await eachUnknownArchive(context, await ownDeployments(database), before, () =>
    Promise.resolve(),
  );
  // Their rows still name them.
  return { removed: sumOf([unknown, rows.uploads, rows.freed]), ...rows };
}

/** Longer than the longest upload: some stores date an object by the start of its upload. */
export function graceOf({ config }: Pick<Context, 'config'>): number {
  return Math.max(LEAST_GRACE_MS, (2_000 * config.limits.maxPackageBytes) / SLOWEST_UPLOAD);
}

async function collectRows(database: Database, config: Config, graceMs: number): Promise<CollectedRows> {
  const { imports, retention } = config;
  const { deletedModuleDays, revisionDays, minRevisionsPerModule: kept } = retention;
  const uploads = await forgetExpiredArchives(database, imports.uploadRetentionDays);
  const ended = await deleteEndedRows(database, retention);
  const dropped = await dropOldImports(database, imports.importRetentionDays);
  let revisions = await countAll(deleteRevisionsOfDeletedModules(database, deletedModuleDays));
  if (revisionDays !== null)
    revisions += await countAll(deleteOutdatedRevisions(database, { days: revisionDays, kept }));
  const freed = await forgetFreedArchives(database, graceMs);
  return { uploads, revisions, freed, imports: dropped, ended };
}

async function countAll(batches: AsyncIterable<readonly FreedArchive[]>): Promise<number> {
  let count = 0;
  for await (const { length } of batches) count += length;
  return count;
}

function sumOf(parts: readonly UnnamedArchives[]): UnnamedArchives {
  return {
    archives: parts.reduce((sum, { archives }) => sum + archives, 0),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Calls a function with archives that no row has: expired ones, or those whose request failed between storage and database. */
async function eachUnknownArchive(
  { database, storage }: Context,
  deploymentIds: readonly string[],
  before: Date,
  act: (key: string) => Promise<void>,
): Promise<UnnamedArchives> {
  const found = { archives: 0, bytes: 0 };
  for await (const batch of archiveBatches(storage, deploymentIds)) {
    const old = batch.filter(({ storedAt }) => storedAt <= before);
    const known = await findKnownArchives(
      database,
      old.map(({ key }) => key),
    );
    const unknown = old.filter(({ key }) => !known.has(key));
    await forEachAtOnce(unknown, REMOVALS_AT_ONCE, ({ key }) => act(key));
    found.archives += unknown.length;
    for (const { sizeBytes } of unknown) found.bytes += sizeBytes;
  }
  return found;
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
