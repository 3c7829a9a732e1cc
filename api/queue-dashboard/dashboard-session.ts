import type { Request, RequestHandler, Response } from 'express';
import { beginSession, isSession, SESSION_SECONDS } from '../../shared/db/access/operator-sessions.ts';
import type { ApiContext } from '../context.ts';
import { ProblemError } from '../http/problem.ts';
import { sessionToken, setCookie } from '../auth/session-cookie.ts';

/** Where a browser keeps an operator's session. */
export const DASHBOARD_COOKIE = { name: 'queues_session', path: '/queues', sameSite: 'strict' } as const;

/** Signs an operator in at the dashboard: a session of its own, whatever else the browser is signed in to. */
export async function signInOperator(
  api: ApiContext,
  request: Request,
  response: Response,
  subject: string,
): Promise<void> {
  const text = await beginSession(api.database, subject);
  setCookie(request, response, DASHBOARD_COOKIE, { text, maxAgeMs: SESSION_SECONDS * 1_000 });
}

/** Lets requests with a session through; a person is led to the sign-in page, a program gets 401. */
export function requireSession(api: ApiContext): RequestHandler {
  return async (request, response, next) => {
    const token = sessionToken(request, DASHBOARD_COOKIE);
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
