import { randomUUID } from 'node:crypto';
import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import { makeSigningKeys, type PreviousKeys, type SigningKeys } from '../../webhooks/sign-webhook.ts';
import { writeAudit, type Actor } from '../access/audit-log.ts';
import type { AuditAction, AuditDetails } from '../access/models.ts';
import { lockSequencer } from '../changes/change-sequencer.ts';
import type { ChangeType } from '../changes/change-types.ts';
import type { Database } from '../database.ts';
import { keysetPage, type PageRequest } from '../keyset-page.ts';
import { MAX_PENDING } from './make-deliveries.ts';
import { WebhookModel } from './models.ts';
import { lockOwnModule, type ModuleKey } from '../modules/models.ts';
import { lockOrganization, requireRoom } from '../quota.ts';
import { signingKeysOf } from '../sealed-columns.ts';

export interface WebhookKey extends ModuleKey {
  readonly id: string;
}

/** A vendor's settings of a webhook. */
export interface WebhookSettings {
  readonly url: string;
  /** Null: all. */
  readonly types: readonly ChangeType[] | null;
  readonly description: string | null;
}

/** A change of a webhook; what is absent stays as it is. */
export interface WebhookChange extends Partial<WebhookSettings> {
  readonly status?: 'enabled' | 'paused';
}

/** A webhook with its secret, which nothing returns again. */
export interface WebhookWithSecret {
  readonly webhook: WebhookModel;
  readonly secret: string;
}

/** The most webhooks of one owner. */
interface WebhookQuotas {
  readonly module: number;
  readonly organization: number;
}

const MASK = '***';

/** An address as members may read it in the audit log: vendors put secrets into the query. */
function withoutSecrets(url: string): string {
  const shown = new URL(url);
  if (shown.username !== '') shown.username = MASK;
  if (shown.password !== '') shown.password = MASK;
  const masked = new URLSearchParams();
  for (const [name, value] of shown.searchParams)
    if (value === '') masked.append(MASK, '');
    else masked.append(name, MASK);
  shown.search = masked.toString();
  return shown.href;
}

/** Registers a webhook, which gets what changes from now on; null where the organization has no such module. */
export async function createWebhook(
  database: Database,
  keys: EncryptionKeys,
  module: ModuleKey,
  { types, ...settings }: WebhookSettings,
  { max, ...actor }: Actor & { readonly max: WebhookQuotas },
): Promise<WebhookWithSecret | null> {
  return database.transaction(async (transaction) => {
    const { organizationId } = module;
    await lockOrganization(transaction, organizationId);
    if (!(await lockOwnModule(transaction, module))) return null;
    const what = 'webhooks of the organization';
    await requireRoom(transaction, 'webhooks', { organizationId }, max.organization, what);
    await requireRoom(transaction, 'webhooks', { ...module }, max.module, 'webhooks of the module');
    const id = randomUUID();
    const { signing, columns } = newKeys(keys, id);
    // A change that got its position before the commit would not be noted for this webhook.
    await lockSequencer(transaction);
    const webhook = await WebhookModel.query(transaction)
      .insert({
        ...{ id, ...module, ...settings, ...columns, createdBy: actor.subject },
        types: types === null ? null : [...types],
        position: transaction.raw('(select coalesce(max(position), 0) from changes)'),
      })
      .returning('*');
    const details = { webhookId: id, url: withoutSecrets(settings.url) };
    await writeAudit(transaction, actor, { ...module, action: 'webhook.created', details });
    return { webhook, secret: signing.secret };
  });
}

function newKeys(keys: EncryptionKeys, id: string) {
  const { keys: signing, publicKey } = makeSigningKeys();
  return { signing, columns: { publicKey, sealedKeys: keys.sealJson(signing, signingKeysOf(id)) } };
}

export async function listWebhooks(database: Database, module: ModuleKey, page: PageRequest) {
  return keysetPage(WebhookModel.query(database).where({ ...module }), page);
}

export async function findWebhook(database: Database, key: WebhookKey): Promise<WebhookModel | null> {
  return (await WebhookModel.query(database).findOne({ ...key })) ?? null;
}

/**
 * Changes a webhook; null where there is none. While it is not enabled, nothing is delivered: what waits is due when it is
 * enabled, and so is what happened meanwhile, as far as changes are kept.
 */
export async function changeWebhook(
  database: Database,
  key: WebhookKey,
  { types, ...change }: WebhookChange,
  actor: Actor,
): Promise<WebhookModel | null> {
  return withWebhook(database, key, async (transaction, before) => {
    const { status, url } = change;
    const { status: statusBefore } = before;
    const isElsewhere = url !== undefined && url !== before.url;
    const changed = await before.$query(transaction).patchAndFetch({
      ...change,
      ...(types !== undefined && { types: types === null ? null : [...types] }),
      ...(status === 'enabled' && ENABLED),
      ...((status === 'enabled' || isElsewhere) && NOT_FAILING),
      updatedAt: transaction.raw('now()'),
    });
    if (status !== undefined && status !== statusBefore) await startOrStop(transaction, key, status);
    const names = [...Object.keys(change), ...(types === undefined ? [] : ['types'])];
    const details = { webhookId: key.id, changed: names, ...(status !== undefined && { status }) };
    await audit(transaction, actor, key, 'webhook.changed', details);
    return changed;
  });
}

