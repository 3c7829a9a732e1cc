import type { Database } from '../database.ts';
import { visibleRevisions } from './visible-revision.ts';
import type { FreedArchive } from '../imports/freed-archives.ts';
import { inBatches } from '../in-batches.ts';
import { queryRows, type StatementValues } from '../statement.ts';

/** A revision may have as many files as a package has entries: few at once, so that no statement takes long. */
const REVISIONS_AT_ONCE = 10;
const MODULES_AT_ONCE = 1_000;

/**
 * Deletes revisions with the indexes of their files, and requests to release them that wait for an operator. Their
 * archives are freed: collection removes them later.
 */
const deleting = (selected: string) => `
  with old as (${selected}), files as (
    delete from module_files f using old where f.module_id = old.module_id and f.revision = old.revision
  ), gone as (
    delete from module_revisions r using old where r.module_id = old.module_id and r.revision = old.revision
    returning r.archive_key, r.archive_bytes, r.organization_id, r.module_id, r.revision
  ), requests as (
    delete from reviews v using gone
    where v.organization_id = gone.organization_id and v.module_id = gone.module_id and v.revision = gone.revision
      and v.kind = 'first-release' and v.decided_at is null
  ), freed as (
    insert into freed_archives (archive_key, archive_bytes, organization_id, module_id)
    select archive_key, archive_bytes, organization_id, module_id from gone
  )
  select archive_key, archive_bytes from gone`;

const ONE = deleting(`
  select module_id, revision from module_revisions where module_id = :moduleId and revision = :revision`);

const OLDEST = deleting(`
  select r.module_id, r.revision from modules m join module_revisions r on r.module_id = m.id
  where m.id = :moduleId and r.revision <= :last and r.revision <> all(${visibleRevisions('m')})
  order by r.revision limit :limit`);

// An import that makes a deleted module anew waits for the lock of the module's row.
const OF_DELETED = deleting(`
  select r.module_id, r.revision from modules m join module_revisions r on r.module_id = m.id
  where m.deleted_at < now() - :days * interval '1 day'
  order by m.deleted_at limit :limit for no key update of m, r skip locked`);

const OF_DELETED_MODULE = deleting(`
  select r.module_id, r.revision from modules m join module_revisions r on r.module_id = m.id
  where m.id = :moduleId and m.deleted_at is not null limit :limit for no key update of m, r`);

const MODULES_WITH_MORE = `
  select id from modules where newest_revision > :kept and deleted_at is null and id > :after
  order by id limit ${MODULES_AT_ONCE}`;

// Nobody can change who sees which revision before the statement ends: the module's row says it all.
const OUTDATED = deleting(`
  select r.module_id, r.revision from modules m join module_revisions r on r.module_id = m.id
  where m.id = any(:moduleIds::uuid[]) and m.deleted_at is null and r.revision <> all(${visibleRevisions('m')})
    and r.created_at < now() - :days * interval '1 day'
    and :kept = (select count(*) from (
      select from module_revisions n where n.module_id = r.module_id and n.revision > r.revision limit :kept) as newer)
  limit :limit for no key update of m, r skip locked`);

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Deletes one revision of a module; false where there is none. Its caller has locked the module. */
export async function deleteOneRevision(transaction: Database, moduleId: string, revision: number) {
  const rows = await queryRows<FreedArchive>(transaction, ONE, { moduleId, revision });
  return rows.length === 1;
}

/** Deletes the oldest revisions of a module up to this one that nobody sees, some of them if there are many. */
export async function deleteOldestRevisions(
  database: Database,
  moduleId: string,
  last: number,
): Promise<void> {
  await database.raw(OLDEST, { moduleId, last, limit: REVISIONS_AT_ONCE });
}

/** Deletes the revisions of modules that were deleted this number of days ago; yields their archives. */
export function deleteRevisionsOfDeletedModules(
  database: Database,
  days: number,
): AsyncGenerator<readonly FreedArchive[]> {
  return inFewAtOnce(database, OF_DELETED, { days });
}

/** Deletes the revisions of a deleted module; yields their archives. Those of a module that was made anew stay. */
export function deleteRevisionsOfModule(
  database: Database,
  moduleId: string,
): AsyncGenerator<readonly FreedArchive[]> {
  return inFewAtOnce(database, OF_DELETED_MODULE, { moduleId });
}

/** The revisions of a module that are kept, beside the visible ones. */
export interface RevisionRetention {
  /** Those that are younger. */
  readonly days: number;
  /** The number of newest revisions that are kept. */
  readonly kept: number;
}

/** Deletes what is neither young nor among the newest revisions of its module; yields the archives. */
export async function* deleteOutdatedRevisions(
  database: Database,
  { days, kept }: RevisionRetention,
): AsyncGenerator<readonly FreedArchive[]> {
  for (let after = FIRST_ID; ;) {
    const rows = await queryRows<{ id: string }>(database, MODULES_WITH_MORE, { kept, after });
    const moduleIds = rows.map(({ id }) => id);
    yield* inFewAtOnce(database, OUTDATED, { moduleIds, days, kept });
    after = moduleIds.at(-1) ?? after;
    if (moduleIds.length < MODULES_AT_ONCE) return;
  }
}

function inFewAtOnce(
  database: Database,
  statement: string,
  values: StatementValues,
): AsyncGenerator<readonly FreedArchive[]> {
  return inBatches<FreedArchive>(database, statement, values, REVISIONS_AT_ONCE);
}
