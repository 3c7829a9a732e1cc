import type { Database } from '../db/database.ts';
import { archivesOf } from '../db/imports/archives.ts';
import { forgetFreed, type FreedArchive } from '../db/imports/freed-archives.ts';
import { forEachAtOnce } from '../process/for-each-at-once.ts';
import type { Context } from '../process/context.ts';

const REMOVALS_AT_ONCE = 8;
const NOT_REMOVED = 'archives not removed; a later collection removes them';

/** Removes objects; returns those that are gone. One that cannot be removed fails no other: a later collection tries it again. */
export async function removeObjects<Item>(
  { storage, log }: Pick<Context, 'storage' | 'log'>,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Promise<readonly Item[]> {
  const removed: Item[] = [];
  const [err] = await forEachAtOnce(items, REMOVALS_AT_ONCE, async (item) => {
    await storage.remove(keyOf(item));
    removed.push(item);
  });
  if (err !== undefined) log.warn({ err, archives: items.length - removed.length }, NOT_REMOVED);
  return removed;
}

/**
 * Removes freed archives, and then their rows; returns them. What belongs to another deployment is left to the
 * collection.
 */
export async function removeFreed(
  context: Pick<Context, 'database' | 'storage' | 'log' | 'deploymentId'>,
  freed: readonly FreedArchive[],
  deploymentIds: readonly string[] = [context.deploymentId],
): Promise<readonly FreedArchive[]> {
  const own = freed.filter(({ archiveKey }) => isOwn(archiveKey, deploymentIds));
  const removed = await removeObjects(context, own, ({ archiveKey }) => archiveKey);
  if (removed.length > 0)
    await forgetFreed(
      context.database,
      removed.map(({ archiveKey }) => archiveKey),
    );
  return removed;
}

/** Frees archives and removes them. Where that fails a later collection does it: the caller has done its work. */
export async function freeAndRemove(
  context: Parameters<typeof removeFreed>[0],
  free: (database: Database) => Promise<readonly FreedArchive[]>,
): Promise<void> {
  try {
    await removeFreed(context, await free(context.database));
  } catch (error) {
    context.log.warn({ err: error }, NOT_REMOVED);
  }
}

/** Whether an archive belongs to one of these deployments. */
export function isOwn(archiveKey: string, deploymentIds: readonly string[]): boolean {
  return deploymentIds.some((id) => archiveKey.startsWith(archivesOf(id)));
}
