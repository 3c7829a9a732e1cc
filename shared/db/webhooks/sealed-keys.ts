import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { SigningKeys } from '../../webhooks/sign-webhook.ts';
import type { Database } from '../database.ts';
import { WebhookModel } from './models.ts';

const ownerOf = (webhookId: string) => `keys of webhook ${webhookId}`;

/** Seals the keys of a webhook. */
export function sealSigningKeys(keys: EncryptionKeys, webhookId: string, signing: SigningKeys): Buffer {
  return keys.seal(Buffer.from(JSON.stringify(signing)), ownerOf(webhookId));
}

/** The keys of `sealSigningKeys`. @throws Error where their key is not among the keys */
export function openSigningKeys(keys: EncryptionKeys, webhookId: string, sealed: Buffer): SigningKeys {
  return JSON.parse(keys.open(sealed, ownerOf(webhookId)).toString()) as SigningKeys;
}

const BATCH = 100;

/** The ID of the key is after its length in one byte. */
const keyId = (column: string) => `substring(${column} from 2 for get_byte(${column}, 0))`;

/**
 * Seals with the current key what an older one sealed, while the service runs; returns the number of webhooks. A rotation
 * at the same time wins: it seals with the current key.
 */
export async function resealWebhooks(database: Database, keys: EncryptionKeys): Promise<number> {
  for (let total = 0; ;) {
    const rows = await WebhookModel.query(database)
      .whereRaw(`${keyId('sealed_keys')} <> convert_to(?, 'UTF8')`, [keys.currentId])
      .orWhereRaw(`${keyId('previous_sealed_keys')} <> convert_to(?, 'UTF8')`, [keys.currentId])
      .limit(BATCH);
    for (const row of rows) await reseal(database, keys, row);
    total += rows.length;
    if (rows.length < BATCH) return total;
  }
}

async function reseal(database: Database, keys: EncryptionKeys, row: WebhookModel): Promise<void> {
  const { id, sealedKeys, previousSealedKeys } = row;
  const resealed = (sealed: Buffer) => sealSigningKeys(keys, id, openSigningKeys(keys, id, sealed));
  await WebhookModel.query(database)
    .where({ id, sealedKeys })
    .patch({
      sealedKeys: resealed(sealedKeys),
      previousSealedKeys: previousSealedKeys === null ? null : resealed(previousSealedKeys),
    });
}
