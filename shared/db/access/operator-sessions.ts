import { makeSessionToken, sessionTokenHash } from './session-token.ts';
import type { Database } from '../database.ts';

/** How long an operator stays signed in at the dashboard. */
export const SESSION_SECONDS = 12 * 3_600;

/** Begins a session; gives the secret of its cookie, of which only the SHA-256 is kept. */
export async function beginSession(database: Database, subject: string): Promise<string> {
  const token = makeSessionToken();
  const expiresAt = new Date(Date.now() + SESSION_SECONDS * 1_000);
  await database('operator_sessions').insert({ tokenSha256: sessionTokenHash(token), subject, expiresAt });
  return token;
}

/** Whether a cookie's secret is that of a session which has not expired. */
export async function isSession(database: Database, token: string): Promise<boolean> {
  const found = await database('operator_sessions')
    .where({ tokenSha256: sessionTokenHash(token) })
    .where('expiresAt', '>', database.raw('now()'))
    .first<{ subject: string } | undefined>('subject');
  return found !== undefined;
}

/** Ends a session. */
export async function endSession(database: Database, token: string): Promise<void> {
  await database('operator_sessions')
    .where({ tokenSha256: sessionTokenHash(token) })
    .delete();
}

/** Forgets sessions past their time, at the dashboard and at the portal. */
export async function dropExpiredSessions(database: Database): Promise<void> {
  for (const table of ['operator_sessions', 'portal_sessions'])
    await database(table).where('expiresAt', '<', database.raw('now()')).delete();
}
