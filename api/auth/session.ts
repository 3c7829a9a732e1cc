import type { Request, Response } from 'express';
import { createSession, endSession, findSession } from '../../shared/db/access/sessions.ts';
import type { Session } from '../../shared/db/access/sessions.ts';
import type { ApiContext } from '../context.ts';
import { ProblemError } from '../http/problem.ts';
import { readCookie, setCookie } from './session-cookie.ts';

/** For the portal and the queue dashboard. */
const COOKIE = 'module_session';

function cookieSecret(api: ApiContext, request: Request): string | null {
  return readCookie(api, request, COOKIE, /^[\w-]{43}$/);
}

/** The session of the request's cookie; null if there is none. */
export async function sessionOf(api: ApiContext, request: Request): Promise<Session | null> {
  const secret = cookieSecret(api, request);
  return secret === null ? null : findSession(api.database, secret);
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
  request: Request,
  response: Response,
  session: Omit<Session, 'expiresAt'>,
  maxAgeMs: number,
): Promise<void> {
  const earlier = cookieSecret(api, request);
  if (earlier !== null) await endSession(api.database, earlier);
  const expiresAt = new Date(Date.now() + maxAgeMs);
  const text = await createSession(api.database, { ...session, expiresAt });
  setCookie(api, request, response, COOKIE, { text, maxAgeMs });
}

/** Ends the session of the request's cookie and removes the cookie. */
export async function stopSession(api: ApiContext, request: Request, response: Response): Promise<void> {
  const secret = cookieSecret(api, request);
  if (secret !== null) await endSession(api.database, secret);
  setCookie(api, request, response, COOKIE, null);
}
