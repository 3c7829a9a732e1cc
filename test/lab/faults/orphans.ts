import { ARCHIVES } from '../../../shared/db/imports/archives.ts';
import type { Context } from '../../../shared/process/context.ts';

/** The keys of the objects that some row names. */
const NAMED_KEYS = 'select archive_key as key from stored_archives';

/** Objects that no row names, rows whose object is missing, and unfinished uploads: after a collection there are none. */
export async function findOrphans({ database, storage }: Context): Promise<readonly string[]> {
  const { rows } = await database.raw<{ rows: readonly { key: string }[] }>(NAMED_KEYS);
  const missing = new Set(rows.map(({ key }) => key));
  const orphans: string[] = [];
  for await (const { key } of storage.list(ARCHIVES))
    if (!missing.delete(key)) orphans.push(`object ${key} has no row`);
  orphans.push(...[...missing].map((key) => `row of ${key} has no object`));
  const unfinished = await storage.removeUnfinished(ARCHIVES, new Date(Date.now() + 86_400_000));
  if (unfinished > 0) orphans.push(`${unfinished} unfinished writes`);
  return orphans;
}
