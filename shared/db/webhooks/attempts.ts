import { programActor, type Actor } from '../access/audit-log.ts';
import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import { signingKeysOf } from '../sealed-columns.ts';
import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { keysetPage, type PageRequest } from '../keyset-page.ts';
import type { Row } from '../rows.ts';
import { queryRow, queryRows } from '../statement.ts';
import { DELIVERY_LEASE_MS, FILL_ROOM } from './deliveries.ts';
import { WebhookAttemptModel, WebhookModel, type WebhookDisabledReason } from './models.ts';
import { audit, changeWebhook, withWebhook, type WebhookKey } from './webhooks.ts';

/** How a call of a webhook ended; without an answer its status is null. */
export interface FinishedAttempt extends Readonly<Omit<Row<'webhook_attempts'>, 'id' | 'createdAt'>> {
  /** After how long it is to be tried again; null: it was delivered. */
  readonly retrySeconds: number | null;
}

/** For how long a delivery is tried. */
export const DELIVERY_DAYS = 3;
/** A webhook is disabled when all its attempts have failed for this time. */
export const FAILING_DAYS = 5;
/** Failures that are further apart are not one period of failing: nothing was tried in between. */
export const QUIET_DAYS = 2;

/*
 * A webhook that has recovered gets what waits for a later attempt at once, but for what is being sent: that is due when
 * its lease ends.
 */
const RECORD = `
  with webhook as (
    select * from webhooks where id = any(:webhookIds) order by id for no key update
  ), result as (
    select r.*, w.status as webhook_status, w.failing_since
    from unnest(:webhookIds::uuid[], :ids::uuid[], :eventIds::uuid[], :types::text[], :numbers::int[],
      :statuses::int[], :errors::text[], :durations::int[], :retries::int[])
      as r (webhook_id, id, event_id, type, number, status, error, duration_ms, retry_seconds)
    join webhook w on w.id = r.webhook_id
  ), outcome as (
    select webhook_id, failing_since,
      bool_or(retry_seconds is null) as is_delivered, bool_or(retry_seconds is not null) as is_failed
    from result group by webhook_id, failing_since
  ), logged as (
    insert into webhook_attempts (id, webhook_id, event_id, type, number, status, error, duration_ms)
    select id, webhook_id, event_id, type, number, status, error, duration_ms from result
  ), ended as (
    delete from webhook_deliveries d using result r
    where d.webhook_id = r.webhook_id and d.event_id = r.event_id
      and (r.retry_seconds is null or d.started_at <= now() - ${DELIVERY_DAYS} * interval '1 day')
    returning d.webhook_id
  ), behind as (
    ${FILL_ROOM}
  ), waiting as (
    update webhook_deliveries d set is_due = false, due_at = case when r.webhook_status = 'enabled'
      then least(now() + r.retry_seconds * interval '1 second', d.started_at + ${DELIVERY_DAYS} * interval '1 day') end
    from result r
    where d.webhook_id = r.webhook_id and d.event_id = r.event_id
      and r.retry_seconds is not null and d.started_at > now() - ${DELIVERY_DAYS} * interval '1 day'
  ), recovered as (
    update webhook_deliveries d set is_due = true, due_at = null from outcome o
    where o.is_delivered and o.failing_since < now() - interval '1 minute' and d.webhook_id = o.webhook_id
      and d.due_at > now() + ${DELIVERY_LEASE_MS} * interval '1 millisecond'
      and not exists (select from result r where r.webhook_id = d.webhook_id and r.event_id = d.event_id)
  )
  update webhooks set
    failing_since = case when is_delivered then null
      when webhooks.last_failed_at >= now() - ${QUIET_DAYS} * interval '1 day'
        then coalesce(webhooks.failing_since, now()) else now() end,
    last_failed_at = case when is_failed then now() else webhooks.last_failed_at end
  from outcome o where webhooks.id = o.webhook_id and (is_failed or webhooks.failing_since is not null)
  returning webhooks.id, webhooks.failing_since <= now() - ${FAILING_DAYS} * interval '1 day' as is_failing`;

