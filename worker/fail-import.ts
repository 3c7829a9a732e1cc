import type { ImportFailure } from '../shared/db/models.ts';
import { failImport } from '../shared/db/imports/unfinished-imports.ts';
import type { WorkerContext } from './worker-context.ts';

/** Fails an import as `failImport` does, counts it, and notifies those who wait for it. */
export async function failAndNotify(
  context: WorkerContext,
  importId: string,
  runId: string | null = null,
  failure: ImportFailure | null = null,
): Promise<void> {
  if (await failImport(context.database, importId, runId, failure))
    context.metrics.ended.inc({ status: 'failed', outcome: 'none' });
  context.notifier.changed(importId);
}
