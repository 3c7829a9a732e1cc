import { dropExpiredKeys } from '../shared/db/idempotency-keys.ts';
import { dropExpiredSessions } from '../shared/db/operator-sessions.ts';
import {
  databaseTime,
  dropOldImports,
  findExpiredUploads,
  findKnownUploads,
  forgetUploads,
} from '../shared/db/retention.ts';
import {
  COLLECTION_GRACE_MS,
  doomUnusedFiles,
  findKnownFiles,
  forgetDoomedObjects,
  listDoomedObjects,
} from '../shared/db/stored-files.ts';
import type { Context } from '../shared/context.ts';
import { forEachAtOnce } from './for-each-at-once.ts';

const BATCH = 500;
const REMOVALS_AT_ONCE = 8;
const UPLOADS = 'uploads/';
const FILES = 'files/';

/**
 * Drops what nothing points to: uploads past their time, unused files, unfinished writes, old rows, expired keys
 * and sessions.
 */
export async function collectGarbage(context: Context, graceMs = COLLECTION_GRACE_MS): Promise<void> {
  // By the database's clock: a worker whose own is ahead would take what is being stored at this moment.
  const before = new Date((await databaseTime(context.database)).getTime() - graceMs);
  await removeExpiredUploads(context);
  await removeStrayUploads(context, before);
  await doomUnusedFiles(context.database, graceMs);
  await removeDoomedObjects(context);
  await removeStrayFiles(context, before);
  await context.storage.removeUnfinished(before);
  await dropExpiredKeys(context.database);
  await dropExpiredSessions(context.database);
  const dropped = await dropOldImports(context.database, context.config.imports.importRetentionDays);
  context.log.info({ imports: dropped }, 'garbage collected');
}

async function removeExpiredUploads({ database, storage, config }: Context): Promise<void> {
  for (;;) {
    const expired = await findExpiredUploads(database, config.imports.uploadRetentionDays, BATCH);
    if (expired.length === 0) return;
    await forEachAtOnce(expired, REMOVALS_AT_ONCE, ({ uploadKey }) => storage.remove(uploadKey));
    await forgetUploads(
      database,
      expired.map((each) => each.id),
    );
  }
}

/** An upload without a row: its request broke off between storage and database. */
async function removeStrayUploads(context: Context, before: Date): Promise<void> {
  await removeStrays(context, UPLOADS, before, (keys) => findKnownUploads(context.database, keys));
}

/** A file without a row: an attempt that had been given up wrote it after all. */
async function removeStrayFiles(context: Context, before: Date): Promise<void> {
  await removeStrays(context, FILES, before, (keys) => findKnownFiles(context.database, keys));
}

async function removeStrays(
  { storage }: Context,
  prefix: string,
  before: Date,
  findKnown: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  let batch: string[] = [];
  const removeUnknown = async () => {
    const known = batch.length === 0 ? new Set() : await findKnown(batch);
    const strays = batch.filter((key) => !known.has(key));
    await forEachAtOnce(strays, REMOVALS_AT_ONCE, (key) => storage.remove(key));
    batch = [];
  };
  for await (const { key, storedAt } of storage.list(prefix)) {
    if (storedAt <= before) batch.push(key);
    if (batch.length === BATCH) await removeUnknown();
  }
  await removeUnknown();
}

/** The row went first; the object goes now, and only then is it forgotten. */
async function removeDoomedObjects({ database, storage }: Context): Promise<void> {
  for (;;) {
    const keys = await listDoomedObjects(database, BATCH);
    if (keys.length === 0) return;
    await forEachAtOnce(keys, REMOVALS_AT_ONCE, (key) => storage.remove(key));
    await forgetDoomedObjects(database, keys);
  }
}
