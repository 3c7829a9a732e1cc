import { signWebhook, type Signer, type WebhookMessage } from './sign-webhook.ts';

/** The content of a webhook's body: a change as the feed lists it, with its IDs, or a test event. */
export interface WebhookItem {
  readonly id: string;
  /** The feed goes on after it; null: of a test. */
  readonly cursor: string | null;
  readonly type: string;
  readonly organizationId: string | null;
  readonly at: string;
}

/** The longest time of a call, from the look-up of its name to the last byte of the answer. */
export const CALL_MS = 10_000;

export const TEST_TYPE = 'webhook.test';

/**
 * The body of a webhook call, which says what changed but not how: the receiver reads that with its key. With the cursor
 * it reads the feed from there.
 */
export function webhookBody(item: WebhookItem): string {
  return JSON.stringify({ type: item.type, timestamp: item.at, data: item });
}

export function callHeaders(
  message: WebhookMessage,
  signers: readonly Signer[],
  at: Date,
): Readonly<Record<string, string>> {
  return {
    ...signWebhook(message, signers, at),
    'Content-Type': 'application/json',
    'User-Agent': 'module-import-service',
  };
}

/** The header Retry-After in seconds: a number, or a date (RFC 9110, section 10.2.3); 0 where it is neither. */
export function retryAfterSeconds(value: unknown): number {
  if (typeof value !== 'string') return 0;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}
