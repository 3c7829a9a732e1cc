import { signWebhook, type Signer, type WebhookMessage } from './sign-webhook.ts';

/** The headers of a call of a webhook. */
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
