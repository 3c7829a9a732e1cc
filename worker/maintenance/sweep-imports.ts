import {
  countStaleImports,
  findStaleImports,
  type StaleImport,
} from '../../shared/db/imports/unfinished-imports.ts';
import { databaseTime } from '../../shared/db/imports/retention.ts';
import { forEachAtOnce } from '../../shared/process/for-each-at-once.ts';
import { priorityAfter } from '../../shared/queue/import-queue.ts';
import type { WorkerContext } from '../worker-context.ts';

/** A row that has not changed for this long may have lost its job; adding a job takes far less. */
const STALE_MS = 4_000;
/** Up to this number are checked one by one: jobs that a crash of Redis restored would hide those that it lost. */
const FEW = 100;
const PAGE = 1_000;
/** Imports that wait run in the order of their rows: those whose jobs are lost become the oldest. */
const STATUSES = ['running', 'queued'] as const;
const AT_ONCE = 16;
/** The states of a job that runs nothing any more. */
const ENDED: readonly string[] = ['unknown', 'completed', 'failed'];

/**
 * Requeues imports whose jobs the queue lost, where few imports are stale or the queue has fewer jobs than stale
 * imports. Of a longer backlog than a page nothing is counted or checked, unless the queue is nearly empty: then the
 * sweep of every import finds what is lost when it has become the oldest. Returns the number of imports changed.
 */
export async function sweepLostImports(context: WorkerContext): Promise<number> {
  const stale = await countStaleImports(context.database, STALE_MS, PAGE);
  if (stale === 0) return 0;
  if (stale <= FEW) return sweepImports(context);
  const { waiting = 0, prioritized = 0, delayed = 0, active = 0 } = await context.queue.countJobs();
  if (waiting + prioritized + delayed + active >= stale) return 0;
  return sweepImports(context);
}

/**
 * Checks the oldest unfinished imports: requeues those whose jobs the queue lost. As long as a page has such an import, the next page is checked too; so a long backlog costs one page of
 * each status, and a queue that lost everything is filled again at once. The row is authoritative, the queue a hint.
 * Returns the number of imports that it changed.
 */
export async function sweepImports(context: WorkerContext, staleMs = STALE_MS): Promise<number> {
  let changed = 0;
  const before = new Date((await databaseTime(context.database)).getTime() - staleMs);
  const nextPriority = requeuePriorities();
  for (const status of STATUSES) changed += await sweepStatus(context, status, before, nextPriority);
  context.metrics.recovered.inc(changed);
  if (changed > 0) context.log.warn({ imports: changed }, 'stale imports recovered');
  return changed;
}

async function sweepStatus(
  context: WorkerContext,
  status: (typeof STATUSES)[number],
  before: Date,
  nextPriority: (organizationId: string) => number,
): Promise<number> {
  let changed = 0;
  const stateOfGroup = groupStates(context);
  for (let after: StaleImport | null = null; ;) {
    const page: readonly StaleImport[] = await findStaleImports(
      context.database,
      status,
      before,
      after,
      PAGE,
    );
    let recovered = 0;
    const errors = await forEachAtOnce(page, AT_ONCE, async (stale) => {
      if (await recover(context, stale, stateOfGroup, nextPriority)) recovered += 1;
    });
    if (errors.length > 0)
      context.log.error({ err: errors[0], imports: errors.length }, 'stale imports not checked');
    changed += recovered;
    after = page.at(-1) ?? null;
    if (page.length < PAGE || recovered === 0) return changed;
  }
}

/** Asks for the state of each group's job once: a long backlog has many imports of few groups. */
function groupStates({ queue }: WorkerContext): (groupId: string) => Promise<string> {
  const states = new Map<string, Promise<string>>();
  return async (groupId) => {
    const state = states.get(groupId) ?? queue.jobState({ groupId });
    states.set(groupId, state);
    return state;
  };
}

/** Gives priorities as the API does to uploads at once: what one organization gets back does not delay the imports of others. */
function requeuePriorities(): (organizationId: string) => number {
  const requeued = new Map<string, number>();
  return (organizationId) => {
    const earlier = requeued.get(organizationId) ?? 0;
    requeued.set(organizationId, earlier + 1);
    return priorityAfter(earlier);
  };
}

async function recover(
  { queue }: WorkerContext,
  { groupId, importId, organizationId, retries }: StaleImport,
  stateOfGroup: (groupId: string) => Promise<string>,
  nextPriority: (organizationId: string) => number,
): Promise<boolean> {
  if (groupId !== null && !ENDED.includes(await stateOfGroup(groupId))) return false;
  const job = { importId, retries };
  const state = await queue.jobState(job);
  if (!ENDED.includes(state)) return false;
  // The row is not finished, but the record of a job that ended still exists: it would prevent a new job.
  if (state !== 'unknown') await queue.removeJob(job);
  await queue.addImport(job, nextPriority(organizationId));
  return true;
}
