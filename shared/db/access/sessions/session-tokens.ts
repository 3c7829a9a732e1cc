import type { Knex } from 'knex';
import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt, type EncryptionKeys } from '../../../encryption/encryption-keys.ts';
import type { Database } from '../../database.ts';
import { hashOfSecret } from '../secrets.ts';

/** The tokens of a session. They never leave the server. */
export interface SessionTokens {
  readonly accessToken: string;
  /** Null: there is none, and the session ends with its access token. */
  readonly refreshToken: string | null;
  /** With it the issuer knows which of its sessions a sign-out ends; null: there is none. */
  readonly idToken: string | null;
  /** The remaining lifetime of the access token. */
  readonly lifetimeMs: number;
}

/** An access token is refreshed this long before its end, but not before half of its life is over. */
export const REFRESH_AHEAD_MS = 60_000;

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

/** The columns that `tokenColumns` sealed with the cookie's secret. */
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
function openRefreshToken(keys: EncryptionKeys, sealed: Buffer, secret: string): string | null {
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

/** The right to refresh a session's access token, which one process has at a time. */
export interface RefreshClaim {
  /** Null: its key is no longer in the settings. */
  readonly refreshToken: string | null;
  /** Distinguishes it from the refresh token that another process may have stored since. */
  readonly sealedRefreshToken: Buffer;
}

/**
 * Claims the refresh of a session's access token; null: it is not due, or another process is doing it. One statement,
 * so no connection is kept during the call to the issuer. If the process dies, the claim ends after `claimMs`.
 */
export async function claimRefresh(
  database: Database,
  keys: EncryptionKeys,
  secret: string,
  claimMs: number,
): Promise<RefreshClaim | null> {
  const [row] = await database('sessions')
    .where({ tokenSha256: hashOfSecret(secret) })
    .where('refreshAt', '<=', database.raw('now()'))
    .where('expiresAt', '>', database.raw('now()'))
    .whereNotNull('sealedRefreshToken')
    .update({ refreshAt: afterMs(database, claimMs) })
    .returning<{ sealedRefreshToken: Buffer }[]>('sealedRefreshToken');
  if (row === undefined) return null;
  const { sealedRefreshToken } = row;
  return { sealedRefreshToken, refreshToken: openRefreshToken(keys, sealedRefreshToken, secret) };
}

/** The session of a claim, unless it has ended, or another process has stored newer tokens after a claim that was late. */
function claimed(database: Database, secret: string, { sealedRefreshToken }: RefreshClaim) {
  return database('sessions').where({ tokenSha256: hashOfSecret(secret), sealedRefreshToken });
}

/** Stores the new tokens of a session. */
export async function storeTokens(
  database: Database,
  keys: EncryptionKeys,
  secret: string,
  claim: RefreshClaim,
  { name, ...tokens }: SessionTokens & { readonly name: string },
): Promise<void> {
  await claimed(database, secret, claim).update(tokenColumns(database, keys, secret, name, tokens));
}

/** Lets the next refresh start after a time, if this one failed without the issuer's answer. */
export async function postponeRefresh(
  database: Database,
  secret: string,
  claim: RefreshClaim,
  afterFailureMs: number,
): Promise<void> {
  await claimed(database, secret, claim).update({ refreshAt: afterMs(database, afterFailureMs) });
}

/** Ends a session whose refresh token the issuer refused. */
export async function endRefusedSession(database: Database, secret: string, claim: RefreshClaim) {
  return (await claimed(database, secret, claim).delete()) > 0;
}
