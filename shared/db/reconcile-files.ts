import type { Database } from './database.ts';

/** What differs between the files that the database knows and the objects that are there. */
export interface FileDifferences {
  /** Object keys of files that a module has, and that are lost. */
  readonly missing: readonly string[];
  /** Rows of files that no module has and that are not there: removed, so that no import counts on them. */
  readonly forgotten: number;
  /** Objects that no row knows: given to the collection. */
  readonly strays: number;
}

/**
 * Makes the rows of stored files agree with the objects that are there, whose keys come in batches. For a
 * database and a storage that no process of the service uses, such as after a restore.
 */
export async function reconcileFiles(
  database: Database,
  found: AsyncIterable<readonly string[]>,
): Promise<FileDifferences> {
  return database.transaction(async (transaction) => {
    await transaction.raw(
      'create temporary table found_objects (object_key uuid primary key) on commit drop',
    );
    for await (const keys of found) {
      await transaction.raw('insert into found_objects select unnest(?::uuid[]) on conflict do nothing', [
        [...keys],
      ]);
    }
    const missing = await transaction.raw<{ rows: { objectKey: string }[] }>(
      'select distinct object_key from module_files where object_key not in (select object_key from found_objects)',
    );
    const forgotten = await transaction.raw<{ rowCount: number }>(
      `delete from stored_files where object_key not in (select object_key from found_objects)
       and not exists (select 1 from module_files m where m.object_key = stored_files.object_key)`,
    );
    const strays = await transaction.raw<{ rowCount: number }>(
      `insert into doomed_objects (storage_key)
       select 'files/' || object_key from found_objects
       where object_key not in (select object_key from stored_files) on conflict do nothing`,
    );
    return {
      missing: missing.rows.map((row) => row.objectKey),
      forgotten: forgotten.rowCount,
      strays: strays.rowCount,
    };
  });
}
