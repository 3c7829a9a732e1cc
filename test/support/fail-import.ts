import type { Database } from '../../shared/db/database.ts';
import {
  recordFailure,
  type AttemptFailure,
  type FailedPart,
} from '../../shared/db/imports/unfinished-imports.ts';

/** An internal error after which no attempt follows. */
export const LAST_FAILURE: AttemptFailure = {
  step: 'reading',
  cause: 'Error: the storage is broken',
  reason: { code: 'import-failed', detail: 'The import failed.', severity: 'error' },
  namedModuleId: null,
  deadlineSeconds: 0,
};

/** Fails an import, as its last attempt or its job does. */
export function failImport(
  database: Database,
  importId: string,
  part: FailedPart = { retries: 0 },
): Promise<'running' | 'failed' | null> {
  return recordFailure(database, importId, part, LAST_FAILURE);
}
