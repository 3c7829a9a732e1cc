import type { ImportGroup } from '../../shared/db/imports/attempts.ts';
import type { GroupRun } from '../../shared/queue/import-worker.ts';
import { forEachAtOnce } from '../../shared/process/for-each-at-once.ts';
import type { WorkerContext } from '../worker-context.ts';
import { importModule } from './import-module.ts';

/** The imports of a group that run at once, where as many slots are free. */
const AT_ONCE = 4;

/**
 * Runs the imports of a group. One that fails goes on alone, in a job of its own, as all of them do where the group starts
 * again: one of them may have ended its worker, and takes no other with it twice. So do those that a worker which stops has
 * not started.
 * @throws where the queue cannot be reached
 */
export async function importGroup(
  context: WorkerContext,
  { importIds }: ImportGroup,
  { priority, mayStart, inSlot }: GroupRun,
): Promise<void> {
  const errors = await forEachAtOnce(importIds, AT_ONCE, async (importId) => {
    const job = { importId, retries: 0 };
    const hasEnded = await inSlot(async () => mayStart() && hasWorked(importModule(context, job)));
    if (!hasEnded) await context.queue.addImport(job, priority);
  });
  if (errors.length > 0) throw new AggregateError(errors, 'imports of a group have no job of their own yet');
}

/** Whether the queue need not try again. */
async function hasWorked(run: Promise<void>): Promise<boolean> {
  return run.then(
    () => true,
    () => false,
  );
}
