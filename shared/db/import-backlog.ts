import type { Database } from './database.ts';
import { ImportModel } from './models.ts';

/** Imports that have not ended, of all organizations. */
export interface ImportBacklog {
  readonly queued: number;
  readonly running: number;
  /** How long the one that has waited longest has been waiting; 0 when none waits. */
  readonly oldestWaitingSeconds: number;
}

interface BacklogRow {
  readonly status: string;
  readonly imports: number;
  readonly oldestSeconds: number;
}

/** Reads how many imports wait and run, from their rows: they are the truth, whatever the queue knows. */
export async function readBacklog(database: Database): Promise<ImportBacklog> {
  const rows: readonly unknown[] = await ImportModel.query(database)
    .select('status')
    .count('* as imports')
    .select(database.raw('extract(epoch from now() - min(queued_at))::float8 as oldest_seconds'))
    .whereIn('status', ['queued', 'running'])
    .groupBy('status');
  const of = (status: string) => rows.filter(isBacklogRow).find((row) => row.status === status);
  const queued = of('queued');
  return {
    queued: queued?.imports ?? 0,
    running: of('running')?.imports ?? 0,
    oldestWaitingSeconds: Math.max(0, queued?.oldestSeconds ?? 0),
  };
}

function isBacklogRow(row: unknown): row is BacklogRow {
  return (
    typeof row === 'object' && row !== null && 'status' in row && 'imports' in row && 'oldestSeconds' in row
  );
}
