import type { Request, Response, Router } from 'express';
import { beginPortalSession, endPortalSession } from '../../shared/db/access/portal-sessions.ts';
import type { PortalConfig } from '../../shared/config/portal-config.ts';
import { DASHBOARD_COOKIE, signInOperator } from '../queue-dashboard/dashboard-session.ts';
import type { ApiContext } from '../context.ts';
import { escapeHtml, htmlPage } from '../http/html.ts';
import { methodNotAllowed, ProblemError } from '../http/problem.ts';
import { ownOrigin } from '../http/own-origin.ts';
import { readCookie, sessionToken, setCookie } from '../auth/session-cookie.ts';
import { traceFields } from '../http/trace.ts';
import { IssuerClient, SignInRefused } from './issuer-client.ts';
import type { IssuedTokens, PendingSignIn } from './issuer-client.ts';
import { PORTAL_COOKIE } from './portal-session.ts';

const PENDING_COOKIE = { name: 'portal_sign_in', path: '/portal/sign-in', sameSite: 'lax' } as const;
const PENDING_MS = 10 * 60_000;
const MAX_SESSION_MS = 12 * 3_600_000;
/** Where an issuer does not tell how long its tokens are good. */
const STANDARD_SESSION_MS = 3_600_000;
const PAGE_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'";
/** A page of the portal and nothing else: no address of another site, also not written as `//site`. */
const PORTAL_PAGE = /^\/portal(?:\/[\w./-]*)?(?:\?[\w=&.-]*)?$/;

/** Sign-in, the way back from the issuer, and sign-out. */
export function addSignIn(router: Router, api: ApiContext, issuer: string, portal: PortalConfig): void {
  const client = new IssuerClient(issuer, portal);
  router.get('/sign-in', async (request, response) => {
    const { address, pending } = await client
      .begin(redirectUri(api, request))
      .catch((error: unknown) => issuerAway(error));
    const text = pendingText(pending, request.query['page']);
    setCookie(request, response, PENDING_COOKIE, { text, maxAgeMs: PENDING_MS });
    response.set('Cache-Control', 'no-store').redirect(303, address.href);
  });
  router.get('/sign-in/callback', async (request, response) => {
    const { pending, page } = readPending(readCookie(request, PENDING_COOKIE, /^[\w.-]+$/));
    setCookie(request, response, PENDING_COOKIE, null);
    response.set('Cache-Control', 'no-store');
    try {
      if (pending === null) throw new SignInRefused('The sign-in took too long, or was begun elsewhere.');
      const address = new URL(redirectUri(api, request));
      address.search = new URL(request.originalUrl, address).search;
      await signIn(api, request, response, await client.finish(address, pending));
      response.redirect(303, page);
    } catch (error) {
      tellRefusal(api, request, response, error);
    }
  });
  router.all(['/sign-in', '/sign-in/callback'], methodNotAllowed('GET'));
}

/** Ends the portal's session, and the dashboard's that began with it. */
export async function signOut(api: ApiContext, request: Request, response: Response): Promise<void> {
  const token = sessionToken(request, PORTAL_COOKIE);
  if (token !== null) await endPortalSession(api.database, token);
  setCookie(request, response, PORTAL_COOKIE, null);
  setCookie(request, response, DASHBOARD_COOKIE, null);
  response.status(204).end();
}

function redirectUri(api: ApiContext, request: Request): string {
  return `${ownOrigin(request, api.config.server.publicUrl)}/portal/sign-in/callback`;
}

async function signIn(
  api: ApiContext,
  request: Request,
  response: Response,
  { accessToken, name, expiresInSeconds }: IssuedTokens,
): Promise<void> {
  const { subject, isOperator } = await api.access.byToken(accessToken);
  const lifetimeMs = expiresInSeconds === null ? STANDARD_SESSION_MS : expiresInSeconds * 1_000;
  const maxAgeMs = Math.min(MAX_SESSION_MS, lifetimeMs);
  const expiresAt = new Date(Date.now() + maxAgeMs);
  const session = { subject, name: name ?? subject, accessToken, expiresAt };
  const text = await beginPortalSession(api.database, session);
  setCookie(request, response, PORTAL_COOKIE, { text, maxAgeMs });
  if (isOperator) await signInOperator(api, request, response, subject);
}

function tellRefusal(api: ApiContext, request: Request, response: Response, error: unknown): void {
  if (!(error instanceof SignInRefused) && !isRefusedToken(error)) issuerAway(error);
  const why = error.message;
  // Not the error itself: what it carries of the issuer's answer may be a code or a token.
  const reason = error.cause instanceof Error ? error.cause.message : why;
  api.log.warn({ reason, ...traceFields(request) }, 'sign-in refused');
  response
    .status(401)
    .set('Content-Security-Policy', PAGE_POLICY)
    .type('html')
    .send(
      htmlPage(
        'Not signed in',
        '/problems/style.css',
        `<h1>Not signed in</h1>
<p class="refused" role="alert">${escapeHtml(why)}</p>
<p><a href="/portal/sign-in">Sign in again</a></p>`,
      ),
    );
}

function isRefusedToken(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.code === 'auth-token-invalid';
}

function issuerAway(cause: unknown): never {
  if (cause instanceof ProblemError) throw cause;
  const problem = new ProblemError('unavailable', 'The issuer is out of reach. Try again in a moment.', {
    headers: { 'Retry-After': '5' },
  });
  problem.cause = cause;
  throw problem;
}

function pendingText({ state, nonce, codeVerifier }: PendingSignIn, page: unknown): string {
  const target = typeof page === 'string' && PORTAL_PAGE.test(page) ? page : '/portal';
  return [state, nonce, codeVerifier, Buffer.from(target).toString('base64url')].join('.');
}

/** A browser can change its cookies: the page is judged again. */
function readPending(text: string | null): { pending: PendingSignIn | null; page: string } {
  const [state = '', nonce = '', codeVerifier = '', target = ''] = (text ?? '').split('.');
  const page = Buffer.from(target, 'base64url').toString();
  return {
    pending: codeVerifier === '' ? null : { state, nonce, codeVerifier },
    page: PORTAL_PAGE.test(page) ? page : '/portal',
  };
}
