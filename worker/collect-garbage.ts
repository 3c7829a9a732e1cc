import { archivesOf, findKnownArchives } from '../shared/db/imports/archives.ts';
import { deleteEndedRows } from '../shared/db/ended-rows.ts';
import { ownDeployments } from '../shared/db/deployments.ts';
import { deleteRevisionsOfDeletedModules } from '../shared/db/modules/old-revisions.ts';
import { databaseTime, dropOldImports, forgetExpiredArchives } from '../shared/db/imports/retention.ts';
import type { Context } from '../shared/process/context.ts';
import { archiveBatches } from './archive-batches.ts';
import { forEachAtOnce } from './for-each-at-once.ts';

const REMOVALS_AT_ONCE = 8;
/** Younger objects are kept: their upload may not have its row yet. */
const LEAST_GRACE_MS = 24 * 3_600_000;
/** The slowest upload that the API accepts, in bytes per second. */
const SLOWEST_UPLOAD = 16 * 1024;

/**
 * Removes what nothing points to: expired archives, unfinished uploads, rows that ended long enough ago. Of the
 * storage only what is under the prefixes of this database: another deployment may use it too.
 */
export async function collectGarbage(context: Context, graceMs = graceOf(context)): Promise<void> {
  const { database, storage, queue, config, log } = context;
  // By the database's clock: a worker whose clock is ahead would remove what is just being stored.
  const before = new Date((await databaseTime(database)).getTime() - graceMs);
  const forgotten = await forgetExpiredArchives(database, config.imports.uploadRetentionDays);
  const ended = await deleteEndedRows(database, config.retention);
  const dropped = await dropOldImports(database, config.imports.importRetentionDays);
  await queue.trimFailed();
  const revisions = await deleteRevisionsOfDeletedModules(database, config.retention.deletedModuleDays);
  const deploymentIds = await ownDeployments(database);
  const removed = await removeUnknownArchives(context, deploymentIds, before);
  for (const id of deploymentIds) await storage.removeUnfinished(archivesOf(id), before);
  log.info({ forgotten, removed, imports: dropped, ended, revisions }, 'garbage collected');
}

/** Longer than the longest upload: some stores date an object by the start of its upload. */
function graceOf({ config }: Context): number {
  return Math.max(LEAST_GRACE_MS, (2_000 * config.limits.maxPackageBytes) / SLOWEST_UPLOAD);
}

/** Removes archives that no row has: expired ones, or those whose request failed between storage and database. */
async function removeUnknownArchives(
  { database, storage }: Context,
  deploymentIds: readonly string[],
  before: Date,
): Promise<number> {
  let removed = 0;
  for await (const batch of archiveBatches(storage, deploymentIds)) {
    const keys = batch.filter(({ storedAt }) => storedAt <= before).map(({ key }) => key);
    const known = await findKnownArchives(database, keys);
    const unknown = keys.filter((key) => !known.has(key));
    await forEachAtOnce(unknown, REMOVALS_AT_ONCE, (key) => storage.remove(key));
    removed += unknown.length;
  }
  return removed;
}
