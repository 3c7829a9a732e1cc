import type { Request, Response, Router } from 'express';
import { endSessionsOfIssuer } from '../../shared/db/access/sessions/session-list.ts';
import type { ApiContext } from '../context.ts';
import { bodyKind } from '../http/request/json-bodies.ts';
import { methodNotAllowed } from '../http/problem.ts';
import { LOGOUT_TOKEN_SECONDS, LogoutTokenRefused, verifyLogoutToken } from './logout-token.ts';
import { type IssuerClient, issuerUnavailable } from './issuer-client.ts';
import type { Sessions } from './sessions.ts';

const PATH = '/sign-in/back-channel-logout';
const FORM = bodyKind(64 * 1_024, ['application/x-www-form-urlencoded']);

/**
 * Adds the route at which the issuer reports that it has ended one of its sessions (OpenID Connect Back-Channel Logout 1.0).
 * It is no browser that calls: the signature of the token counts, not the origin.
 */
export function addBackChannelLogout(router: Router, api: ApiContext, sessions: Sessions): void {
  router.post(PATH, async (request, response) => {
    response.set('Cache-Control', 'no-store');
    try {
      const ended = await endSessions(api, sessions, await logoutTokenOf(api, request, response));
      api.log.info({ ended }, 'sessions ended by the issuer');
      response.json({});
    } catch (error) {
      if (!(error instanceof LogoutTokenRefused)) throw error;
      sessions.refusals.write('logout token refused', { detail: error.message });
      // Section 2.8.
      response.status(400).json({ error: 'invalid_request', error_description: error.message });
    }
  });
  router.all(PATH, methodNotAllowed('POST'));
}

async function logoutTokenOf(api: ApiContext, request: Request, response: Response): Promise<string> {
  const body = await api.jsonBodies.read(request, response, FORM);
  const form = new URLSearchParams(body === null ? '' : Buffer.from(body.bytes).toString());
  const token = form.get('logout_token');
  if (token === null) throw new LogoutTokenRefused('the body must be a form with a logout_token');
  return token;
}

async function endSessions(api: ApiContext, { issuerClient }: Sessions, text: string): Promise<number> {
  const { issuer, token } = await verified(issuerClient, text);
  const ended = await endSessionsOfIssuer(api.database, {
    issuer,
    ...token,
    validForSeconds: LOGOUT_TOKEN_SECONDS,
  });
  if (ended === null) throw new LogoutTokenRefused('it was used before');
  return ended;
}

async function verified(issuerClient: IssuerClient, text: string) {
  try {
    const { logoutTokens } = issuerClient;
    return { issuer: logoutTokens.issuer, token: await verifyLogoutToken(text, logoutTokens) };
  } catch (error) {
    throw error instanceof LogoutTokenRefused ? error : issuerUnavailable(error);
  }
}
