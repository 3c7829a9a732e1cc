import type { ImportGroup } from '../../shared/db/imports/attempts.ts';
import { forEachAtOnce } from '../../shared/process/for-each-at-once.ts';
import type { WorkerContext } from '../worker-context.ts';
import { importModule } from './import-module.ts';

/** The imports of a group that run at once: each may hold a connection, and the content of a file. */
const AT_ONCE = 4;

/**
 * Runs the imports of a group. One that fails goes on alone, in a job of its own, as all of them do where the group starts
 * again: one of them may have ended its worker, and takes no other with it twice.
 * @throws where the queue cannot be reached
 */
export async function importGroup(
  context: WorkerContext,
  { importIds }: ImportGroup,
  isFirstStart: boolean,
): Promise<void> {
  const errors = await forEachAtOnce(importIds, AT_ONCE, async (importId) => {
    const job = { importId, retries: 0 };
    const hasEnded =
      isFirstStart &&
      (await importModule(context, job).then(
        () => true,
        () => false,
      ));
    if (!hasEnded) await context.queue.addImport(job);
  });
  if (errors.length > 0) throw new AggregateError(errors, 'imports of a group have no job of their own yet');
}
