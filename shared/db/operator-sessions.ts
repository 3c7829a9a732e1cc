import { createHash, randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/** How long an operator stays signed in at the dashboard. */
export const SESSION_SECONDS = 12 * 3_600;

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Begins a session; gives the secret of its cookie, of which only the SHA-256 is kept. */
export async function beginSession(database: Database, subject: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + SESSION_SECONDS * 1_000);
  await database('operator_sessions').insert({ tokenSha256: hashOf(token), subject, expiresAt });
  return token;
}

/** Whether a cookie's secret is that of a session which has not expired. */
export async function isSession(database: Database, token: string): Promise<boolean> {
  const found = await database('operator_sessions')
    .where({ tokenSha256: hashOf(token) })
    .where('expiresAt', '>', database.raw('now()'))
    .first<{ subject: string } | undefined>('subject');
  return found !== undefined;
}

/** Ends a session. */
export async function endSession(database: Database, token: string): Promise<void> {
  await database('operator_sessions')
    .where({ tokenSha256: hashOf(token) })
    .delete();
}

/** Forgets sessions past their time. */
export async function dropExpiredSessions(database: Database): Promise<void> {
  await database('operator_sessions').where('expiresAt', '<', database.raw('now()')).delete();
}
