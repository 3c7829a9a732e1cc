import type { PortalConfig } from '../../../config/identity-config.ts';
import type { EncryptionKeys } from '../../../encryption/encryption-keys.ts';
import type { Database } from '../../database.ts';
import { afterMs, openTokens, tokenColumns, type SessionTokens } from './session-tokens.ts';
import { hashOfSecret, newSecret } from '../secrets.ts';
import { lockIssuerSessions, requireNotEnded, type IssuerSession } from './issuer-logouts.ts';

/** A person who signs in. */
export interface NewSession extends SessionTokens, IssuerSession {
  readonly subject: string;
  /** The name that the portal shows. */
  readonly name: string;
  readonly browser: string | null;
  readonly operatingSystem: string | null;
}

/** A person who is signed in, with the access token from the issuer. */
export interface Session {
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly accessToken: string;
  readonly idToken: string | null;
  readonly expiresAt: Date;
  /** Whether there is a refresh token. */
  readonly canRefresh: boolean;
  /** Whether a request should refresh the access token now. */
  readonly isRefreshDue: boolean;
}

interface SessionRow extends Omit<Session, 'name' | 'accessToken' | 'idToken'> {
  readonly sealed: Buffer;
  readonly isUseRecent: boolean;
}

/** The use of a session is written once in this share of its idle limit. */
const USES_PER_IDLE_TIME = 20;

/**
 * Starts a session and returns the secret of its cookie. The database stores the secret's SHA-256, and the tokens sealed
 * with the secret: a reader of the table alone can act for nobody.
 * @throws EndedAtIssuerError
 */
export async function createSession(
  database: Database,
  keys: EncryptionKeys,
  session: NewSession,
  { idleMinutes, maxHours }: PortalConfig['sessions'],
): Promise<string> {
  const secret = newSecret();
  const { subject, name, browser, operatingSystem, issuerSessionId, issuerSubject } = session;
  const maxMs = maxHours * 3_600_000;
  const endsInMs = session.refreshToken === null ? Math.min(maxMs, session.lifetimeMs) : maxMs;
  await database.transaction(async (transaction) => {
    await lockIssuerSessions(transaction, 'start');
    await requireNotEnded(transaction, session);
    await transaction('sessions').insert({
      ...{
        tokenSha256: hashOfSecret(secret),
        subject,
        browser,
        operatingSystem,
        issuerSessionId,
        issuerSubject,
      },
      ...tokenColumns(database, keys, secret, name, session),
      endsAt: afterMs(database, endsInMs),
      expiresAt: afterMs(database, Math.min(endsInMs, idleMinutes * 60_000)),
    });
  });
  return secret;
}

/** The session of a cookie's secret; null where there is none, or it has expired. Its use moves the idle limit. */
export async function useSession(
  database: Database,
  secret: string,
  { idleMinutes }: PortalConfig['sessions'],
): Promise<Session | null> {
  const idleMs = idleMinutes * 60_000;
  const row = await database('sessions')
    .where({ tokenSha256: hashOfSecret(secret) })
    .where('expiresAt', '>', database.raw('now()'))
    .first<SessionRow | undefined>(
      ...['id', 'subject', 'sealed', 'expiresAt'],
      database.raw('sealed_refresh_token is not null as can_refresh'),
      database.raw('coalesce(refresh_at <= now(), false) as is_refresh_due'),
      database.raw("last_used_at > now() - :recentMs * interval '1 millisecond' as is_use_recent", {
        recentMs: Math.round(idleMs / USES_PER_IDLE_TIME),
      }),
    );
  if (row === undefined) return null;
  if (!row.isUseRecent) await recordUse(database, secret, idleMs);
  const { id, subject, expiresAt, canRefresh, isRefreshDue } = row;
  return { id, subject, expiresAt, canRefresh, isRefreshDue, ...openTokens(row.sealed, secret) };
}

async function recordUse(database: Database, secret: string, idleMs: number): Promise<void> {
  await database('sessions')
    .where({ tokenSha256: hashOfSecret(secret) })
    .update({
      lastUsedAt: database.raw('now()'),
      expiresAt: database.raw("least(ends_at, now() + :idleMs * interval '1 millisecond')", { idleMs }),
    });
}

/** Ends a session; returns its ID token, if there is one. */
export async function endSession(database: Database, secret: string): Promise<string | null> {
  const [row] = await database('sessions')
    .where({ tokenSha256: hashOfSecret(secret) })
    .delete()
    .returning<{ sealed: Buffer }[]>('sealed');
  return row === undefined ? null : openTokens(row.sealed, secret).idToken;
}
