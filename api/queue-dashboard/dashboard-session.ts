import type { Request, RequestHandler, Response } from 'express';
import { isSession, SESSION_SECONDS } from '../../shared/db/operator-sessions.ts';
import type { ApiContext } from '../api-context.ts';
import { ProblemError } from '../http.ts';

const COOKIE = 'queues_session';
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);

/** The secret in the request's cookie. */
export function sessionToken(request: Request): string | null {
  return /(?:^|;\s*)queues_session=([\w-]{43})(?:;|$)/.exec(request.get('cookie') ?? '')?.[1] ?? null;
}

/** Gives the browser a session, or takes it away (null). */
export function setSessionCookie(request: Request, response: Response, token: string | null): void {
  response.cookie(COOKIE, token ?? '', {
    httpOnly: true,
    sameSite: 'strict',
    // Browsers keep no secure cookie of a plain loopback address.
    secure: !LOOPBACK.has(request.hostname),
    path: '/queues',
    maxAge: token === null ? 0 : SESSION_SECONDS * 1_000,
  });
}

/** Lets requests with a session through; a person is led to the sign-in page, a program gets 401. */
export function requireSession(api: ApiContext): RequestHandler {
  return async (request, response, next) => {
    const token = sessionToken(request);
    if (token !== null && (await isSession(api.database, token))) {
      next();
      return;
    }
    if (request.method === 'GET' && request.accepts(['json', 'html']) === 'html') {
      response.redirect(303, '/queues/sign-in');
      return;
    }
    throw new ProblemError('auth-token-invalid', 'Sign in at /queues/sign-in.', {
      headers: { 'WWW-Authenticate': 'Bearer realm="queues"' },
    });
  };
}

/** Refuses what a page of another origin had the browser send. */
export function requireOwnOrigin(publicUrl: string | null): RequestHandler {
  return (request, _response, next) => {
    const own =
      publicUrl === null ? `${request.protocol}://${request.get('host') ?? ''}` : new URL(publicUrl).origin;
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    if (!isSafe && request.get('origin') !== own) {
      throw new ProblemError('auth-forbidden', 'The request does not come from a page of this service.');
    }
    next();
  };
}
