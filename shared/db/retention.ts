import type { Database } from './database.ts';

/** The one clock that all processes share. */
export async function databaseTime(database: Database): Promise<Date> {
  const { rows } = await database.raw<{ rows: { now: Date }[] }>('select now() as now');
  const [row] = rows;
  if (row === undefined) throw new Error('the database gave no time');
  return row.now;
}

const DROPPED_AT_ONCE = 1_000;

/** Removes rows of imports that ended so many days ago and whose archives are not kept. Gives their number. */
export async function dropOldImports(database: Database, days: number): Promise<number> {
  for (let dropped = 0; ;) {
    const { rowCount } = await database.raw<{ rowCount: number }>(
      `delete from imports where id in (
         select id from imports
         where created_at < now() - :days * interval '1 day' and finished_at < now() - :days * interval '1 day'
           and archive_key is null
         order by created_at, id limit :limit)`,
      { days, limit: DROPPED_AT_ONCE },
    );
    dropped += rowCount;
    if (rowCount < DROPPED_AT_ONCE) return dropped;
  }
}
