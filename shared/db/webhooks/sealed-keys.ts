import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { SigningKeys } from '../../webhooks/sign-webhook.ts';

/** The owner of a webhook's sealed keys. */
export const signingKeysOf = (webhookId: string) => `keys of webhook ${webhookId}`;

/** Seals the keys of a webhook. */
export function sealSigningKeys(keys: EncryptionKeys, webhookId: string, signing: SigningKeys): Buffer {
  return keys.seal(Buffer.from(JSON.stringify(signing)), signingKeysOf(webhookId));
}

/** The keys of `sealSigningKeys`. @throws Error where their key is not among the keys */
export function openSigningKeys(keys: EncryptionKeys, webhookId: string, sealed: Buffer): SigningKeys {
  return JSON.parse(keys.open(sealed, signingKeysOf(webhookId)).toString()) as SigningKeys;
}
