import { createECDH, createPrivateKey, randomUUID, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Database } from '../database.ts';
import { pushKeyOf } from '../sealed-columns.ts';
import { onlyRow, queryRow } from '../statement.ts';

/** The key pair with which this service signs what it sends to push services (RFC 8292). */
export interface PushKey {
  /** A point of P-256 in base64url, as browsers take it for `applicationServerKey`. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

const CURVE = 'prime256v1';
const READ_PUBLIC = 'select public_key from push_key';

const ADD = `
  insert into push_key (id, public_key, sealed_private_key) values (:id, :publicKey, :sealed) on conflict do nothing`;

/** The public key; the first call makes the pair, and of two at once both return the same. */
export async function publicPushKey(database: Database, keys: EncryptionKeys): Promise<string> {
  const known = await queryRow<{ publicKey: string }>(database, READ_PUBLIC);
  if (known !== null) return known.publicKey;
  const pair = createECDH(CURVE);
  const id = randomUUID();
  const publicKey = pair.generateKeys('base64url');
  const point = pair.getPublicKey();
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256', d: pair.getPrivateKey('base64url') },
    ...{ x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) },
  };
  await database.raw(ADD, { id, publicKey, sealed: keys.sealJson(jwk, pushKeyOf(id)) });
  return (await onlyRow<{ publicKey: string }>(database, READ_PUBLIC)).publicKey;
}

const READ = 'select id, public_key, sealed_private_key from push_key';

/** The pair; null where no browser can have subscribed yet. @throws MissingKeyError; UnreadableValueError */
export async function findPushKey(database: Database, keys: EncryptionKeys): Promise<PushKey | null> {
  const row = await queryRow<{ id: string; publicKey: string; sealedPrivateKey: Buffer }>(database, READ);
  if (row === null) return null;
  const key = keys.openJson(row.sealedPrivateKey, pushKeyOf(row.id)) as JsonWebKey;
  return { publicKey: row.publicKey, privateKey: createPrivateKey({ key, format: 'jwk' }) };
}
