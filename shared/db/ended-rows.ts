import { IS_IN_FORCE } from './access/consents.ts';
import type { Database } from './database.ts';
import { changeInBatches, nextOf } from './in-batches.ts';
import { queryRow } from './statement.ts';

/** For how many days rows are kept after they ended. */
export interface EndedRowDays {
  readonly auditDays: number;
  readonly alertDays: number;
  readonly apiKeyDays: number;
  readonly statisticsDays: number;
  readonly changeDays: number;
  readonly webhookAttemptDays: number;
  readonly consentDays: number;
}

/** An upload may take longer than its token lives; when it ends, the token must not have been withdrawn. */
const PUBLISHER_TOKEN_DAYS = 2;

/** For how many days vendors read what their back ends have called. */
const KEY_REQUEST_DAYS = 7;

/** For how many days farmers read which modules have read their data. */
const DATA_READ_DAYS = 90;

/** Mails are rarely read later, and the settings end them too. */
const NOTIFICATION_LINK_DAYS = 90;

/** What is deleted of each table: when its rows ended, how long they are kept, and which have ended. An index orders each. */
const ENDED: readonly (readonly [
  table: string,
  endedAt: string,
  days: keyof EndedRowDays | number,
  condition?: string,
])[] = [
  ['audit_log', 'created_at', 'auditDays'],
  // As long as the log that has their names too.
  ['people', 'seen_at', 'auditDays'],
  // As long as the log that has their decisions too.
  ['reviews', 'decided_at', 'auditDays'],
  ['alerts', 'updated_at', 'alertDays', "status = 'resolved'"],
  ['notification_links', 'created_at', NOTIFICATION_LINK_DAYS],
  ['key_requests', 'created_at', KEY_REQUEST_DAYS],
  ['data_reads', 'created_at', DATA_READ_DAYS],
  ['api_keys', 'least(revoked_at, expires_at)', 'apiKeyDays'],
  ['module_days', 'day', 'statisticsDays'],
  ['import_hours', 'hour', 'statisticsDays'],
  ['webhook_attempts', 'created_at', 'webhookAttemptDays'],
  ['consents', 'created_at', 'consentDays', `not (${IS_IN_FORCE})`],
  ['sessions', 'expires_at', 0],
  ['publisher_tokens', 'expires_at', PUBLISHER_TOKEN_DAYS],
  ['used_token_ids', 'expires_at', 0],
  ['invitations', 'expires_at', 0],
  ['idempotency_keys', 'expires_at', 0],
];

/** Deletes what has ended, in batches; returns the number of rows. */
export async function deleteEndedRows(database: Database, days: EndedRowDays): Promise<number> {
  let deleted = await deleteOldChanges(database, days.changeDays);
  for (const [table, endedAt, kept, condition = 'true'] of ENDED) {
    const ended = `${condition} and ${endedAt} < now() - :days * interval '1 day' order by ${endedAt}`;
    const statement = `delete from ${table} where ${nextOf(table, ended)}`;
    const values = { days: typeof kept === 'number' ? kept : days[kept] };
    deleted += await changeInBatches(database, statement, values);
  }
  return deleted;
}

const BATCH = 10_000;

/** The position before which every change is older than this number of days; positions roughly follow time. */
const BEFORE = `
  select coalesce(
    (select position from changes where at >= now() - :days * interval '1 day' order by position limit 1),
    (select max(position) + 1 from changes), 0) as before`;

// One statement: readers of the changes see which of them are no longer kept.
const DELETE = `
  with deleted as (
    delete from changes where position = any(array(
      select position from changes where position < :before order by position limit :limit))
    returning position, id
  ), moved as (
    update change_horizon set (position, mark) = (
      select position, left(id::text, 8) from deleted order by position desc limit 1)
    where exists (select from deleted)
  )
  select count(*)::int as n from deleted`;

/** Deletes changes older than this number of days, in batches; returns their number. */
export async function deleteOldChanges(database: Database, days: number): Promise<number> {
  const found = await queryRow<{ before: number }>(database, BEFORE, { days });
  const before = found?.before ?? 0;
  let deleted = 0;
  for (let n = BATCH; n === BATCH; deleted += n)
    n = (await queryRow<{ n: number }>(database, DELETE, { before, limit: BATCH }))?.n ?? 0;
  return deleted;
}
