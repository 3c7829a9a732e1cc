import { countFailed } from '../../shared/db/imports/failed-imports.ts';
import { readBacklog } from '../../shared/db/imports/unfinished-imports.ts';
import type { Database } from '../../shared/db/database.ts';
import type { Context } from '../../shared/process/context.ts';

/**
 * Reports the backlog and what failed: imports by their rows, jobs by the queue. It is read when metrics are collected, and every
 * API process reports the same values; those that cannot be read are left out.
 */
export function reportBacklog({ queue, processMetrics }: Context, database: Database): void {
  const rows = processMetrics.gauge('import_queue_rows', 'Unfinished imports, by the status of their rows.', [
    'status',
  ]);
  const oldest = processMetrics.gauge(
    'import_queue_oldest_waiting_seconds',
    'How long the oldest queued import has been waiting; 0 if none is queued.',
  );
  const jobs = processMetrics.gauge('import_queue_jobs', 'Import jobs in the queue, by state.', ['state']);
  const failed = processMetrics.gauge(
    'imports_failed',
    'Failed imports that no operator has retried or dismissed.',
  );
  const readRows = async () => {
    const { queued, running, oldestWaitingSeconds } = await readBacklog(database);
    rows.set({ status: 'queued' }, queued);
    rows.set({ status: 'running' }, running);
    oldest.set(oldestWaitingSeconds);
    failed.set(await countFailed(database));
  };
  const readJobs = async () => {
    for (const [state, count] of Object.entries(await queue.countJobs())) jobs.set({ state }, count);
  };
  processMetrics.beforeRead('import rows', readRows, () => {
    rows.reset();
    oldest.remove();
    failed.remove();
  });
  processMetrics.beforeRead('queue', readJobs, () => jobs.reset());
}
