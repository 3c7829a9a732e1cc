import type { Database } from './database.ts';

/**
 * Claims a duty for this process until it is due again: of many workers one does it. When that one dies over
 * it, another does it at the next time.
 */
export async function claimDuty(database: Database, name: string, everyMs: number): Promise<boolean> {
  const claimed = await database.raw<{ rowCount: number }>(
    `insert into duties (name, due_at) values (:name, now() + :everyMs * interval '1 millisecond')
     on conflict (name) do update set due_at = excluded.due_at where duties.due_at <= now()`,
    { name, everyMs },
  );
  return claimed.rowCount === 1;
}
