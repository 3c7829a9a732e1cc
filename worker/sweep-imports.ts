import {
  countQuietImports,
  failOverdueImports,
  findQuietImports,
} from '../shared/db/imports/unfinished-imports.ts';
import type { QuietImport } from '../shared/db/imports/unfinished-imports.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import { failAndNotify } from './fail-import.ts';
import type { WorkerContext } from './worker-context.ts';

/** A row that has not changed for so long may have lost its job; far above the way from row to queue. */
const QUIET_MS = 4_000;
/** So few are looked at one by one: jobs that a crash of Redis brought back would hide those that it lost. */
const FEW = 100;
const PAGE = 1_000;
const AT_ONCE = 16;
/** What an attempt may need to notice by itself that its time is over. */
const OVERDUE_SECONDS = 60;

/**
 * Queues again what the queue lost, where few imports are quiet or it has fewer jobs than there are: that is
 * quickly told, and a long backlog need not be looked through again and again. Gives the number of imports changed.
 */
export async function sweepLostImports(context: WorkerContext): Promise<number> {
  const quiet = await countQuietImports(context.database, QUIET_MS);
  if (quiet === 0) return 0;
  if (quiet <= FEW) return sweepImports(context);
  const { waiting = 0, delayed = 0, active = 0 } = await context.queue.countJobs();
  if (waiting + delayed + active >= quiet) return 0;
  return sweepImports(context);
}

/**
 * Looks at every unfinished import: queues again what the queue lost, ends what it gave up, and ends what can
 * never end. The row is the truth, the queue a hint. Gives the number of imports that it changed.
 */
export async function sweepImports(context: WorkerContext, quietMs = QUIET_MS): Promise<number> {
  let changed = await endOverdue(context);
  for (let after: string | null = null; ;) {
    const page = await findQuietImports(context.database, quietMs, after, PAGE);
    await forEachAtOnce(page, AT_ONCE, async (quiet) => {
      if (await recover(context, quiet)) changed += 1;
    });
    after = page.at(-1)?.id ?? null;
    if (page.length < PAGE) break;
  }
  context.metrics.mended.inc(changed);
  if (changed > 0) context.log.warn({ imports: changed }, 'sweep mended imports');
  return changed;
}

/** An attempt bounds its own steps; this ends those whose worker cannot even do that. */
async function endOverdue({ database, notifier, config, metrics }: WorkerContext): Promise<number> {
  const { deadlineSeconds } = config.imports;
  const ended = await failOverdueImports(database, deadlineSeconds + OVERDUE_SECONDS, {
    code: 'import-deadline-exceeded',
    detail: `The import did not end within ${deadlineSeconds} seconds.`,
    severity: 'error',
  });
  metrics.ended.inc({ status: 'failed', outcome: 'none' }, ended.length);
  for (const importId of ended) notifier.changed(importId);
  return ended.length;
}

async function recover(context: WorkerContext, { id: importId, isRetry }: QuietImport): Promise<boolean> {
  const job = await context.queue.queue.getJob(importId);
  const state = job === undefined ? 'missing' : await job.getState();
  switch (state) {
    case 'failed':
      // An operator's retry broke off between the row and the queue.
      if (isRetry) await context.queue.retryImport(importId);
      else await failAndNotify(context, importId);
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
