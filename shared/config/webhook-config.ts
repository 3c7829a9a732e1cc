import type { SettingsReader } from './settings-reader.ts';

/** How many webhooks a worker calls at once. */
export interface WebhookConfig {
  readonly maxCalls: number;
  readonly maxCallsPerOrganization: number;
}

/** Reads how many webhooks a worker calls at once: an organization's part is a quarter. */
export function readWebhooks(read: SettingsReader): WebhookConfig {
  return {
    maxCalls: read.integer('MAX_WEBHOOK_CALLS', 256),
    maxCallsPerOrganization: read.integer('MAX_WEBHOOK_CALLS_PER_ORGANIZATION', 64),
  };
}
