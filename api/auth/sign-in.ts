import type { Request, Response, Router } from 'express';
import type { ApiContext } from '../context.ts';
import { escapeHtml } from '../../shared/package/text/html.ts';
import { htmlPage } from '../http/answer/html.ts';
import { CHALLENGE, methodNotAllowed, ProblemError } from '../http/problem.ts';
import { ownOrigin } from '../http/request/own-origin.ts';
import { SignInRefused, type IssuedTokens, type PendingSignIn, issuerUnavailable } from './issuer-client.ts';
import { forgetSignOut, hasSignedOut, listCookies, readCookie, setCookie, startSession } from './session.ts';
import type { Sessions } from './sessions.ts';

/** With the `state` of the sign-in, so that each tab of a browser has its own. */
const PENDING_COOKIE = 'module_sign_in_';
const PENDING_MS = 10 * 60_000;
/** Sign-ins of one browser that have not ended. More would only be sent with each request. */
const MAX_PENDING = 5;
const PAGE_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'";
/** A page of the portal or the dashboard; not an address of another site, such as `//site`. */
const OWN_PAGE = /^\/(?:portal|queues)(?:\/[\w./-]*)?(?:\?[\w=&.*%+-]*)?$/;

/** Adds the routes of the sign-in and of the issuer's callback. */
export function addSignIn(router: Router, api: ApiContext, sessions: Sessions): void {
  const { issuerClient } = sessions;
  router.get('/sign-in', async (request, response) => {
    const { address, pending } = await issuerClient
      .start(redirectUri(api, request), hasSignedOut(api, request))
      .catch((error: unknown) => {
        throw issuerUnavailable(error);
      });
    forgetOldest(api, request, response);
    const text = pendingText(pending, request.query['page']);
    setCookie(api, request, response, PENDING_COOKIE + pending.state, { text, maxAgeMs: PENDING_MS });
    response.set('Cache-Control', 'no-store').redirect(303, address.href);
  });
  router.get('/sign-in/callback', async (request, response) => {
    const { pending, page } = takePending(api, request, response);
    response.set('Cache-Control', 'no-store');
    try {
      if (pending === null)
        throw new SignInRefused('The sign-in took too long or was started in another browser.');
      const address = new URL(redirectUri(api, request));
      address.search = new URL(request.originalUrl, address).search;
      await signIn(api, sessions, request, response, await issuerClient.finish(address, pending));
      forgetSignOut(api, request, response);
      response.redirect(303, page);
    } catch (error) {
      reportRefusal(sessions, response, error);
    }
  });
  router.all(['/sign-in', '/sign-in/callback'], methodNotAllowed('GET'));
}

function redirectUri(api: ApiContext, request: Request): string {
  return `${ownOrigin(request, api.config.server.publicUrl)}/portal/sign-in/callback`;
}

async function signIn(
  api: ApiContext,
  sessions: Sessions,
  request: Request,
  response: Response,
  { name, ...issued }: IssuedTokens,
): Promise<void> {
  const { subject } = await api.access.byToken(issued.accessToken);
  const device = describeUserAgent(request.get('user-agent') ?? '');
  await startSession(api, sessions, request, response, {
    ...issued,
    ...device,
    subject,
    name: name ?? subject,
  });
}

function reportRefusal({ refusals }: Sessions, response: Response, error: unknown): void {
  if (!(error instanceof SignInRefused) && !isRefusedToken(error)) throw issuerUnavailable(error);
  const why = error.message;
  // Not the error itself: it may contain a code or a token from the issuer's answer.
  refusals.write('sign-in refused', { detail: error.cause instanceof Error ? error.cause.message : why });
  response
    .status(401)
    .set({ 'Content-Security-Policy': PAGE_POLICY, ...CHALLENGE })
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

/** The text begins with the time of the start, by which the oldest are found. */
function pendingText({ state, nonce, codeVerifier }: PendingSignIn, page: unknown): string {
  const target = typeof page === 'string' && OWN_PAGE.test(page) ? page : '/portal';
  return [Date.now(), state, nonce, codeVerifier, Buffer.from(target).toString('base64url')].join('.');
}

/** Removes the oldest sign-ins that the browser has not ended, so that one more fits. */
function forgetOldest(api: ApiContext, request: Request, response: Response): void {
  const startedAt = (text: string) => Number.parseInt(text, 10) || 0;
  const pending = listCookies(api, request, PENDING_COOKIE);
  const newestFirst = pending.toSorted((a, b) => startedAt(b.text) - startedAt(a.text));
  for (const { name } of newestFirst.slice(MAX_PENDING - 1)) setCookie(api, request, response, name, null);
}

interface TakenSignIn {
  readonly pending: PendingSignIn | null;
  readonly page: string;
}

/** The sign-in that the issuer's answer is for, which ends. The page is checked again, because the browser can change its cookies. */
function takePending(api: ApiContext, request: Request, response: Response): TakenSignIn {
  const { state: answered } = request.query;
  const cookie = PENDING_COOKIE + (typeof answered === 'string' ? answered : '');
  const text = readCookie(api, request, cookie, /^[\w.-]+$/);
  if (text === null) return { pending: null, page: '/portal' };
  setCookie(api, request, response, cookie, null);
  const [, state = '', nonce = '', codeVerifier = '', target = ''] = text.split('.');
  const page = Buffer.from(target, 'base64url').toString();
  return {
    pending: codeVerifier === '' ? null : { state, nonce, codeVerifier },
    page: OWN_PAGE.test(page) ? page : '/portal',
  };
}

type Known = readonly (readonly [name: string, form: RegExp])[];

/** The first that matches: most browsers also name the ones that they are compatible with. */
const BROWSERS: Known = [
  ['Edge', /\bEdg(?:A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\//],
  ['Safari', /\bVersion\/[\d.]+ .*\bSafari\//],
];

const SYSTEMS: Known = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac(?:intosh| OS X)\b/],
  ['Linux', /\bLinux\b/],
];

function nameOf(known: Known, text: string): string | null {
  return known.find(([, form]) => form.test(text))?.[0] ?? null;
}

/** Browser and operating system of a `User-Agent`, by the names that people know; null for others. */
export function describeUserAgent(userAgent: string): {
  readonly browser: string | null;
  readonly operatingSystem: string | null;
} {
  const text = userAgent.slice(0, 1_000);
  return { browser: nameOf(BROWSERS, text), operatingSystem: nameOf(SYSTEMS, text) };
}
