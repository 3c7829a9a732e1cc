import type { Database } from '../database.ts';
import { changeInBatches } from '../in-batches.ts';

/** The time by the one clock that all processes share. */
export async function databaseTime(database: Database): Promise<Date> {
  const { rows } = await database.raw<{ rows: { now: Date }[] }>('select now() as now');
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no time');
  return row.now;
}

const FORGET_EXPIRED = `
  update imports set archive_key = null where ctid = any(array(
    select ctid from imports
    where archive_key is not null and finished_at <= now() - :days * interval '1 day'
    order by finished_at limit :limit for update skip locked))`;

const FORGET_VALIDATED = `
  update imports set archive_key = null where ctid = any(array(
    select ctid from imports
    where archive_key is not null and validate_only and status in ('succeeded', 'rejected', 'cancelled')
    order by finished_at limit :limit for update skip locked))`;

/**
 * Forgets the archives of imports that ended so many days ago, and of those that only validated: these are not
 * kept. A failed import keeps its archive for the full time, for an operator's retry. Returns their number.
 */
export async function forgetExpiredArchives(database: Database, days: number): Promise<number> {
  const expired = await changeInBatches(database, FORGET_EXPIRED, { days });
  return expired + (await changeInBatches(database, FORGET_VALIDATED));
}

const DROP_OLD = `
  delete from imports where ctid = any(array(
    select ctid from imports
    where archive_key is null and finished_at < now() - :days * interval '1 day'
    order by finished_at limit :limit for update skip locked))`;

/** Removes rows of imports that ended so many days ago and whose archives are not kept. Returns their number. */
export async function dropOldImports(database: Database, days: number): Promise<number> {
  return changeInBatches(database, DROP_OLD, { days });
}
