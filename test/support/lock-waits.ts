import { lockUse } from '../../shared/db/connection-sharing.ts';
import { SEQUENCER_LOCK } from '../../shared/db/changes/change-sequencer.ts';
import type { TestApp } from './test-app.ts';

/** The number of the service's statements that wait for another transaction's lock, without the sequencer's. */
export async function lockWaits({ api }: TestApp): Promise<number> {
  const { rows } = await api.database.raw<{ rows: { waits: number }[] }>(
    `select count(*) as waits from pg_stat_activity
     where wait_event_type = 'Lock' and datname = current_database() and query not like ?`,
    [`%${SEQUENCER_LOCK}%`],
  );
  return rows[0]?.waits ?? 0;
}

/** The number of calls that have met another transaction's lock and try again. */
export function lockedCalls({ api }: TestApp): number {
  const { used, waiting } = lockUse(api.database);
  return used + waiting;
}
