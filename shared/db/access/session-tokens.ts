import type { Knex } from 'knex';
import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Database } from '../database.ts';
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** The tokens of a session. They never leave the server. */
export interface SessionTokens {
  readonly accessToken: string;
  /** Null: there is none, and the session ends with its access token. */
  readonly refreshToken: string | null;
  /** With it the issuer knows which of its sessions a sign-out ends; null: there is none. */
  readonly idToken: string | null;
  /** How long the access token is valid from now on. */
  readonly lifetimeMs: number;
}

/** An access token is refreshed this long before its end, but not before half of its life is over. */
const REFRESH_AHEAD_MS = 60_000;

/** When a request should refresh the access token; null: never. */
function refreshAfterMs({ lifetimeMs, refreshToken }: SessionTokens): number | null {
  return refreshToken === null ? null : Math.max(lifetimeMs / 2, lifetimeMs - REFRESH_AHEAD_MS);
}

/** A time from now on, by the database's clock. */
export function afterMs(database: Database, ms: number): Knex.Raw {
  return database.raw("now() + ? * interval '1 millisecond'", [Math.round(ms)]);
}

/**
 * The columns that contain a session's tokens. All are sealed with the cookie's secret; the refresh token, which is
 * valid longest, also with the keys of the settings: neither the cookie nor the keys suffice to read it from a backup.
 */
export function tokenColumns(
  database: Database,
  keys: EncryptionKeys,
  secret: string,
  name: string,
  tokens: SessionTokens,
) {
  const { accessToken, refreshToken, idToken } = tokens;
  const refreshMs = refreshAfterMs(tokens);
  return {
    sealed: sealText(JSON.stringify([name, accessToken, idToken]), secret),
    sealedRefreshToken:
      refreshToken === null ? null : keys.seal(sealText(refreshToken, secret), ownerOf(secret)),
    refreshAt: refreshMs === null ? null : afterMs(database, refreshMs),
  };
}

/** What `tokenColumns` sealed with the cookie's secret. */
export function openTokens(
  sealed: Buffer,
  secret: string,
): { readonly name: string; readonly accessToken: string; readonly idToken: string | null } {
  const [name, accessToken, idToken] = JSON.parse(openText(sealed, secret)) as [
    string,
    string,
    string | null,
  ];
  return { name, accessToken, idToken };
}

/** The refresh token; null if its key is no longer in the settings. */
export function openRefreshToken(keys: EncryptionKeys, sealed: Buffer, secret: string): string | null {
  return keys.has(sealed) ? openText(keys.open(sealed, ownerOf(secret)), secret) : null;
}

/** Nobody can exchange the tokens of two rows. */
function ownerOf(secret: string): string {
  return `session ${sessionTokenHash(secret).toString('base64url')}`;
}

/** A new secret for a session's cookie: 32 random bytes in base64url, 43 characters. */
export function makeSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a session's secret: its SHA-256. */
export function sessionTokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The key that only the owner of the cookie can derive: the database has only a hash of the secret. */
function keyOf(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', 'session', 32));
}

/** Encrypts a text so that only a caller with the session's secret can read it. */
export function sealText(text: string, token: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(token), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** The text of `sealText`. @throws Error where the secret is wrong, or the bytes were changed. */
export function openText(sealed: Buffer, token: string): string {
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, keyOf(token), sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, tagEnd));
  return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()]).toString('utf8');
}
