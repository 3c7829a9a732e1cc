import { Gauge } from 'prom-client';
import { readBacklog } from '../../shared/db/imports/import-backlog.ts';
import type { Context } from '../../shared/process/context.ts';

/**
 * Tells what waits: imports by their rows, jobs by the queue. It is read when metrics are asked for, and every
 * API process tells the same; where it cannot be read, it is left out.
 */
export function tellBacklog({ database, queue, processMetrics }: Context): void {
  const registers = [processMetrics.registry];
  const rows = new Gauge({
    name: 'import_queue_rows',
    help: 'Imports that have not ended, by the status of their rows.',
    labelNames: ['status'],
    registers,
  });
  const oldest = new Gauge({
    name: 'import_queue_oldest_waiting_seconds',
    help: 'How long the import that has waited longest has been waiting; 0 when none waits.',
    registers,
  });
  const jobs = new Gauge({
    name: 'import_queue_jobs',
    help: 'Jobs of imports in the queue, by their state.',
    labelNames: ['state'],
    registers,
  });
  const readRows = async () => {
    const { queued, running, oldestWaitingSeconds } = await readBacklog(database);
    rows.set({ status: 'queued' }, queued);
    rows.set({ status: 'running' }, running);
    oldest.set(oldestWaitingSeconds);
  };
  const readJobs = async () => {
    for (const [state, count] of Object.entries(await queue.countJobs())) jobs.set({ state }, count);
  };
  processMetrics.beforeRead('import rows', readRows, () => {
    rows.reset();
    oldest.remove();
  });
  processMetrics.beforeRead('queue', readJobs, () => {
    jobs.reset();
  });
}
