import type { Database } from '../database.ts';
import { changeInBatches, inBatches, nextOf } from '../in-batches.ts';
import type { FreedArchive } from '../modules/old-revisions.ts';
import { onlyRow, queryRows } from '../statement.ts';

/** The time by the one clock that all processes share. */
export async function databaseTime(database: Database): Promise<Date> {
  return (await onlyRow<{ now: Date }>(database, 'select now() as now')).now;
}

/** Archives that no row names any more. */
export interface UnnamedArchives {
  readonly archives: number;
  readonly bytes: number;
}

const forget = (condition: string) => `
  update imports set archive_key = null
  where ${nextOf('imports', `archive_key is not null and ${condition} order by finished_at`)}
  returning size_bytes as bytes`;

const FORGET_EXPIRED = forget("finished_at <= now() - :days * interval '1 day'");
const FORGET_VALIDATED = forget("validate_only and status in ('succeeded', 'rejected', 'cancelled')");

/**
 * Forgets the archives of imports that ended this number of days ago, and of those that only validated: these are not
 * kept. A failed import keeps its archive for the full time, for an operator's retry.
 */
export async function forgetExpiredArchives(database: Database, days: number): Promise<UnnamedArchives> {
  const expired = await countUnnamed(database, FORGET_EXPIRED, { days });
  const validated = await countUnnamed(database, FORGET_VALIDATED);
  return { archives: expired.archives + validated.archives, bytes: expired.bytes + validated.bytes };
}

const FORGET_FREED = `
  delete from freed_archives
  where ${nextOf('freed_archives', "freed_at <= now() - :ms * interval '1 millisecond' order by freed_at")}
  returning archive_bytes as bytes`;

/** Forgets the archives of revisions that were deleted long enough ago: their downloads have ended. */
export async function forgetFreedArchives(database: Database, ms: number): Promise<UnnamedArchives> {
  return countUnnamed(database, FORGET_FREED, { ms });
}

const FORGET_ENDED = `
  with ended as (
    select id, archive_key, size_bytes from imports
    where organization_id = :organizationId and archive_key is not null and finished_at is not null
      and (:moduleId::uuid is null or module_id = :moduleId or named_module_id = :moduleId) for update
  )
  update imports set archive_key = null from ended where imports.id = ended.id
  returning ended.archive_key, ended.size_bytes as archive_bytes`;

/**
 * Forgets the uploads of an organization's imports that have ended, or of those about one module; returns them. An
 * import that is queued again keeps its own.
 */
export async function forgetEndedUploads(
  database: Database,
  organizationId: string,
  moduleId: string | null,
): Promise<readonly FreedArchive[]> {
  return queryRows<FreedArchive>(database, FORGET_ENDED, { organizationId, moduleId });
}

async function countUnnamed(
  database: Database,
  statement: string,
  values?: Readonly<Record<string, number>>,
): Promise<UnnamedArchives> {
  const unnamed = { archives: 0, bytes: 0 };
  for await (const rows of inBatches<{ bytes: number }>(database, statement, values)) {
    unnamed.archives += rows.length;
    for (const { bytes } of rows) unnamed.bytes += bytes;
  }
  return unnamed;
}

const OLD = "archive_key is null and finished_at < now() - :days * interval '1 day' order by finished_at";

/** Removes rows of imports that ended this number of days ago, without a kept archive. Returns their number. */
export async function dropOldImports(database: Database, days: number): Promise<number> {
  return changeInBatches(database, `delete from imports where ${nextOf('imports', OLD)}`, { days });
}
