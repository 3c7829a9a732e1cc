import type { ImportFailure } from '../shared/db/models.ts';
import { failImport } from '../shared/db/imports/unfinished-imports.ts';
import type { FailedPart } from '../shared/db/imports/unfinished-imports.ts';
import type { WorkerContext } from './worker-context.ts';

/** Fails an import as `failImport` does, counts it, and notifies those who wait for it. False when it has ended otherwise. */
export async function failAndNotify(
  context: WorkerContext,
  importId: string,
  part: FailedPart,
  failure: ImportFailure | null = null,
): Promise<boolean> {
  const isFailed = await failImport(context.database, importId, part, failure);
  if (isFailed) context.metrics.ended.inc({ status: 'failed', outcome: 'none' });
  context.notifier.changed(importId);
  return isFailed;
}
