import type { Request, Response } from 'express';
import type { ApiContext } from '../context.ts';
import { ownOrigin } from '../http/own-origin.ts';
import { readCookie, setCookie } from './session-cookie.ts';
import { stopSession } from './session.ts';
import type { Sessions } from './sessions.ts';

/** Set by a sign-out. Until the next sign-in the issuer is to ask who the person is: it may still know the last one. */
const SIGNED_OUT_COOKIE = 'module_signed_out';
const SIGNED_OUT_MS = 24 * 3_600_000;

/** Whether the last thing that happened in this browser was a sign-out. */
export function hasSignedOut(api: ApiContext, request: Request): boolean {
  return readCookie(api, request, SIGNED_OUT_COOKIE, /^1$/) !== null;
}

/** Removes what a sign-out left in the browser. */
export function forgetSignOut(api: ApiContext, request: Request, response: Response): void {
  setCookie(api, request, response, SIGNED_OUT_COOKIE, null);
}

/** Ends the session, and returns where the browser signs out at the issuer; the portal, if it cannot. */
export async function signOut(
  api: ApiContext,
  { issuerClient }: Sessions,
  request: Request,
  response: Response,
): Promise<string> {
  const idToken = await stopSession(api, request, response);
  setCookie(api, request, response, SIGNED_OUT_COOKIE, { text: '1', maxAgeMs: SIGNED_OUT_MS });
  const portal = `${ownOrigin(request, api.config.server.publicUrl)}/portal`;
  const address = await issuerClient.signOutAddress(idToken, portal).catch((error: unknown) => {
    api.log.warn(
      { reason: error instanceof Error ? error.message : 'unknown' },
      'issuer not reached at sign-out',
    );
    return null;
  });
  return address?.href ?? portal;
}
