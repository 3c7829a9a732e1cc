import type { NewIndex } from './migration.ts';

/** The webhooks of a module, the deliveries that are due and their order, and attempts by age. */
export const name = '0023-webhook-indexes';

export const indexes: readonly NewIndex[] = [
  { name: 'webhooks_module', on: 'webhooks (module_id, created_at desc, id desc)' },
  { name: 'webhooks_organization', on: 'webhooks (organization_id)' },
  { name: 'webhook_deliveries_due', on: 'webhook_deliveries (webhook_id, due_at) where due_at is not null' },
  { name: 'webhook_deliveries_order', on: 'webhook_deliveries (webhook_id, organization_id, position)' },
  { name: 'webhook_attempts_newest', on: 'webhook_attempts (webhook_id, created_at desc, id desc)' },
  { name: 'webhook_attempts_oldest', on: 'webhook_attempts (created_at)' },
];
