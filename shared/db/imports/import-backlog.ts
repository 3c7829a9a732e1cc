import type { Database } from '../database.ts';
import { queryRow } from '../statement.ts';

/** Imports that have not ended, of all organizations. */
export interface ImportBacklog {
  readonly queued: number;
  readonly running: number;
  /** How long the oldest queued import has been waiting; 0 when none waits. */
  readonly oldestWaitingSeconds: number;
}

/** Counts the queued and running imports by their rows, which are authoritative, not by the queue's jobs. */
export async function readBacklog(database: Database): Promise<ImportBacklog> {
  const backlog = await queryRow<ImportBacklog>(
    database,
    `select count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'running') as running,
       coalesce(greatest(extract(epoch from now() - min(queued_at) filter (where status = 'queued')), 0), 0)::float8
         as oldest_waiting_seconds
     from imports where status in ('queued', 'running')`,
  );
  if (backlog === null) throw new Error('the backlog has no row');
  return backlog;
}
