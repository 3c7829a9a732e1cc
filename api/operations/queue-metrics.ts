import { Gauge } from 'prom-client';
import { readBacklog } from '../../shared/db/imports/import-backlog.ts';
import type { NotificationListener } from '../../shared/db/notification-listener.ts';
import type { Context } from '../../shared/process/context.ts';

/** With a heartbeat every 250 ms, a channel that works has proven itself within this time. */
const PROVEN_MS = 2_000;

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

/** Tells whether notifications arrive. */
export function tellChannel({ processMetrics }: Context, listener: NotificationListener): void {
  const up = new Gauge({
    name: 'notification_channel_up',
    help: 'Whether notifications arrive, as a heartbeat through the database has shown of late: 1 or 0.',
    registers: [processMetrics.registry],
  });
  processMetrics.beforeRead('notification channel', () => {
    up.set(listener.unprovenMs() < PROVEN_MS ? 1 : 0);
  });
}
