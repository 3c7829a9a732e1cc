import { ENDED_RECORDED, type ImportJob } from './attempts.ts';
import { type FailedAttempts, type ImportFailure, type ImportStep, ImportModel } from './models.ts';
import { isSuspended } from '../access/suspension-state.ts';
import type { Database } from '../database.ts';
import { onlyRow, queryRow } from '../statement.ts';

/** The failed unit: an attempt, or the job after this number of an operator's retries. */
export type FailedPart = { readonly runId: string } | { readonly retries: number };

/** How an attempt failed. */
export interface AttemptFailure extends Pick<FailedAttempts, 'cause'> {
  /** Null: that of the last progress. */
  readonly step: ImportStep | null;
  /** The text for the vendor, if it was the last attempt. */
  readonly reason: ImportFailure;
  /** The module that the package names, where it could be read. */
  readonly namedModuleId: string | null;
  /** Another attempt follows until the first is so old; 0: none follows. */
  readonly deadlineSeconds: number;
}

const RECORD_FAILURE = `
  with failing as (
    select id, :deadlineSeconds = 0 or coalesce(started_at <= now() - :deadlineSeconds * interval '1 second', true) as is_last
    from imports
    where id = :importId and status in ('queued', 'running')
      and (run_id = :runId::uuid or retries = :retries::integer)
    for update
  ), ended as (update imports set
    failure = jsonb_build_object('step', coalesce(:step, progress_step), 'cause', :cause::text,
      'attempts', coalesce((failure->>'attempts')::integer, 0) + 1,
      'firstAt', coalesce(failure->'firstAt', to_jsonb(now())), 'lastAt', now()),
    named_module_id = coalesce(:namedModuleId::uuid, named_module_id),
    status = case when is_last then 'failed' else status end,
    run_id = case when is_last then null else run_id end,
    errors = case when is_last then jsonb_build_array(:reason::jsonb) else errors end,
    errors_total = case when is_last then 1 else errors_total end,
    finished_at = case when is_last then now() else finished_at end,
    failed_at = case when is_last then coalesce(failed_at, now()) else failed_at end,
    version = version + 1, updated_at = now()
  from failing where imports.id = failing.id
  returning imports.*, is_last), notified as (${ENDED_RECORDED})
  select is_last from ended`;

/**
 * Records that an attempt at an import failed, and fails the import where its time is over; null when it has ended
 * otherwise. An attempt that was taken over changes nothing, nor does a job that an operator's retry has replaced.
 */
export async function recordFailure(
  database: Database,
  importId: string,
  part: FailedPart,
  failure: AttemptFailure,
): Promise<'running' | 'failed' | null> {
  const values = { importId, runId: null, retries: null, ...part, ...failure };
  const row = await queryRow<{ isLast: boolean }>(database, RECORD_FAILURE, {
    ...values,
    reason: JSON.stringify(failure.reason),
  });
  if (row === null) return null;
  return row.isLast ? 'failed' : 'running';
}

/** The imports of a suspended organization wait until the suspension is lifted: the queue need not know them. */
const WAITS = isSuspended('imports.organization_id');

const COUNT_STALE = `
  select count(distinct job_id)::int as count from (
    select coalesce(group_id, id) as job_id from imports
    where status in ('queued', 'running') and updated_at < now() - :staleMs * interval '1 millisecond'
      and not ${WAITS}
    limit :atMost) as stale`;

/**
 * Number of unfinished imports whose rows have not changed for a while: the queue may have lost them. At most
 * `atMost` are counted, however long the backlog is.
 */
export async function countStaleImports(database: Database, staleMs: number, atMost: number) {
  return (await onlyRow<{ count: number }>(database, COUNT_STALE, { staleMs, atMost })).count;
}

/** An unfinished import that the queue may have lost, with the jobs that may run it. */
export interface StaleImport extends ImportJob {
  readonly organizationId: string;
  readonly groupId: string | null;
  readonly updatedAt: Date;
}

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
    .whereRaw(`not ${WAITS}`)
    .orderBy(['updatedAt', 'id'])
    .limit(limit);
  if (after !== null) void query.whereRaw('(updated_at, id) > (:updatedAt, :importId)', { ...after });
  const rows = await query.select('id', 'organizationId', 'retries', 'groupId', 'updatedAt');
  return rows.map(({ id: importId, ...row }) => ({ importId, ...row }));
}

/** Imports that have not ended, of all organizations but suspended ones. */
export interface ImportBacklog {
  readonly queued: number;
  readonly running: number;
  /** The age of the oldest queued import; 0 when none waits. */
  readonly oldestWaitingSeconds: number;
}

/** Counts the queued and running imports by their rows, which are authoritative, not by the queue's jobs. */
export async function readBacklog(database: Database): Promise<ImportBacklog> {
  return onlyRow<ImportBacklog>(
    database,
    `select count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'running') as running,
       coalesce(greatest(extract(epoch from now() - min(queued_at) filter (where status = 'queued')), 0), 0)::float8
         as oldest_waiting_seconds
     from imports where status in ('queued', 'running') and not ${WAITS}`,
  );
}
