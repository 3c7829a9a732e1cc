import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';

/** The keys of one webhook: Standard Webhooks signs with a shared secret, with a private key, or with both. */
export interface SigningKeys {
  /** `whsec_` and 32 random bytes in base64: the receiver has it too. */
  readonly secret: string;
  /** The private key of Ed25519, as PKCS #8 in base64: only the sender has it. */
  readonly privateKey: string;
}

/** The keys before a rotation. */
export interface PreviousKeys extends SigningKeys {
  /** Those of the rotations before it whose overlap had not ended, newest first; absent: none. */
  readonly earlier?: readonly SigningKeys[];
}

/** The prefix of a shared secret. */
const SECRET_PREFIX = 'whsec_';
const PUBLIC_KEY_PREFIX = 'whpk_';
const SECRET_BYTES = 32;
/** At the end of a public key in its DER form (RFC 8410, section 4). */
const PUBLIC_KEY_BYTES = 32;

/** A new shared secret. */
export function makeSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** New keys, and what receivers verify the signatures of the private key with: `whpk_` and the public key in base64. */
export function makeSigningKeys(): { readonly keys: SigningKeys; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  return {
    keys: { secret: makeSecret(), privateKey: privateKey.toString('base64') },
    publicKey: PUBLIC_KEY_PREFIX + publicKey.subarray(-PUBLIC_KEY_BYTES).toString('base64'),
  };
}

/** Opened keys: reading a private key takes ten times as long as signing with it. */
export interface Signer {
  readonly secret: Buffer;
  /** Null: only the shared secret signs. */
  readonly privateKey: KeyObject | null;
}

export function openSigner({
  secret,
  privateKey,
}: Pick<SigningKeys, 'secret'> & Partial<SigningKeys>): Signer {
  return {
    secret: Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'),
    privateKey:
      privateKey === undefined
        ? null
        : createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' }),
  };
}

export interface WebhookMessage {
  /** The same for each attempt: receivers recognize a repeat by it. */
  readonly id: string;
  readonly body: string;
}

/**
 * Signs a message as Standard Webhooks 1.0.0 says, once with each key: `v1` with the secret, `v1a` with the private key, where
 * there is one. Several signers are those of a rotation, the new one first.
 */
export function signWebhook({ id, body }: WebhookMessage, signers: readonly Signer[], at: Date) {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  const signatures = signers.flatMap(({ secret, privateKey }) => [
    `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
    ...(privateKey === null ? [] : [`v1a,${sign(null, signed, privateKey).toString('base64')}`]),
  ]);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
