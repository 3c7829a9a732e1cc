import type { Database } from '../database.ts';
import { queryRows } from '../statement.ts';

const BATCH = 10_000;

/** The position before which every change is older than so many days; changes have their positions in about the order of time. */
const BEFORE = `
  select coalesce(
    (select position from changes where at >= now() - :days * interval '1 day' order by position limit 1),
    (select max(position) + 1 from changes), 0) as before`;

// One statement: whoever reads the changes sees which of them are no longer kept.
const DELETE = `
  with deleted as (
    delete from changes where position = any(array(
      select position from changes where position < :before order by position limit :limit))
    returning position, id
  ), moved as (
    update change_horizon set (position, mark) = (
      select position, left(id::text, 8) from deleted order by position desc limit 1)
    where exists (select from deleted)
  )
  select count(*)::int as n from deleted`;

/** Deletes the changes that are older than so many days, in batches; returns how many. */
export async function deleteOldChanges(database: Database, days: number): Promise<number> {
  const found = await queryRows<{ before: number }>(database, BEFORE, { days });
  const before = found[0]?.before ?? 0;
  let deleted = 0;
  for (let n = BATCH; n === BATCH; deleted += n) {
    const rows = await queryRows<{ n: number }>(database, DELETE, { before, limit: BATCH });
    n = rows[0]?.n ?? 0;
  }
  return deleted;
}
