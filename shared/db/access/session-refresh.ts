import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Database } from '../database.ts';
import { openRefreshToken, afterMs, tokenColumns } from './session-tokens.ts';
import type { SessionTokens } from './session-tokens.ts';
import { sessionTokenHash } from './session-token.ts';

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
    .where({ tokenSha256: sessionTokenHash(secret) })
    .where('refreshAt', '<=', database.raw('now()'))
    .where('expiresAt', '>', database.raw('now()'))
    .whereNotNull('sealedRefreshToken')
    .update({ refreshAt: afterMs(database, claimMs) })
    .returning<{ sealedRefreshToken: Buffer }[]>('sealedRefreshToken');
  if (row === undefined) return null;
  const { sealedRefreshToken } = row;
  return { sealedRefreshToken, refreshToken: openRefreshToken(keys, sealedRefreshToken, secret) };
}

/** Stores the new tokens of a session, unless it has ended meanwhile. */
export async function storeTokens(
  database: Database,
  keys: EncryptionKeys,
  secret: string,
  name: string,
  tokens: SessionTokens,
): Promise<void> {
  await database('sessions')
    .where({ tokenSha256: sessionTokenHash(secret) })
    .update(tokenColumns(database, keys, secret, name, tokens));
}

/** Lets the next refresh start after a time, if this one failed without the issuer's answer. */
export async function postponeRefresh(
  database: Database,
  secret: string,
  afterFailureMs: number,
): Promise<void> {
  await database('sessions')
    .where({ tokenSha256: sessionTokenHash(secret) })
    .update({ refreshAt: afterMs(database, afterFailureMs) });
}

/** Ends a session whose refresh token the issuer refused, unless another process has stored a newer one. */
export async function endRefusedSession(
  database: Database,
  secret: string,
  { sealedRefreshToken }: RefreshClaim,
): Promise<boolean> {
  const ended = await database('sessions')
    .where({ tokenSha256: sessionTokenHash(secret), sealedRefreshToken })
    .delete();
  return ended > 0;
}
