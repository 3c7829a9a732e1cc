import { modelOf } from '../rows.ts';

/** Whether a webhook is called; only the service disables one. */
export type WebhookStatus = 'enabled' | 'paused' | 'disabled';

/** Why the service disabled a webhook: it answered 410, failed for days, or its keys cannot be opened. */
export type WebhookDisabledReason = 'gone' | 'failing' | 'key-missing';

/** An address of a vendor that is called when something changes for a module. */
export class WebhookModel extends modelOf('webhooks') {
  declare status: WebhookStatus;
  declare disabledReason: WebhookDisabledReason | null;
}

export class WebhookAttemptModel extends modelOf('webhook_attempts') {}
