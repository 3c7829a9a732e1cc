import {
  recordFailure,
  type AttemptFailure,
  type FailedPart,
} from '../../shared/db/imports/unfinished-imports.ts';
import type { ImportFailure } from '../../shared/db/imports/models.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Records a failure as `recordFailure` does; counts an import that failed, and notifies those who wait for it. */
export async function failAndNotify(
  context: WorkerContext,
  importId: string,
  part: FailedPart,
  failure: AttemptFailure,
): Promise<'running' | 'failed' | null> {
  const status = await recordFailure(context.database, importId, part, failure);
  if (status === 'failed') context.metrics.ended.inc({ status: 'failed', outcome: 'none' });
  context.notifier.changed(importId);
  return status;
}

/** Fails an import whose job the queue no longer hands out, because too many workers stopped while they ran it. */
export async function failTakenOver(
  context: WorkerContext,
  { importId, retries }: { readonly importId: string; readonly retries: number },
): Promise<void> {
  await failAndNotify(
    context,
    importId,
    { retries },
    {
      step: null,
      cause: 'The workers that ran it died, or lost the queue, too often. Look for their last log lines.',
      reason: internalError('the workers that ran it stopped too often'),
      namedModuleId: null,
      deadlineSeconds: 0,
    },
  );
}

/** The text of an internal error for the vendor. */
export function internalError(what: string): ImportFailure {
  return {
    code: 'import-failed',
    detail: `The import failed because of an internal error: ${what}. An operator can retry it.`,
    severity: 'error',
  };
}
