import { findQuietImports } from '../shared/db/imports.ts';
import { giveUpImport } from './give-up-import.ts';
import type { WorkerContext } from './worker-context.ts';

/** A row that has not changed for so long may have lost its job; far above the way from row to queue. */
const QUIET_MS = 10_000;
const AT_MOST = 500;

/**
 * Queues again what the queue lost, and ends what it gave up: the row is the truth, the queue a hint.
 * Gives the number of imports that it changed.
 */
export async function sweepImports(context: WorkerContext, quietMs = QUIET_MS): Promise<number> {
  const quiet = await findQuietImports(context.database, quietMs, AT_MOST);
  let changed = 0;
  for (const importId of quiet) if (await mend(context, importId)) changed += 1;
  context.metrics.mended.inc(changed);
  if (changed > 0) context.log.warn({ imports: changed }, 'sweep mended imports');
  return changed;
}

async function mend(context: WorkerContext, importId: string): Promise<boolean> {
  const job = await context.queue.queue.getJob(importId);
  const state = job === undefined ? 'missing' : await job.getState();
  switch (state) {
    case 'failed':
      await giveUpImport(context, importId);
      return true;
    case 'completed':
      // The job's record outlived a row that is not finished: it stands in the way of a new one.
      await job?.remove();
      await context.queue.addImport(importId);
      return true;
    case 'missing':
    case 'unknown':
      await context.queue.addImport(importId);
      return true;
    default:
      return false;
  }
}
