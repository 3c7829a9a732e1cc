import { ARCHIVES, findKnownArchives } from '../shared/db/imports/archives.ts';
import { dropExpiredKeys } from '../shared/db/imports/idempotency-keys.ts';
import { dropExpiredSessions } from '../shared/db/access/sessions.ts';
import { databaseTime, dropOldImports, forgetExpiredArchives } from '../shared/db/imports/retention.ts';
import type { Context } from '../shared/process/context.ts';
import { archiveBatches } from './archive-batches.ts';
import { forEachAtOnce } from './for-each-at-once.ts';

const REMOVALS_AT_ONCE = 8;
/** What is younger is left alone: its upload may still be on its way to its row. */
const LEAST_GRACE_MS = 24 * 3_600_000;
/** The slowest upload that is taken, in bytes per second. */
const SLOWEST_UPLOAD = 16 * 1024;

/** Removes what nothing points to: archives past their time, unfinished uploads, old rows, expired keys and sessions. */
export async function collectGarbage(context: Context, graceMs = graceOf(context)): Promise<void> {
  const { database, storage, config, log } = context;
  // By the database's clock: a worker whose own is ahead would take what is being stored at this moment.
  const before = new Date((await databaseTime(database)).getTime() - graceMs);
  const forgotten = await forgetExpiredArchives(database, config.imports.uploadRetentionDays);
  await dropExpiredKeys(database);
  await dropExpiredSessions(database);
  const dropped = await dropOldImports(database, config.imports.importRetentionDays);
  const removed = await removeUnknownArchives(context, before);
  await storage.removeUnfinished(ARCHIVES, before);
  log.info({ forgotten, removed, imports: dropped }, 'garbage collected');
}

/** Longer than the longest upload: some stores date an object by when its upload began. */
function graceOf({ config }: Context): number {
  return Math.max(LEAST_GRACE_MS, (2_000 * config.limits.maxPackageBytes) / SLOWEST_UPLOAD);
}

/** An archive that no row has: forgotten, or its request broke off between storage and database. */
async function removeUnknownArchives({ database, storage }: Context, before: Date): Promise<number> {
  let removed = 0;
  for await (const batch of archiveBatches(storage)) {
    const keys = batch.filter(({ storedAt }) => storedAt <= before).map(({ key }) => key);
    const known = await findKnownArchives(database, keys);
    const unknown = keys.filter((key) => !known.has(key));
    await forEachAtOnce(unknown, REMOVALS_AT_ONCE, (key) => storage.remove(key));
    removed += unknown.length;
  }
  return removed;
}
