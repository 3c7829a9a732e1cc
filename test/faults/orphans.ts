import type { Context } from '../../shared/context.ts';

/** Where objects of imports and modules are. */
const PREFIXES = ['uploads/', 'files/'];

/** The keys of the objects that some row names. */
const NAMED_KEYS = `
  select 'files/' || object_key as key from stored_files
  union select upload_key from imports where upload_key is not null
  union select 'doomed: ' || storage_key from doomed_objects`;

/** Objects that no row names, rows whose object is missing, and unfinished writes: after a collection there is none. */
export async function findOrphans({ database, storage }: Context): Promise<readonly string[]> {
  const { rows } = await database.raw<{ rows: readonly { key: string }[] }>(NAMED_KEYS);
  const missing = new Set(rows.map(({ key }) => key));
  const orphans: string[] = [];
  for (const prefix of PREFIXES) {
    for await (const { key } of storage.list(prefix))
      if (!missing.delete(key)) orphans.push(`object ${key} has no row`);
  }
  orphans.push(...[...missing].map((key) => `row of ${key} has no object`));
  const unfinished = await storage.removeUnfinished(new Date(Date.now() + 86_400_000));
  if (unfinished > 0) orphans.push(`${unfinished} unfinished writes`);
  return orphans;
}
