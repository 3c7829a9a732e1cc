import { makeSessionToken, openText, sealText, sessionTokenHash } from './session-token.ts';
import type { Database } from '../database.ts';

/** A person who is signed in, with the access token from the issuer. */
export interface Session {
  readonly subject: string;
  /** The name that the portal shows. */
  readonly name: string;
  /** Never leaves the server. */
  readonly accessToken: string;
  readonly expiresAt: Date;
}

interface SessionRow {
  readonly subject: string;
  readonly sealed: Buffer;
  readonly expiresAt: Date;
}

/**
 * Starts a session and returns the secret of its cookie. The database stores the secret's SHA-256, and the access
 * token sealed with the secret: a reader of the table alone can act for nobody.
 */
export async function createSession(database: Database, session: Session): Promise<string> {
  const token = makeSessionToken();
  const { subject, name, accessToken, expiresAt } = session;
  const sealed = sealText(JSON.stringify([name, accessToken]), token);
  await database('sessions').insert({ tokenSha256: sessionTokenHash(token), subject, sealed, expiresAt });
  return token;
}

/** The session of a cookie's secret; null where there is none, or it has expired. */
export async function findSession(database: Database, token: string): Promise<Session | null> {
  const row = await database('sessions')
    .where({ tokenSha256: sessionTokenHash(token) })
    .where('expiresAt', '>', database.raw('now()'))
    .first<SessionRow | undefined>('subject', 'sealed', 'expiresAt');
  if (row === undefined) return null;
  const [name, accessToken] = JSON.parse(openText(row.sealed, token)) as [string, string];
  return { subject: row.subject, name, accessToken, expiresAt: row.expiresAt };
}

/** Ends a session. */
export async function endSession(database: Database, token: string): Promise<void> {
  await database('sessions')
    .where({ tokenSha256: sessionTokenHash(token) })
    .delete();
}
