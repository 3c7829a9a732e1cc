import type { Request, Response } from 'express';
import { endSession, type NewSession, type Session } from '../../shared/db/access/sessions.ts';
import type { ApiContext } from '../context.ts';
import { ProblemError } from '../http/problem.ts';
import { readCookie, setCookie } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';

/** For the portal and the queue dashboard. */
const COOKIE = 'module_session';

function cookieSecret(api: ApiContext, request: Request): string | null {
  return readCookie(api, request, COOKIE, /^[\w-]{43}$/);
}

/** The session of the request's cookie; null if there is none. */
export async function sessionOf(api: ApiContext, request: Request): Promise<Session | null> {
  const secret = cookieSecret(api, request);
  return secret === null || api.sessions === null ? null : api.sessions.find(secret);
}

/** The session of the request's cookie. @throws ProblemError 401 if there is none. */
export async function requireSession(api: ApiContext, request: Request): Promise<Session> {
  const session = await sessionOf(api, request);
  if (session === null) throw new ProblemError('auth-token-invalid', 'Sign in at /portal/sign-in.');
  return session;
}

/** Starts a session in place of the one of the request's cookie, and sets its cookie. */
export async function startSession(
  api: ApiContext,
  sessions: Sessions,
  request: Request,
  response: Response,
  session: NewSession,
): Promise<void> {
  const earlier = cookieSecret(api, request);
  if (earlier !== null) await endSession(api.database, earlier);
  const text = await sessions.start(session);
  setCookie(api, request, response, COOKIE, { text, maxAgeMs: sessions.maxAgeMs });
}

/** Ends the session of the request's cookie and removes the cookie; returns its ID token, if there is one. */
export async function stopSession(
  api: ApiContext,
  request: Request,
  response: Response,
): Promise<string | null> {
  const secret = cookieSecret(api, request);
  // Before the cookie goes: if the database is unavailable, the person can sign out again.
  const idToken = secret === null ? null : await endSession(api.database, secret);
  setCookie(api, request, response, COOKIE, null);
  return idToken;
}
