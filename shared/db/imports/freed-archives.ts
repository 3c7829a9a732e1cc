import type { Database } from '../database.ts';
import { inBatches } from '../in-batches.ts';
import type { ModuleKey } from '../modules/models.ts';
import type { Row } from '../rows.ts';
import { onlyRow, queryRows } from '../statement.ts';

const ARCHIVES_AT_ONCE = 500;

/** An archive that nothing needs any more. Its row stays until the object is removed: until then it counts as stored. */
export type FreedArchive = Readonly<Pick<Row<'freed_archives'>, 'archiveKey' | 'archiveBytes'>>;

/** A number of archives. */
export interface ArchiveSum {
  readonly archives: number;
  readonly bytes: number;
}

/**
 * Frees the archives of imports. An import that is queued again keeps its own: it has not ended then. The rows are found
 * again by their address, as by `nextOf`.
 */
const free = (chosen: string) => `
  with chosen as (
    select ctid as address, id, archive_key, size_bytes, organization_id from imports
    where archive_key is not null and finished_at is not null and ${chosen}
  ), forgotten as (
    update imports set archive_key = null where ctid = any(array(select address from chosen)) returning id
  )
  insert into freed_archives (archive_key, archive_bytes, organization_id)
  select archive_key, size_bytes, organization_id from chosen join forgotten on forgotten.id = chosen.id
  returning archive_key, archive_bytes`;

const NEXT = 'limit :limit for update skip locked';
/** A retry that fails again does not extend the time in which a later import of the module is remembered. */
const KEPT_SINCE = 'coalesce(failed_at, finished_at)';

const FREE_EXPIRED = free(`${KEPT_SINCE} <= now() - :days * interval '1 day' order by ${KEPT_SINCE} ${NEXT}`);
const FREE_UNUSED = free(
  `(status = 'cancelled' or (validate_only and status in ('succeeded', 'rejected'))) order by finished_at ${NEXT}`,
);
const FREE_ONE = free("id = :importId and status in ('succeeded', 'rejected', 'cancelled') for update");
const FREE_OF_ORGANIZATION = free(`organization_id = :organizationId
    and (:moduleId::uuid is null or module_id = :moduleId or named_module_id = :moduleId)
  order by id limit :limit for update`);

/**
 * Frees the archives of imports that ended or first failed this number of days ago, and at once those of imports that
 * only validated, or were cancelled. A failed import keeps its archive for the full time, for an operator's retries.
 */
export async function freeExpiredArchives(database: Database, days: number): Promise<ArchiveSum> {
  const sum = { archives: 0, bytes: 0 };
  for (const statement of [FREE_EXPIRED, FREE_UNUSED])
    for await (const rows of inBatches<FreedArchive>(database, statement, { days })) addTo(sum, rows);
  return sum;
}

/** Frees the archive of an import that has ended and is never retried. */
export async function freeArchive(database: Database, importId: string): Promise<readonly FreedArchive[]> {
  return queryRows<FreedArchive>(database, FREE_ONE, { importId });
}

/** Frees the archives of an organization's imports that have ended, or of those about one module; yields them. */
export function freeArchivesOf(
  database: Database,
  organizationId: string,
  moduleId: string | null,
): AsyncGenerator<readonly FreedArchive[]> {
  const values = { organizationId, moduleId };
  return inBatches<FreedArchive>(database, FREE_OF_ORGANIZATION, values, ARCHIVES_AT_ONCE);
}

const RELEASE = `
  update freed_archives set module_id = null
  where archive_key = any(array(select archive_key from freed_archives 
    where module_id = :moduleId and organization_id = :organizationId limit :limit))
  returning archive_key, archive_bytes`;

/** Waits no longer for downloads of a module's deleted revisions; yields their archives. */
export function releaseFreedArchives(
  database: Database,
  { organizationId, moduleId }: ModuleKey,
): AsyncGenerator<readonly FreedArchive[]> {
  return inBatches<FreedArchive>(database, RELEASE, { organizationId, moduleId }, ARCHIVES_AT_ONCE);
}

/** Those that no download reads any more: of uploads, and of revisions that were deleted long enough ago. */
const IS_DUE = "(module_id is null or freed_at <= now() - :ms * interval '1 millisecond')";

const DUE = `
  select archive_key, archive_bytes from freed_archives
  where ${IS_DUE} and archive_key > :after and (:organizationId::uuid is null or organization_id = :organizationId)
  order by archive_key limit ${ARCHIVES_AT_ONCE}`;

/**
 * The archives that may be removed now, of one organization or of all. What cannot be removed stays, and is not yielded
 * again.
 */
export async function* dueArchives(
  database: Database,
  ms: number,
  organizationId: string | null = null,
): AsyncGenerator<readonly FreedArchive[]> {
  for (let after = ''; ;) {
    const due = await queryRows<FreedArchive>(database, DUE, { ms, after, organizationId });
    yield due;
    after = due.at(-1)?.archiveKey ?? after;
    if (due.length < ARCHIVES_AT_ONCE) return;
  }
}

const SUM_DUE = `
  select count(*)::int as archives, coalesce(sum(archive_bytes), 0)::bigint as bytes from freed_archives where ${IS_DUE}`;

export async function sumDueArchives(database: Database, ms: number): Promise<ArchiveSum> {
  return onlyRow<ArchiveSum>(database, SUM_DUE, { ms });
}

/** Forgets archives whose objects are removed: they count as stored no longer. */
export async function forgetFreed(database: Database, archiveKeys: readonly string[]): Promise<void> {
  await database.raw('delete from freed_archives where archive_key = any(:archiveKeys::text[])', {
    archiveKeys: [...archiveKeys],
  });
}

/** Adds archives to a sum. */
export function addTo(
  sum: { -readonly [Name in keyof ArchiveSum]: number },
  rows: readonly FreedArchive[],
): void {
  sum.archives += rows.length;
  for (const { archiveBytes } of rows) sum.bytes += archiveBytes;
}
