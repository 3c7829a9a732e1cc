import type { Request, Response } from 'express';
import { LOCAL_DOMAIN } from '../../shared/config/local-domain.ts';
import { endSession, type NewSession, type Session } from '../../shared/db/access/sessions/sessions.ts';
import type { ApiContext } from '../context.ts';
import { ProblemError } from '../http/problem.ts';
import type { Sessions } from './sessions.ts';
import { ownOrigin } from '../http/request/own-origin.ts';

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

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', LOCAL_DOMAIN]);

/**
 * The cookie's name in the browser, and whether it is sent over TLS only. With the prefix no other host and no plain
 * HTTP can set it. Only an origin on this machine does without, as on the local stack.
 */
function browserCookie({ config }: ApiContext, request: Request, name: string) {
  const { protocol, hostname } = new URL(ownOrigin(request, config.server.publicUrl));
  const secure = protocol === 'https:' || !LOOPBACK.has(hostname);
  return { secure, name: secure ? `__Host-${name}` : name };
}

/** The value of the request's cookie; null if it is missing or does not match `form`. */
export function readCookie(api: ApiContext, request: Request, cookie: string, form: RegExp): string | null {
  return (
    listCookies(api, request, cookie).find(({ name, text }) => name === cookie && form.test(text))?.text ??
    null
  );
}

/** The request's cookies whose names have this beginning. */
export function listCookies(
  api: ApiContext,
  request: Request,
  beginning: string,
): readonly { readonly name: string; readonly text: string }[] {
  const inBrowser = browserCookie(api, request, beginning).name;
  return (request.get('cookie') ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    const rest = name.slice(inBrowser.length);
    // A name with other characters is not ours, and could not be sent back.
    if (!name.startsWith(inBrowser) || !/^[\w-]*$/.test(rest)) return [];
    return [{ name: beginning + rest, text: pair.slice(at + 1).trim() }];
  });
}

/** Sets a cookie, or removes it (null). */
export function setCookie(
  api: ApiContext,
  request: Request,
  response: Response,
  cookie: string,
  value: { readonly text: string; readonly maxAgeMs: number } | null,
): void {
  const { name, secure } = browserCookie(api, request, cookie);
  response.cookie(name, value?.text ?? '', {
    httpOnly: true,
    // Lax, because the issuer redirects the browser back with it; requests that change data are checked for their origin.
    sameSite: 'lax',
    secure,
    path: '/',
    maxAge: value?.maxAgeMs ?? 0,
  });
}

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
