import {
  countStaleImports,
  failOverdueImports,
  findStaleImports,
} from '../shared/db/imports/unfinished-imports.ts';
import type { StaleImport } from '../shared/db/imports/unfinished-imports.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import { failAndNotify } from './fail-import.ts';
import type { WorkerContext } from './worker-context.ts';

/** A row that has not changed for this long may have lost its job; adding a job takes far less. */
const STALE_MS = 4_000;
/** So few are checked one by one: jobs that a crash of Redis restored would hide those that it lost. */
const FEW = 100;
const PAGE = 1_000;
const AT_ONCE = 16;
/** The time that an attempt may need to notice that its own time is over. */
const OVERDUE_SECONDS = 60;

/**
 * Requeues imports whose jobs the queue lost, where few imports are stale or the queue has fewer jobs than stale
 * imports: this test is cheap, so that a long backlog is not read again and again. Returns the number of imports changed.
 */
export async function sweepLostImports(context: WorkerContext): Promise<number> {
  const stale = await countStaleImports(context.database, STALE_MS);
  if (stale === 0) return 0;
  if (stale <= FEW) return sweepImports(context);
  const { waiting = 0, delayed = 0, active = 0 } = await context.queue.countJobs();
  if (waiting + delayed + active >= stale) return 0;
  return sweepImports(context);
}

/**
 * Checks every unfinished import: requeues those whose jobs the queue lost, fails those whose jobs failed or whose
 * time is over. The row is authoritative, the queue a hint. Returns the number of imports that it changed.
 */
export async function sweepImports(context: WorkerContext, staleMs = STALE_MS): Promise<number> {
  let changed = await endOverdue(context);
  for (let after: string | null = null; ;) {
    const page = await findStaleImports(context.database, staleMs, after, PAGE);
    await forEachAtOnce(page, AT_ONCE, async (stale) => {
      if (await recover(context, stale)) changed += 1;
    });
    after = page.at(-1)?.id ?? null;
    if (page.length < PAGE) break;
  }
  context.metrics.recovered.inc(changed);
  if (changed > 0) context.log.warn({ imports: changed }, 'sweep recovered imports');
  return changed;
}

/** An attempt bounds its own steps; this ends the imports whose worker cannot do that. */
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

async function recover(context: WorkerContext, { id: importId, isRetry }: StaleImport): Promise<boolean> {
  const job = await context.queue.queue.getJob(importId);
  const state = job === undefined ? 'missing' : await job.getState();
  switch (state) {
    case 'failed':
      // An operator's retry failed between the row and the queue.
      if (isRetry) await context.queue.retryImport(importId);
      else await failAndNotify(context, importId);
      return true;
    case 'completed':
      // The row is not finished, but the job's record still exists: it would prevent a new job.
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
