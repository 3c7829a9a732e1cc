import type { Database } from '../database.ts';
import { changeInBatches, nextOf } from '../in-batches.ts';
import { onlyRow } from '../statement.ts';

/** The time by the one clock that all processes share. */
export async function databaseTime(database: Database): Promise<Date> {
  return (await onlyRow<{ now: Date }>(database, 'select now() as now')).now;
}

const OLD = "archive_key is null and finished_at < now() - :days * interval '1 day' order by finished_at";

/** Removes rows of imports that ended this number of days ago, without a kept archive. Returns their number. */
export async function dropOldImports(database: Database, days: number): Promise<number> {
  return changeInBatches(database, `delete from imports where ${nextOf('imports', OLD)}`, { days });
}
