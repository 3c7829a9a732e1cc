import type { ImportFailure } from '../shared/db/models.ts';
import { failImport } from '../shared/db/unfinished-imports.ts';
import type { WorkerContext } from './worker-context.ts';

/** Marks an import as failed by our fault where it has not ended otherwise, counts it, and tells who waits for it. */
export async function giveUpImport(
  context: WorkerContext,
  importId: string,
  failure: ImportFailure | null = null,
): Promise<void> {
  if (await failImport(context.database, importId, failure))
    context.metrics.ended.inc({ status: 'failed', outcome: 'none' });
  context.notifier.changed(importId);
}
