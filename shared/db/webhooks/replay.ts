import { randomUUID } from 'node:crypto';
import type { Actor } from '../access/audit-log.ts';
import type { Database } from '../database.ts';
import { audit, withWebhook, type WebhookKey } from './webhooks.ts';

/** Which changes are delivered again: one, or those since a time. */
export type Replay = { readonly eventId: string } | { readonly since: Date; readonly until: Date | null };

/** The result of a request for a replay: how many changes are delivered again; `event-missing`: none has this ID. */
export type ReplayOutcome = { readonly events: number } | 'event-missing';

/** Delivers changes of a module again to a webhook, as far as they are kept; null where there is no such webhook. */
export async function replayChanges(
  database: Database,
  key: WebhookKey,
  replay: Replay,
  actor: Actor,
): Promise<ReplayOutcome | null> {
  return withWebhook(database, key, async (transaction) => {
    const isOne = 'eventId' in replay;
    const { id, moduleId } = key;
    const events = isOne
      ? await replayOne(transaction, { id, moduleId, eventId: replay.eventId })
      : await replayRange(transaction, { id, moduleId, since: replay.since, until: replay.until });
    if (isOne && events === 0) return 'event-missing';
    const what = isOne
      ? { eventId: replay.eventId }
      : {
          since: replay.since.toISOString(),
          ...(replay.until !== null && { until: replay.until.toISOString() }),
        };
    await audit(transaction, actor, key, 'webhook.replayed', { webhookId: id, ...what, events });
    return { events };
  });
}

/** A delivery of a webhook that is not enabled is due when it is. */
const DUE = "case when w.status = 'enabled' then now() end";

const ONE = `
  insert into webhook_deliveries (webhook_id, event_id, position, organization_id, due_at)
  select w.id, c.id, c.position, coalesce(c.organization_id, w.organization_id), ${DUE}
  from webhooks w join changes c on c.module_id = w.module_id and c.id = :eventId::uuid where w.id = :id
  on conflict (webhook_id, event_id) do update set attempts = 0, started_at = now(), due_at = excluded.due_at`;

async function replayOne(
  transaction: Database,
  values: Readonly<Record<'id' | 'moduleId' | 'eventId', string>>,
): Promise<number> {
  return (await transaction.raw<{ rowCount: number }>(ONE, values)).rowCount;
}

/*
 * Deliveries are made in batches, as those of new changes: a replay of a month writes one row. A replay that is not
 * over is widened. Changes that have no delivery yet are not replayed: they come by themselves.
 */
const RANGE = `
  with range as (
    select min(c.position) - 1 as after, max(c.position) as last, count(*)::int as events
    from webhooks w join changes c on c.module_id = w.module_id and c.position <= w.position
      and (w.types is null or c.type = any(w.types))
    where w.id = :id and c.at >= :since and c.at <= coalesce(:until::timestamptz, 'infinity')
  ), changed as (
    update webhooks set replay_after = least(replay_after, range.after), replay_to = greatest(replay_to, range.last)
    from range where webhooks.id = :id and range.events > 0
  )
  select events from range`;

async function replayRange(
  transaction: Database,
  values: {
    readonly id: string;
    readonly moduleId: string;
    readonly since: Date;
    readonly until: Date | null;
  },
): Promise<number> {
  const { id, since, until } = values;
  const { rows } = await transaction.raw<{ rows: { events: number }[] }>(RANGE, { id, since, until });
  return rows[0]?.events ?? 0;
}

const TEST = `
  insert into webhook_deliveries (webhook_id, event_id, organization_id, due_at)
  select id, :eventId::uuid, organization_id, now() from webhooks where id = :id`;

/** Has a test event delivered to a webhook; returns the event's ID, null where there is none, or why it cannot. */
export async function testWebhook(
  database: Database,
  key: WebhookKey,
  actor: Actor,
): Promise<{ readonly eventId: string } | 'not-enabled' | null> {
  return withWebhook(database, key, async (transaction, { status }) => {
    if (status !== 'enabled') return 'not-enabled';
    const eventId = randomUUID();
    await transaction.raw(TEST, { eventId, id: key.id });
    await audit(transaction, actor, key, 'webhook.tested', { webhookId: key.id, eventId });
    return { eventId };
  });
}
