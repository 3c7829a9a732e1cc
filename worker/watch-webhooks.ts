import { setTimeout } from 'node:timers/promises';
import type { ChangeSequencer } from '../shared/db/changes/change-sequencer.ts';
import { findWebhooksWithWork } from '../shared/db/webhooks/deliveries.ts';
import type { OpenQueue } from '../shared/queue/import-queue.ts';
import { GrowingIntervals } from '../shared/telemetry/growing-intervals.ts';
import type { WorkerContext } from './worker-context.ts';

const PAUSE_MS = 250;
/** The search takes at most a tenth of a connection's time, however many webhooks there are. */
const PAUSE_PER_SEARCH = 9;

/**
 * Gives positions to changes, and queues the webhooks that have something to deliver, again and again: the database
 * knows what is due, so a lost job is only late. Every worker does so; the same webhooks are always in one job, of which
 * the queue keeps one. Returns the function that stops it.
 */
export function watchWebhooks(context: WorkerContext, sequencer: ChangeSequencer): () => Promise<void> {
  const stop = new AbortController();
  const watching = watch(context, sequencer, stop.signal);
  return async () => {
    stop.abort();
    await watching;
  };
}

async function watch(context: WorkerContext, sequencer: ChangeSequencer, signal: AbortSignal): Promise<void> {
  const reports = new GrowingIntervals();
  while (!signal.aborted) {
    let tookMs = 0;
    try {
      await sequencer.sequence();
      const startedMs = performance.now();
      const webhookIds = await findWebhooksWithWork(context.database);
      tookMs = performance.now() - startedMs;
      await queueWebhooks(context.queue, webhookIds);
    } catch (error) {
      if (reports.isDue()) context.log.error({ err: error }, 'webhooks not queued');
    }
    await setTimeout(Math.max(PAUSE_MS, PAUSE_PER_SEARCH * tookMs), undefined, { signal }).catch(
      () => undefined,
    );
  }
}

async function queueWebhooks(
  queue: Pick<OpenQueue, 'addWebhooks'>,
  webhookIds: readonly string[],
): Promise<void> {
  const jobs = new Map<string, string[]>();
  for (const id of webhookIds) {
    // The last digit of a UUID: sixteen jobs, more than there are workers most often.
    const jobId = `webhooks-${id.at(-1) ?? ''}`;
    const ids = jobs.get(jobId);
    if (ids === undefined) jobs.set(jobId, [id]);
    else ids.push(id);
  }
  await Promise.all([...jobs].map(([jobId, ids]) => queue.addWebhooks(jobId, ids)));
}