/** Records the results of calls; returns the webhooks that have failed long enough to be disabled. */
export async function recordAttempts(
  database: Database,
  attempts: readonly FinishedAttempt[],
): Promise<readonly string[]> {
  const rows = await queryRows<{ id: string; isFailing: boolean | null }>(database, RECORD, {
    webhookIds: attempts.map(({ webhookId }) => webhookId),
    ids: attempts.map(() => randomUUID()),
    eventIds: attempts.map(({ eventId }) => eventId),
    types: attempts.map(({ type }) => type),
    numbers: attempts.map(({ number }) => number),
    statuses: attempts.map(({ status }) => status),
    errors: attempts.map(({ error }) => error),
    durations: attempts.map(({ durationMs }) => durationMs),
    retries: attempts.map(({ retrySeconds }) => retrySeconds),
  });
  return rows.flatMap(({ id, isFailing }) => (isFailing === true ? [id] : []));
}

/** The actor in the audit log where the service disables a webhook, or enables it. */
const serviceActor = (traceId: string) => programActor('service', traceId);

/**
 * Disables a webhook, for the vendor to enable it again; false: it is not enabled, or was called at an address that it no
 * longer has.
 */
export async function disableWebhook(
  database: Database,
  { url: calledUrl, ...key }: WebhookKey & Pick<WebhookModel, 'url'>,
  reason: WebhookDisabledReason,
  traceId: string,
): Promise<boolean> {
  const isDisabled = await withWebhook(database, key, async (transaction, { status, url }) => {
    if (status !== 'enabled' || url !== calledUrl) return false;
    const now = transaction.raw('now()');
    await WebhookModel.query(transaction)
      .findById(key.id)
      .patch({ status: 'disabled', disabledReason: reason, disabledAt: now, updatedAt: now });
    await transaction('webhook_deliveries')
      .where({ webhookId: key.id })
      .update({ isDue: false, dueAt: null });
    await audit(transaction, serviceActor(traceId), key, 'webhook.disabled', { webhookId: key.id, reason });
    return true;
  });
  return isDisabled ?? false;
}

const BATCH = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Enables webhooks whose keys could not be opened, and can be now; returns their number. */
export async function enableOpenedWebhooks(
  database: Database,
  keys: EncryptionKeys,
  traceId: string,
): Promise<number> {
  const missing = { status: 'disabled', disabledReason: 'key-missing' } as const;
  let enabled = 0;
  for (let after = FIRST_ID; ;) {
    const batch: readonly WebhookModel[] = await WebhookModel.query(database)
      .where(missing)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH);
    for (const { id, organizationId, moduleId, sealedKeys } of batch) {
      if (!keys.opens(sealedKeys, signingKeysOf(id))) continue;
      // Unless its vendor has changed it meanwhile.
      const key = { id, organizationId, moduleId, ...missing };
      const changed = await changeWebhook(database, key, { status: 'enabled' }, serviceActor(traceId));
      if (changed !== null) enabled += 1;
    }
    after = batch.at(-1)?.id ?? after;
    if (batch.length < BATCH) return enabled;
  }
}

const AGAIN = `
  insert into webhook_deliveries (webhook_id, event_id, organization_id, position, is_due)
  select a.webhook_id, c.id, :organizationId, c.position, :isEnabled
  from webhook_attempts a join changes c on c.id = a.event_id
  where a.id = :attemptId and a.webhook_id = :id and c.module_id = :moduleId
  on conflict (webhook_id, event_id) do update
    set attempts = 0, started_at = now(), is_due = excluded.is_due, due_at = null
  returning event_id`;

/**
 * Delivers the change of a call again, with the same ID; to a webhook that is not enabled, when it is. Returns why it
 * cannot: `change-missing`: there is no such call, or its change is not kept; null: there is no such webhook.
 */
export async function deliverAgain(
  database: Database,
  key: WebhookKey,
  attemptId: string,
  actor: Actor,
): Promise<'requested' | 'change-missing' | null> {
  return withWebhook(database, key, async (transaction, { status }) => {
    const values = { ...key, attemptId, isEnabled: status === 'enabled' };
    const again = await queryRow<{ eventId: string }>(transaction, AGAIN, values);
    if (again === null) return 'change-missing';
    await audit(transaction, actor, key, 'webhook.resent', { webhookId: key.id, eventId: again.eventId });
    return 'requested';
  });
}

/** The attempts of a webhook, newest first; null where there is no such webhook. */
export async function listAttempts(database: Database, key: WebhookKey, page: PageRequest) {
  const webhook = await WebhookModel.query(database).findOne({ ...key });
  if (webhook === undefined) return null;
  return keysetPage(WebhookAttemptModel.query(database).where({ webhookId: key.id }), page);
}
