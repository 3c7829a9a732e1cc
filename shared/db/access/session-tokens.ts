import type { Knex } from 'knex';
import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt, type EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Database } from '../database.ts';
import { hashOfSecret } from './secrets.ts';

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
  return database.raw("now() + :ms * interval '1 millisecond'", { ms: Math.round(ms) });
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
  return `session ${hashOfSecret(secret).toString('base64url')}`;
}

/** The key that only the owner of the cookie can derive: the database has only a hash of the secret. */
function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'session', 32));
}

const NO_CONTEXT = Buffer.alloc(0);

function sealText(text: string, secret: string): Buffer {
  return encrypt(keyOf(secret), Buffer.from(text), NO_CONTEXT);
}

/** The text of `sealText`. @throws Error where the secret is wrong, or the bytes were changed. */
function openText(sealed: Buffer, secret: string): string {
  return decrypt(keyOf(secret), sealed, NO_CONTEXT).toString();
}
