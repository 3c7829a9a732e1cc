import type { Database } from './database.ts';

/** The one clock that all processes share. */
export async function databaseTime(database: Database): Promise<Date> {
  const { rows } = await database.raw<{ rows: { now: Date }[] }>('select now() as now');
  const [row] = rows;
  if (row === undefined) throw new Error('the database tells no time');
  return row.now;
}

/** An import's upload that may go. */
export interface ExpiredUpload {
  readonly id: string;
  readonly uploadKey: string;
}

/**
 * Uploads of imports that ended so many days ago, and of those that only asked (validateOnly): these
 * are not kept. A failed import keeps its upload for the full time, for an operator's retry.
 */
export async function findExpiredUploads(
  database: Database,
  days: number,
  limit: number,
): Promise<readonly ExpiredUpload[]> {
  const result = await database.raw<{ rows: ExpiredUpload[] }>(
    `select id, upload_key from imports
     where upload_key is not null and finished_at is not null
       and (finished_at <= now() - ? * interval '1 day' or (validate_only and status <> 'failed'))
     order by finished_at limit ?`,
    [days, limit],
  );
  return result.rows;
}

/** Notes that uploads are gone. */
export async function forgetUploads(database: Database, importIds: readonly string[]): Promise<void> {
  await database('imports').whereIn('id', importIds).update({ uploadKey: null });
}

/** Which of these uploads belong to an import. */
export async function findKnownUploads(
  database: Database,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database('imports')
    .whereIn('uploadKey', keys)
    .select<{ uploadKey: string }[]>('uploadKey');
  return new Set(rows.map((row) => row.uploadKey));
}

/** Removes rows of imports that ended so many days ago and whose uploads are gone. */
export async function dropOldImports(database: Database, days: number): Promise<number> {
  return database('imports')
    .whereNotNull('finishedAt')
    .whereNull('uploadKey')
    .where('finishedAt', '<', database.raw("now() - ? * interval '1 day'", [days]))
    .delete();
}
