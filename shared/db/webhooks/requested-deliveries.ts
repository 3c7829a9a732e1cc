import { randomUUID } from 'node:crypto';
import type { Actor } from '../access/audit-log.ts';
import type { Database } from '../database.ts';
import { audit, withWebhook, type WebhookKey } from './webhooks.ts';

const AGAIN = `
  insert into webhook_deliveries (webhook_id, event_id, position, due_at)
  select :id, id, position, case when :isEnabled then now() end from changes
  where module_id = :moduleId and id = :eventId
  on conflict (webhook_id, event_id) do update set attempts = 0, started_at = now(), due_at = excluded.due_at`;

/**
 * Delivers a change of the module again, with the same ID; to a webhook that is not enabled, when it is. Returns why it
 * cannot: `event-missing`: no change that is kept has this ID; null: there is no such webhook.
 */
export async function deliverAgain(
  database: Database,
  key: WebhookKey,
  eventId: string,
  actor: Actor,
): Promise<'requested' | 'event-missing' | null> {
  return withWebhook(database, key, async (transaction, { status }) => {
    const { id, moduleId } = key;
    const values = { id, moduleId, eventId, isEnabled: status === 'enabled' };
    const { rowCount } = await transaction.raw<{ rowCount: number }>(AGAIN, values);
    if (rowCount === 0) return 'event-missing';
    await audit(transaction, actor, key, 'webhook.replayed', { webhookId: id, eventId });
    return 'requested';
  });
}

/** Has a test event delivered to a webhook; returns the event's ID, null where there is none, or why it cannot. */
export async function testWebhook(
  database: Database,
  key: WebhookKey,
  actor: Actor,
): Promise<{ readonly eventId: string } | 'not-enabled' | null> {
  return withWebhook(database, key, async (transaction, { status }) => {
    if (status !== 'enabled') return 'not-enabled';
    const eventId = randomUUID();
    await transaction('webhook_deliveries').insert({ webhookId: key.id, eventId });
    await audit(transaction, actor, key, 'webhook.tested', { webhookId: key.id, eventId });
    return { eventId };
  });
}
