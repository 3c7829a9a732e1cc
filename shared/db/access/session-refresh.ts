import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Database } from '../database.ts';
import { openRefreshToken, afterMs, tokenColumns, type SessionTokens } from './session-tokens.ts';
import { hashOfSecret } from './secrets.ts';

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
