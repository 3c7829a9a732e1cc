import { dropExpiredKeys } from '../shared/db/idempotency-keys.ts';
import { dropExpiredSessions } from '../shared/db/operator-sessions.ts';
import {
  dropOldImports,
  findExpiredUploads,
  findKnownUploads,
  forgetUploads,
} from '../shared/db/retention.ts';
import {
  COLLECTION_GRACE_MS,
  doomUnusedFiles,
  forgetDoomedObjects,
  listDoomedObjects,
} from '../shared/db/stored-files.ts';
import type { Context } from '../shared/context.ts';
import { forEachAtOnce } from './for-each-at-once.ts';

const BATCH = 500;
const REMOVALS_AT_ONCE = 8;
const UPLOADS = 'uploads/';

/** Drops what nothing points to: uploads past their time, unused files, old rows, expired keys and sessions. */
export async function collectGarbage(context: Context, graceMs = COLLECTION_GRACE_MS): Promise<void> {
  await removeExpiredUploads(context);
  await removeStrayUploads(context, graceMs);
  await doomUnusedFiles(context.database, graceMs);
  await removeDoomedObjects(context);
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
async function removeStrayUploads(context: Context, graceMs: number): Promise<void> {
  const before = Date.now() - graceMs;
  let batch: string[] = [];
  for await (const { key, storedAt } of context.storage.list(UPLOADS)) {
    if (storedAt.getTime() <= before) batch.push(key);
    if (batch.length < BATCH) continue;
    await removeUnknownUploads(context, batch);
    batch = [];
  }
  await removeUnknownUploads(context, batch);
}

async function removeUnknownUploads({ database, storage }: Context, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const known = await findKnownUploads(database, keys);
  const stray = keys.filter((key) => !known.has(key));
  await forEachAtOnce(stray, REMOVALS_AT_ONCE, (key) => storage.remove(key));
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
