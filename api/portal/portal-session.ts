import type { Request, RequestHandler } from 'express';
import { findPortalSession } from '../../shared/db/access/portal-sessions.ts';
import type { PortalSession } from '../../shared/db/access/portal-sessions.ts';
import type { ApiContext } from '../context.ts';
import { ProblemError } from '../http/problem.ts';
import { sessionToken } from '../auth/session-cookie.ts';

/** Lax, for the browser comes back from the issuer with it; what changes anything is held to its origin besides. */
export const PORTAL_COOKIE = { name: 'portal_session', path: '/portal', sameSite: 'lax' } as const;

/** The session of the request's cookie; null where there is none. */
export async function knownSession(api: ApiContext, request: Request): Promise<PortalSession | null> {
  const token = sessionToken(request, PORTAL_COOKIE);
  return token === null ? null : findPortalSession(api.database, token);
}

/** The session of the request's cookie. @throws ProblemError 401 where there is none. */
export async function portalSession(api: ApiContext, request: Request): Promise<PortalSession> {
  const session = await knownSession(api, request);
  if (session === null) throw new ProblemError('auth-token-invalid', 'Sign in at /portal/sign-in.');
  return session;
}

/** Only Bearer tokens open a vendor's files: a page of theirs must never be fetched with a session. */
const FILE_ADDRESS = /^\/[^/]+\/(?:modules\/[^/]+\/files|availableModules\/[^/]+\/logo)(?:\/|$)/i;

/** Turns a request of the portal's pages into one with the session's access token, for the API's own routes. */
export function asSignedIn(api: ApiContext): RequestHandler {
  return async (request, _response, next) => {
    if (FILE_ADDRESS.test(request.path))
      throw new ProblemError(
        'not-found',
        'Files are not served here: logos and images are at /portal/media.',
      );
    const { accessToken } = await portalSession(api, request);
    request.headers.authorization = `Bearer ${accessToken}`;
    delete request.headers.cookie;
    delete request.headers['x-api-key'];
    next();
  };
}

/** Refuses what the browser says another site made it ask for; browsers that do not say are held to the cookie. */
export const refuseOtherSites: RequestHandler = (request, _response, next) => {
  const site = request.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new ProblemError('auth-forbidden', 'The request does not come from a page of this service.');
  next();
};