const ENABLED = { disabledReason: null, disabledAt: null };
/** Failures at another address say nothing about this one. */
const NOT_FAILING = { failingSince: null, lastFailedAt: null };

/** When the webhook is enabled, waiting deliveries start again, and later changes follow. */
async function startOrStop(
  transaction: Database,
  { organizationId, id: webhookId }: WebhookKey,
  status: 'enabled' | 'paused',
) {
  const now = transaction.raw('now()');
  if (status === 'enabled') await transaction('webhooks_behind').insert({ organizationId, webhookId });
  await transaction('webhook_deliveries')
    .where({ webhookId })
    .update(
      status === 'paused'
        ? { isDue: false, dueAt: null }
        : { isDue: true, dueAt: null, startedAt: now, attempts: 0 },
    );
}

export async function deleteWebhook(database: Database, key: WebhookKey, actor: Actor): Promise<boolean> {
  const deleted = await withWebhook(database, key, async (transaction, { url }) => {
    await WebhookModel.query(transaction).deleteById(key.id);
    await audit(transaction, actor, key, 'webhook.deleted', { webhookId: key.id, url: withoutSecrets(url) });
    return true;
  });
  return deleted ?? false;
}

/** A call has two signatures for each: all together are less than a receiver's usual limit of 8 KB for its headers. */
const MAX_PREVIOUS_KEYS = 10;

/**
 * Makes new keys for a webhook; null where there is none. The old ones sign too for `overlapSeconds` more: the receiver
 * may accept either meanwhile. So do those of earlier rotations whose overlap has not ended: where the answer of one was
 * lost, the receiver has none of the keys that it made.
 */
export async function rotateWebhook(
  database: Database,
  keys: EncryptionKeys,
  key: WebhookKey,
  overlapSeconds: number,
  actor: Actor,
): Promise<WebhookWithSecret | null> {
  return withWebhook(database, key, async (transaction, before) => {
    const { signing, columns } = newKeys(keys, key.id);
    const isOverlapping = overlapSeconds > 0;
    const until = transaction.raw("now() + :overlapSeconds * interval '1 second'", { overlapSeconds });
    const webhook = await before.$query(transaction).patchAndFetch({
      ...columns,
      previousSealedKeys: isOverlapping ? previousKeysOf(keys, before) : null,
      previousUntil: isOverlapping ? until : null,
      updatedAt: transaction.raw('now()'),
    });
    await audit(transaction, actor, key, 'webhook.rotated', { webhookId: key.id, overlapSeconds });
    return { webhook, secret: signing.secret };
  });
}

/** The sealed keys that sign during the overlap. Those that cannot be opened are kept alone: their key may come back. */
function previousKeysOf(
  keys: EncryptionKeys,
  { id, sealedKeys, previousSealedKeys, previousUntil }: WebhookModel,
): Buffer {
  const owner = signingKeysOf(id);
  const isOverlapping = previousUntil !== null && previousUntil > new Date();
  if (!isOverlapping || previousSealedKeys === null) return sealedKeys;
  if (![sealedKeys, previousSealedKeys].every((sealed) => keys.opens(sealed, owner))) return sealedKeys;
  const replaced = keys.openJson(sealedKeys, owner) as SigningKeys;
  const { earlier = [], ...previous } = keys.openJson(previousSealedKeys, owner) as PreviousKeys;
  const kept: PreviousKeys = { ...replaced, earlier: [previous, ...earlier].slice(0, MAX_PREVIOUS_KEYS - 1) };
  return keys.sealJson(kept, owner);
}

/** Runs a function with the webhook, locked; null where there is none. */
export async function withWebhook<Result>(
  database: Database,
  key: WebhookKey,
  act: (transaction: Database, webhook: WebhookModel) => Promise<Result>,
): Promise<Result | null> {
  return database.transaction(async (transaction) => {
    const webhook = await WebhookModel.query(transaction)
      .findOne({ ...key })
      .forNoKeyUpdate();
    return webhook === undefined ? null : act(transaction, webhook);
  });
}

export async function audit(
  transaction: Database,
  actor: Actor,
  { organizationId, moduleId }: ModuleKey,
  action: Extract<AuditAction, `webhook.${string}`>,
  details: AuditDetails,
): Promise<void> {
  await writeAudit(transaction, actor, { organizationId, moduleId, action, details });
}

/** Has a test event delivered to a webhook; returns the event's ID, null where there is none, or why it cannot. */
export async function testWebhook(
  database: Database,
  key: WebhookKey,
  actor: Actor,
): Promise<{ readonly eventId: string } | 'not-enabled' | null> {
  return withWebhook(database, key, async (transaction, { status }) => {
    if (status !== 'enabled') return 'not-enabled';
    const { id: webhookId } = key;
    await requireRoom(transaction, 'webhook_deliveries', { webhookId }, MAX_PENDING, 'waiting deliveries');
    const eventId = randomUUID();
    await transaction('webhook_deliveries').insert({
      ...{ webhookId: key.id, organizationId: key.organizationId, eventId },
    });
    await audit(transaction, actor, key, 'webhook.tested', { webhookId: key.id, eventId });
    return { eventId };
  });
}
