import { nextVersion } from './imports.ts';
import type { ImportFailure } from '../models.ts';
import { ImportModel } from '../models.ts';
import type { Database } from '../database.ts';

function failed(database: Database, failure: ImportFailure | null) {
  return {
    ...nextVersion(database),
    status: 'failed' as const,
    runId: null,
    errors: failure === null ? [] : [failure],
    errorsTotal: failure === null ? 0 : 1,
    finishedAt: database.raw('now()'),
    failedAt: database.raw('coalesce(failed_at, now())'),
  };
}

/**
 * Marks an import as failed by an internal error; false when it has ended otherwise.
 * @param runId the attempt that failed: one that was taken over fails nothing. Null where the queue has no attempt
 * left; then an import that an operator has retried meanwhile stays queued.
 */
export async function failImport(
  database: Database,
  importId: string,
  runId: string | null,
  failure: ImportFailure | null,
): Promise<boolean> {
  const query = ImportModel.query(database).findById(importId).whereIn('status', ['queued', 'running']);
  if (runId === null) void query.whereRaw("not (status = 'queued' and failed_at is not null)");
  else void query.where({ runId });
  return (await query.patch(failed(database, failure))) === 1;
}

/**
 * Fails running imports that started so long ago: their workers can no longer end them. Returns
 * their IDs.
 */
export async function failOverdueImports(
  database: Database,
  seconds: number,
  failure: ImportFailure,
): Promise<readonly string[]> {
  const rows = await ImportModel.query(database)
    .where({ status: 'running' })
    .whereRaw("started_at < now() - ? * interval '1 second'", [seconds])
    .patch(failed(database, failure))
    .returning('id');
  return rows.map((row) => row.id);
}

/**
 * Queues a failed import again, where its archive is still kept: for operators. Null when it has not failed.
 * From then on the sweep ensures that it has a job.
 */
export async function requeueImport(database: Database, importId: string): Promise<ImportModel | null> {
  const rows = await ImportModel.query(database)
    .findById(importId)
    .where({ status: 'failed' })
    .whereNotNull('archiveKey')
    .patch({
      ...nextVersion(database),
      status: 'queued',
      queuedAt: database.raw('now()'),
      runId: null,
      // An operator's retry has the full time again.
      startedAt: null,
      finishedAt: null,
      progressStep: 'queued',
      progressCompleted: 0,
      progressTotal: 0,
    })
    .returning('*');
  // findById makes the result one row or undefined, whatever its type says.
  return (rows as unknown as ImportModel | undefined) ?? null;
}

function staleImports(database: Database, staleMs: number) {
  return ImportModel.query(database)
    .whereIn('status', ['queued', 'running'])
    .whereRaw("updated_at < now() - ? * interval '1 millisecond'", [staleMs]);
}

/** Number of unfinished imports whose rows have not changed for a while: the queue may have lost them. */
export async function countStaleImports(database: Database, staleMs: number): Promise<number> {
  return staleImports(database, staleMs).resultSize();
}

/** An unfinished import that the queue may have lost. */
export interface StaleImport {
  readonly id: string;
  /** Whether it waits again because an operator has retried it. */
  readonly isRetry: boolean;
}

/** The stale imports in the order of their IDs, after the given one. */
export async function findStaleImports(
  database: Database,
  staleMs: number,
  after: string | null,
  limit: number,
): Promise<readonly StaleImport[]> {
  const query = staleImports(database, staleMs).select('id', 'status', 'failedAt').orderBy('id').limit(limit);
  if (after !== null) void query.where('id', '>', after);
  return (await query).map(({ id, status, failedAt }) => ({
    id,
    isRetry: status === 'queued' && failedAt !== null,
  }));
}
