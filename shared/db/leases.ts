import type { Database } from './database.ts';

/**
 * Claims the lease of a scheduled task for this process, until the task is due again: one of many workers runs
 * it. When that worker dies, another one claims the next lease.
 */
export async function claimLease(database: Database, name: string, everyMs: number): Promise<boolean> {
  const claimed = await database.raw<{ rowCount: number }>(
    `insert into leases (name, expires_at) values (:name, now() + :everyMs * interval '1 millisecond')
     on conflict (name) do update set expires_at = excluded.expires_at where leases.expires_at <= now()`,
    { name, everyMs },
  );
  return claimed.rowCount === 1;
}
