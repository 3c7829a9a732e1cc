import { signWebhook } from './sign-webhook.ts';
import type { SigningKeys, WebhookMessage } from './sign-webhook.ts';

/** The headers of a call of a webhook. */
export function callHeaders(
  message: WebhookMessage,
  keys: readonly (Pick<SigningKeys, 'secret'> & Partial<SigningKeys>)[],
  at: Date,
): Readonly<Record<string, string>> {
  return {
    ...signWebhook(message, keys, at),
    'Content-Type': 'application/json',
    'User-Agent': 'module-import-service',
  };
}
