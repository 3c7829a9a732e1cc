import { countExpiringKeys } from '../../shared/db/access/api-keys.ts';
import { countFailed } from '../../shared/db/imports/failed-imports.ts';
import { readBacklog } from '../../shared/db/imports/unfinished-imports.ts';
import { readUndelivered } from '../../shared/db/webhooks/undelivered.ts';
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

/** Reports what hurts later: events that are not delivered, and keys that expire. It is read as the backlog is. */
export function reportWarnings(
  { processMetrics }: Pick<Context, 'processMetrics'>,
  database: Database,
): void {
  const undelivered = processMetrics.gauge(
    'webhook_oldest_undelivered_seconds',
    'How long the oldest event has been waiting for its first call, and the longest time that a webhook has been failing; 0: none.',
    ['state'],
  );
  const expiring = processMetrics.gauge(
    'api_keys_expiring',
    'API keys in use that expire within three days and have not been rotated.',
  );
  const readWebhooks = async () => {
    const { oldestWaitingSeconds, longestFailingSeconds } = await readUndelivered(database);
    undelivered.set({ state: 'waiting' }, oldestWaitingSeconds);
    undelivered.set({ state: 'failing' }, longestFailingSeconds);
  };
  const readKeys = async () => expiring.set(await countExpiringKeys(database));
  processMetrics.beforeRead('webhooks', readWebhooks, () => undelivered.reset());
  processMetrics.beforeRead('API keys', readKeys, () => expiring.remove());
}
