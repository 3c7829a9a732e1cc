import type { Actor } from '../../shared/db/access/audit-log.ts';
import { requeueImport } from '../../shared/db/imports/failed-imports.ts';
import { findImport } from '../../shared/db/imports/imports.ts';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import type { ApiContext } from '../context.ts';
import { found, ProblemError } from '../http/problem.ts';

/**
 * Queues a failed import again: its row decides, in one statement with whether its upload is still stored. Repeating
 * the call has no effect, because the answer of the first may have been lost.
 * @throws ProblemError 404 or 409.
 */
export async function retryImport(api: ApiContext, importId: string, actor: Actor): Promise<ImportRow> {
  const row = await requeueImport(api.database, importId, actor);
  if (row === null) return retriedAlready(api, importId);
  await api.queue
    .addImport({ importId, retries: row.retries })
    .catch((error: unknown) =>
      api.log.warn({ err: error, importId }, 'import not queued, left to the sweep'),
    );
  return row;
}

async function retriedAlready(api: ApiContext, importId: string): Promise<ImportRow> {
  const row = found(await findImport(api.database, null, importId), 'There is no such import.');
  if (row.status === 'queued' && row.retries > 0) return row;
  throw new ProblemError(
    'import-not-retryable',
    row.status === 'failed'
      ? 'The upload of the import is no longer stored. The package must be uploaded again.'
      : `The status of the import is ${row.status}. Only a failed import can be retried.`,
  );
}
