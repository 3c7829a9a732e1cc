/** What a webhook's body is made of: a change as the feed lists it, with the IDs of what changed, or a test event. */
export interface WebhookItem {
  readonly id: string;
  /** The feed goes on after it; null: of a test. */
  readonly cursor: string | null;
  readonly type: string;
  readonly organizationId: string | null;
  readonly at: string;
}

/** The type of the event that a test sends. */
export const TEST_TYPE = 'webhook.test';

/**
 * The body of a webhook call, which says what changed but not how: the receiver reads that with its key. With the cursor
 * it reads the feed from there.
 */
export function webhookBody(item: WebhookItem): string {
  return JSON.stringify({ type: item.type, timestamp: item.at, data: item });
}
