import type { Database } from '../database.ts';

/** The time by the one clock that all processes share. */
export async function databaseTime(database: Database): Promise<Date> {
  const { rows } = await database.raw<{ rows: { now: Date }[] }>('select now() as now');
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no time');
  return row.now;
}

const BATCH = 1_000;

/** Runs a statement that changes at most a batch of rows until nothing is left; returns the number of rows. */
async function inBatches(database: Database, statement: string, days: number): Promise<number> {
  for (let changed = 0; ;) {
    const { rowCount } = await database.raw<{ rowCount: number }>(statement, { days, limit: BATCH });
    changed += rowCount;
    if (rowCount < BATCH) return changed;
  }
}

/**
 * Forgets the archives of imports that ended so many days ago, and of those that only validated: these are not
 * kept. A failed import keeps its archive for the full time, for an operator's retry. Returns their number.
 */
export async function forgetExpiredArchives(database: Database, days: number): Promise<number> {
  const statement = `
    update imports set archive_key = null where id in (
      select id from imports
      where archive_key is not null and finished_at is not null
        and (finished_at <= now() - :days * interval '1 day' or (validate_only and status <> 'failed'))
      order by finished_at limit :limit for update skip locked)`;
  return inBatches(database, statement, days);
}

/** Removes rows of imports that ended so many days ago and whose archives are not kept. Returns their number. */
export async function dropOldImports(database: Database, days: number): Promise<number> {
  const statement = `
    delete from imports where id in (
      select id from imports
      where created_at < now() - :days * interval '1 day' and finished_at < now() - :days * interval '1 day'
        and archive_key is null
      order by created_at, id limit :limit)`;
  return inBatches(database, statement, days);
}
