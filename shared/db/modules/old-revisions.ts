import type { Database } from '../database.ts';

/** A revision may have as many files as a package has entries: few at once, so that no statement takes long. */
const REVISIONS_AT_ONCE = 10;

/** Deletes revisions with the indexes of their files. Their archives then have no row: collection removes them. */
const deleting = (selected: string) => `
  with old as (${selected}), files as (
    delete from module_files f using old where f.module_id = old.module_id and f.revision = old.revision
  )
  delete from module_revisions r using old where r.module_id = old.module_id and r.revision = old.revision`;

const OLDEST = deleting(`
  select module_id, revision from module_revisions where module_id = :moduleId and revision <= :last
  order by revision limit :limit`);

// An import that makes a deleted module anew waits for the lock of the module's row.
const OF_DELETED = deleting(`
  select r.module_id, r.revision from modules m join module_revisions r on r.module_id = m.id
  where m.deleted_at < now() - :days * interval '1 day'
  order by m.deleted_at limit :limit for no key update of m, r skip locked`);

/** Deletes the oldest revisions of a module up to this one, some of them if there are many. */
export async function deleteOldestRevisions(
  database: Database,
  moduleId: string,
  last: number,
): Promise<void> {
  await database.raw(OLDEST, { moduleId, last, limit: REVISIONS_AT_ONCE });
}

/** Deletes the revisions of modules that were deleted so many days ago; returns their number. */
export async function deleteRevisionsOfDeletedModules(database: Database, days: number): Promise<number> {
  for (let deleted = 0; ;) {
    const { rowCount } = await database.raw<{ rowCount: number }>(OF_DELETED, {
      days,
      limit: REVISIONS_AT_ONCE,
    });
    deleted += rowCount;
    if (rowCount < REVISIONS_AT_ONCE) return deleted;
  }
}
