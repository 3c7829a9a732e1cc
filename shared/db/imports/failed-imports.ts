import { auditInsert, type Actor } from '../access/audit-log.ts';
import { inBatches, nextOf } from '../in-batches.ts';
import type { Database } from '../database.ts';
import type { ImportRow, ImportStep } from './models.ts';
import { onlyRow, queryRow } from '../statement.ts';

/**
 * Queues failed imports again, with their entries in the audit log. From then on the sweep ensures that they have jobs,
 * and their archives are kept. The new attempts have the full time.
 */
function requeue(chosen: string): string {
  return `
    with requeued as (
      update imports set status = 'queued', retries = retries + 1, queued_at = now(), run_id = null, started_at = null,
        finished_at = null, failure = null, errors = '[]', errors_total = 0, dismissed_at = null, progress_step = 'queued', progress_completed = 0,
        progress_total = 0, version = version + 1, updated_at = now()
      where status = 'failed' and archive_key is not null and ${chosen}
      returning *
    ), recorded as (${auditInsert('import.retried', 'requeued', { targetId: 'id', targetName: 'file_name' })})`;
}

const REQUEUE = `${requeue('id = :importId')} select * from requeued`;

/**
 * Queues a failed import again, where its archive is still kept: for operators. Null when it is not failed, or its
 * archive is no longer kept.
 */
export async function requeueImport(database: Database, importId: string, actor: Actor) {
  return queryRow<ImportRow>(database, REQUEUE, { importId, ...actor });
}

/** The filter of failed imports that were not dismissed; null: all organizations, every step. */
export interface FailedFilter {
  readonly organizationId: string | null;
  readonly step: ImportStep | null;
}

const REQUEUE_FAILED = `${requeue(
  nextOf(
    'imports',
    `status = 'failed' and dismissed_at is null and archive_key is not null
      and organization_id = coalesce(:organizationId::uuid, organization_id)
      and (:step::text is null or failure->>'step' = :step) order by created_at`,
  ),
)} select id from requeued`;

/** Queues all failed imports of a filter again; returns their number. The sweep adds their jobs. */
export async function requeueFailed(database: Database, filter: FailedFilter, actor: Actor) {
  let requeued = 0;
  const values = { ...filter, ...actor };
  for await (const rows of inBatches<{ id: string }>(database, REQUEUE_FAILED, values))
    requeued += rows.length;
  return requeued;
}

const DISMISS = `
  with dismissed as (
    update imports set dismissed_at = now()
    where id = :importId and status = 'failed' and dismissed_at is null
    returning id, organization_id, file_name
  )
  ${auditInsert('import.dismissed', 'dismissed', { targetId: 'id', targetName: 'file_name' })}`;

/**
 * Takes a failed import off the operators' list. For its vendor it stays failed, and its archive is kept
 * as before. Repeating it has no effect.
 */
export async function dismissImport(database: Database, importId: string, actor: Actor): Promise<void> {
  await database.raw(DISMISS, { importId, ...actor });
}

/** Number of failed imports that no operator has dismissed. */
export async function countFailed(database: Database): Promise<number> {
  const failed =
    "select count(*)::int as count from imports where status = 'failed' and dismissed_at is null";
  return (await onlyRow<{ count: number }>(database, failed)).count;
}
