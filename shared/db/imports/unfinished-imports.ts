import { writeAudit } from '../access/audit-log.ts';
import type { Actor } from '../access/audit-log.ts';
import type { ImportJob } from './imports.ts';
import { nextVersion } from './imports.ts';
import { inBatches } from '../in-batches.ts';
import type { ImportFailure, ImportRow } from '../models.ts';
import { ImportModel } from '../models.ts';
import type { Database } from '../database.ts';

/** What failed: an attempt, or the job after an operator's so many retries. */
export type FailedPart = { readonly runId: string } | { readonly retries: number };

/**
 * Marks an import as failed by an internal error; false when it has ended otherwise. An attempt that was taken over
 * fails nothing, nor does a job that an operator's retry has replaced.
 */
export async function failImport(
  database: Database,
  importId: string,
  part: FailedPart,
  failure: ImportFailure | null,
): Promise<boolean> {
  const changed = await ImportModel.query(database)
    .findById(importId)
    .whereIn('status', ['queued', 'running'])
    .where(part)
    .patch({
      ...nextVersion(database),
      status: 'failed',
      runId: null,
      errors: failure === null ? [] : [failure],
      errorsTotal: failure === null ? 0 : 1,
      finishedAt: database.raw('now()'),
      failedAt: database.raw('coalesce(failed_at, now())'),
    });
  return changed === 1;
}

const FAIL_OVERDUE = `
  update imports set status = 'failed', run_id = null, errors = jsonb_build_array(:failure::jsonb), errors_total = 1,
    finished_at = now(), failed_at = coalesce(failed_at, now()), version = version + 1, updated_at = now()
  where ctid = any(array(
    select ctid from imports
    where status = 'running' and started_at < now() - :seconds * interval '1 second'
    limit :limit for update skip locked))
  returning id`;

/**
 * Fails running imports that started so long ago: their workers can no longer end them. Returns
 * their IDs.
 */
export async function failOverdueImports(
  database: Database,
  seconds: number,
  failure: ImportFailure,
): Promise<readonly string[]> {
  const ended: string[] = [];
  const values = { seconds, failure: JSON.stringify(failure) };
  for await (const rows of inBatches<{ id: string }>(database, FAIL_OVERDUE, values))
    ended.push(...rows.map(({ id }) => id));
  return ended;
}

/**
 * Queues a failed import again, where its archive is still kept: for operators. Null when it is not failed, or its
 * archive is no longer kept. From then on the sweep ensures that it has a job, and its archive is kept.
 */
export async function requeueImport(
  database: Database,
  importId: string,
  actor: Actor,
): Promise<ImportRow | null> {
  return database.transaction(async (transaction) => {
    const row = await requeueRow(transaction, importId);
    if (row === null) return null;
    const { organizationId } = row;
    await writeAudit(transaction, actor, { organizationId, action: 'import.retried', targetId: importId });
    return row;
  });
}

async function requeueRow(database: Database, importId: string): Promise<ImportRow | null> {
  const rows = await ImportModel.query(database)
    .where({ id: importId, status: 'failed' })
    .whereNotNull('archiveKey')
    .patch({
      ...nextVersion(database),
      status: 'queued',
      retries: database.raw('retries + 1'),
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
  return rows[0] ?? null;
}

const COUNT_STALE = `
  select count(*)::int as count from (
    select from imports
    where status in ('queued', 'running') and updated_at < now() - :staleMs * interval '1 millisecond'
    limit :atMost) as stale`;

/**
 * Number of unfinished imports whose rows have not changed for a while: the queue may have lost them. No more than
 * so many are counted, however long the backlog is.
 */
export async function countStaleImports(
  database: Database,
  staleMs: number,
  atMost: number,
): Promise<number> {
  const { rows } = await database.raw<{ rows: { count: number }[] }>(COUNT_STALE, { staleMs, atMost });
  return rows[0]?.count ?? 0;
}

/** An unfinished import that the queue may have lost, with the job that should run it. */
export type StaleImport = ImportJob & { readonly updatedAt: Date };

/** Imports of one status that have not changed since then, in the order of their last change, after the given one. */
export async function findStaleImports(
  database: Database,
  status: 'queued' | 'running',
  before: Date,
  after: StaleImport | null,
  limit: number,
): Promise<readonly StaleImport[]> {
  const query = ImportModel.query(database)
    .where({ status })
    .where('updatedAt', '<', before)
    .orderBy(['updatedAt', 'id'])
    .limit(limit);
  if (after !== null) void query.whereRaw('(updated_at, id) > (?, ?)', [after.updatedAt, after.importId]);
  const rows = await query.select('id', 'retries', 'updatedAt');
  return rows.map(({ id: importId, retries, updatedAt }) => ({ importId, retries, updatedAt }));
}
