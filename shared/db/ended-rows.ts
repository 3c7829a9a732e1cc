import { IS_IN_FORCE } from './access/consents.ts';
import type { Database } from './database.ts';
import { changeInBatches } from './in-batches.ts';
import { queryRows } from './statement.ts';

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

/** What is deleted, by the table: when its rows ended, and which of them have. An index orders each of them. */
const ENDED = {
  audit_log: ['created_at', 'true'],
  alerts: ['updated_at', "status = 'resolved'"],
  api_keys: ['least(revoked_at, expires_at)', 'true'],
  sessions: ['expires_at', 'true'],
  idempotency_keys: ['expires_at', 'true'],
  publisher_tokens: ['expires_at', 'true'],
  invitations: ['expires_at', 'true'],
  used_token_ids: ['expires_at', 'true'],
  module_days: ['day', 'true'],
  import_hours: ['hour', 'true'],
  webhook_attempts: ['created_at', 'true'],
  consents: ['created_at', `not (${IS_IN_FORCE})`],
} as const;

/** An upload may take longer than its token lives; when it ends, the token must not have been withdrawn. */
const PUBLISHER_TOKEN_DAYS = 2;

async function deleteEnded(database: Database, table: keyof typeof ENDED, days: number): Promise<number> {
  const [endedAt, condition] = ENDED[table];
  const statement = `
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${condition} and ${endedAt} < now() - :days * interval '1 day'
      order by ${endedAt} limit :limit for update skip locked))`;
  return changeInBatches(database, statement, { days });
}

/** Deletes what has ended, in batches; returns the number of rows. */
export async function deleteEndedRows(database: Database, days: EndedRowDays): Promise<number> {
  let deleted = await deleteEnded(database, 'audit_log', days.auditDays);
  deleted += await deleteEnded(database, 'alerts', days.alertDays);
  deleted += await deleteEnded(database, 'api_keys', days.apiKeyDays);
  deleted += await deleteEnded(database, 'module_days', days.statisticsDays);
  deleted += await deleteEnded(database, 'import_hours', days.statisticsDays);
  deleted += await deleteOldChanges(database, days.changeDays);
  deleted += await deleteEnded(database, 'webhook_attempts', days.webhookAttemptDays);
  deleted += await deleteEnded(database, 'consents', days.consentDays);
  deleted += await deleteEnded(database, 'sessions', 0);
  deleted += await deleteEnded(database, 'publisher_tokens', PUBLISHER_TOKEN_DAYS);
  deleted += await deleteEnded(database, 'used_token_ids', 0);
  deleted += await deleteEnded(database, 'invitations', 0);
  return deleted + (await deleteEnded(database, 'idempotency_keys', 0));
}

const BATCH = 10_000;

/** The position before which every change is older than so many days; changes have their positions in about the order of time. */
const BEFORE = `
  select coalesce(
    (select position from changes where at >= now() - :days * interval '1 day' order by position limit 1),
    (select max(position) + 1 from changes), 0) as before`;

// One statement: whoever reads the changes sees which of them are no longer kept.
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

/** Deletes the changes that are older than so many days, in batches; returns how many. */
export async function deleteOldChanges(database: Database, days: number): Promise<number> {
  const found = await queryRows<{ before: number }>(database, BEFORE, { days });
  const before = found[0]?.before ?? 0;
  let deleted = 0;
  for (let n = BATCH; n === BATCH; deleted += n) {
    const rows = await queryRows<{ n: number }>(database, DELETE, { before, limit: BATCH });
    n = rows[0]?.n ?? 0;
  }
  return deleted;
}
