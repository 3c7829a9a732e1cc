import { Model } from 'objection';

/** Whether a webhook is called; only the service disables one. */
export type WebhookStatus = 'enabled' | 'paused' | 'disabled';

/** Why the service disabled a webhook: it answered 410, or failed for days. */
export type WebhookDisabledReason = 'gone' | 'failing';

/** An address of a vendor that is called when something changes for a module. */
export class WebhookModel extends Model {
  static override readonly tableName = 'webhooks';
  declare id: string;
  declare organizationId: string;
  declare moduleId: string;
  declare url: string;
  /** Null: all. */
  declare types: string[] | null;
  declare description: string | null;
  declare status: WebhookStatus;
  declare disabledReason: WebhookDisabledReason | null;
  declare disabledAt: Date | null;
  declare publicKey: string;
  declare sealedKeys: Buffer;
  /** Those before a rotation, which sign too until `previousUntil`. */
  declare previousSealedKeys: Buffer | null;
  declare previousUntil: Date | null;
  declare position: number;
  declare failingSince: Date | null;
  declare lastFailedAt: Date | null;
  declare createdBy: string;
  declare createdAt: Date;
  declare updatedAt: Date;
}

/** One call of a webhook. */
export class WebhookAttemptModel extends Model {
  static override readonly tableName = 'webhook_attempts';
  declare id: string;
  declare webhookId: string;
  declare eventId: string;
  declare type: string;
  declare number: number;
  declare status: number | null;
  declare error: string | null;
  declare durationMs: number;
  declare createdAt: Date;
}
