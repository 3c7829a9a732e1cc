import { changeItem } from '../shared/db/changes/change-item.ts';
import type { Delivery } from '../shared/db/webhooks/deliveries.ts';
import { dateTimeText } from '../shared/structures/text-rules.ts';
import { TEST_TYPE, webhookBody, type WebhookItem } from '../shared/webhooks/webhook-body.ts';

/** The type and the body of what is delivered. */
export function webhookEvent({ eventId, change }: Delivery): {
  readonly type: string;
  readonly body: string;
} {
  const item: WebhookItem = change === null ? testItem(eventId) : changeItem(change);
  return { type: item.type, body: webhookBody(item) };
}

function testItem(id: string): WebhookItem {
  return { id, cursor: null, type: TEST_TYPE, at: dateTimeText(new Date()), organizationId: null };
}
