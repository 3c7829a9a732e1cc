import { createHash, randomInt, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { LRUCache } from 'lru-cache';
import { LOCAL_DOMAIN } from '../config/local-domain.ts';
import { ACCOUNTS } from './demonstration.ts';
import {
  accountsPage,
  approvalPage,
  codePage,
  json,
  page,
  redirect,
  refusal,
  type Answer,
} from './issuer-answers.ts';
import {
  publicKey,
  sign,
  SIGN_IN_TOKEN_SECONDS,
  signRefreshToken,
  signToken,
  verifyRefreshToken,
  type IssuerIdentity,
  type RefreshGrant,
} from './issuer-tokens.ts';

/** How long a code can be used or approved. */
const CODE_SECONDS = 600;
/** Codes that wait at once: the oldest is forgotten. */
const MAX_CODES = 100;
/** Consonants that cannot be mistaken for others; they make no words (RFC 8628, 6.1). */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** A sign-in that has no tokens yet. */
interface StartedSignIn {
  readonly clientId: string | null;
  /** Of the portal's request (OpenID Connect Core, 3.1.2.1; RFC 7636, 4.3). */
  readonly nonce?: string | null;
  readonly codeChallenge?: string | null;
  /** What the device shows that signs in. */
  readonly userCode?: string;
  /** Null: nobody has chosen an account yet. */
  account: string | null;
}

/** Who the issuer is, for whom its tokens are, and what it remembers of sign-ins while it runs. */
interface Issuer {
  readonly identity: IssuerIdentity;
  readonly audience: string;
  /** The time that a device waits between two polls. */
  readonly pollSeconds: number;
  /** By the code that only the client knows. */
  readonly started: LRUCache<string, StartedSignIn>;
  /** Refresh tokens that were used, and sign-ins that were ended. */
  readonly spent: Set<string>;
}

/** Answers with the fields of the query or of the form. */
type Endpoint = (issuer: Issuer, fields: URLSearchParams) => Answer | Promise<Answer>;

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  'GET /jwks.json': ({ identity }) => json(200, { keys: [publicKey(identity)] }),
  'GET /.well-known/openid-configuration': ({ identity }) => json(200, discovery(identity.url)),
  'GET /authorize': authorize,
  'GET /end_session': endSession,
  'POST /device_authorization': startDevice,
  'GET /device': devicePage,
  'POST /device': approveDevice,
  'POST /token': tokens,
};

/** The development issuer: discovery document, keys, pages of accounts, tokens. */
export function issuerListener(
  identity: IssuerIdentity,
  audience: string,
  pollSeconds: number,
): RequestListener {
  const started = new LRUCache<string, StartedSignIn>({ max: MAX_CODES, ttl: CODE_SECONDS * 1_000 });
  const issuer = { identity, audience, pollSeconds, started, spent: new Set<string>() };
  return (request, response) => {
    answerTo(issuer, request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    );
  };
}

async function answerTo(issuer: Issuer, request: IncomingMessage): Promise<Answer> {
  const { url } = issuer.identity;
  const { method = '', headers } = request;
  const { pathname, searchParams } = new URL(request.url ?? '', url);
  const endpoint = ENDPOINTS[`${method} ${pathname}`];
  if (endpoint === undefined) return json(404, {});
  // A page of another site could approve a sign-in that its owner started.
  if ((headers.origin ?? url) !== url)
    return refusal(403, 'The form does not come from a page of this issuer.');
  return endpoint(issuer, method === 'POST' ? new URLSearchParams(await text(request)) : searchParams);
}

function authorize({ started }: Issuer, query: URLSearchParams): Answer {
  const back = ownPortal(query.get('redirect_uri'), '/portal/sign-in/callback');
  if (back === null) return refusal(400, 'redirect_uri must be the portal of a stack on this machine.');
  const account = accountOf(query.get('account'))?.key;
  if (account === undefined) return accountsPage(query);
  const code = randomUUID();
  const [clientId, nonce] = [query.get('client_id'), query.get('nonce')];
  started.set(code, { clientId, nonce, codeChallenge: query.get('code_challenge'), account });
  back.search = new URLSearchParams({ code, state: query.get('state') ?? '' }).toString();
  return redirect(back);
}

/** The portal's address on this machine, with this path: codes are sent to no other. */
function ownPortal(address: string | null, path: string): URL | null {
  if (address === null || !URL.canParse(address)) return null;
  const url = new URL(address);
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]', LOCAL_DOMAIN].includes(url.hostname);
  return url.protocol === 'http:' && isLoopback && url.pathname === path && url.search === '' ? url : null;
}

/** The tokens of a sign-in: each refresh token can be used once. */
async function tokens(issuer: Issuer, form: URLSearchParams): Promise<Answer> {
  const { identity, audience } = issuer;
  const grant = form.has('refresh_token') ? await refreshed(issuer, form) : signedIn(issuer, form);
  if (typeof grant === 'string') return json(400, { error: grant });
  const account = accountOf(grant.account);
  if (account === undefined) return json(400, { error: 'invalid_grant' });
  const { clientId, signInId: sid, nonce } = grant;
  const { key: sub, name, organizations, isOperator } = account;
  const lifetimeSeconds = SIGN_IN_TOKEN_SECONDS;
  const access = { audience, subject: sub, name, organizations, isOperator, lifetimeSeconds };
  // OpenID Connect Core, 2: who signed in at which client. As of many providers, only this token has the address.
  const email = `${sub}@example.com`;
  const id = { aud: clientId, sub, name, email, email_verified: true, sid, ...(nonce && { nonce }) };
  return json(200, {
    access_token: await signToken(identity, access),
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    id_token: await sign(identity, id, lifetimeSeconds),
    refresh_token: await signRefreshToken(identity, grant),
  });
}

interface Granted extends RefreshGrant {
  readonly nonce?: string | null | undefined;
}

/** Ends a sign-in that was started, for the client that has its code; a text says why not (RFC 8628, 3.5). */
function signedIn({ started }: Issuer, form: URLSearchParams): Granted | string {
  const code = form.get('device_code') ?? form.get('code') ?? '';
  // A poll does not make a code newer.
  const found = started.peek(code);
  if (!found?.clientId || found.clientId !== form.get('client_id')) return 'invalid_grant';
  const { clientId, account, nonce, codeChallenge, userCode } = found;
  const verifier = form.get('code_verifier') ?? '';
  const isProven = createHash('sha256').update(verifier).digest('base64url') === codeChallenge;
  if (userCode === undefined && !isProven) return 'invalid_grant';
  if (account === null) return 'authorization_pending';
  started.delete(code);
  return { account, clientId, nonce, signInId: randomUUID() };
}

/** Uses a refresh token. A second use may be a thief's, so it ends the sign-in. */
async function refreshed({ identity, spent }: Issuer, form: URLSearchParams): Promise<Granted | string> {
  const grant = await verifyRefreshToken(identity, form.get('refresh_token') ?? '');
  if (grant?.clientId !== form.get('client_id')) return 'invalid_grant';
  if (spent.has(grant.tokenId)) spent.add(grant.signInId);
  spent.add(grant.tokenId);
  return spent.has(grant.signInId) ? 'invalid_grant' : grant;
}

/** Ends a sign-in (RP-Initiated Logout 1.0). There is no session here: every sign-in asks for an account. */
function endSession({ spent }: Issuer, query: URLSearchParams): Answer {
  const hint = query.get('id_token_hint');
  // Only the client knows the ID of its sign-in.
  if (hint !== null) spent.add(String(decodeJwt(hint)['sid']));
  const returnTo = query.get('post_logout_redirect_uri');
  if (returnTo === null)
    return page(200, 'Signed out', '<p>You are signed out. You can close this page.</p>');
  const back = ownPortal(returnTo, '/portal');
  return back === null
    ? refusal(400, 'post_logout_redirect_uri must be the portal of a stack on this machine.')
    : redirect(back);
}

/** Starts the sign-in of a device (RFC 8628, 3.1). */
function startDevice({ identity, pollSeconds, started }: Issuer, form: URLSearchParams): Answer {
  const clientId = form.get('client_id');
  const deviceCode = randomUUID();
  const letters = Array.from({ length: 8 }, () => USER_CODE_LETTERS[randomInt(USER_CODE_LETTERS.length)]);
  const userCode = `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
  started.set(deviceCode, { clientId, userCode, account: null });
  return json(200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${identity.url}/device`,
    verification_uri_complete: `${identity.url}/device?user_code=${userCode}`,
    expires_in: CODE_SECONDS,
    interval: pollSeconds,
  });
}

function devicePage(issuer: Issuer, query: URLSearchParams): Answer {
  if (!query.has('user_code')) return codePage(200);
  const userCode = waitingDevice(issuer, query)?.userCode;
  return userCode === undefined ? codePage(404) : approvalPage(userCode);
}

function approveDevice(issuer: Issuer, form: URLSearchParams): Answer {
  const account = accountOf(form.get('account'));
  const device = waitingDevice(issuer, form);
  if (account === undefined || device === undefined)
    return refusal(400, 'The code has expired. Run modulectl login again.');
  device.account = account.key;
  const text = `<p>modulectl is signed in as ${account.name}. You can close this page.</p>`;
  return page(200, 'Signed in', text);
}

/** The sign-in whose code was typed, however it was. */
function waitingDevice({ started }: Issuer, fields: URLSearchParams): StartedSignIn | undefined {
  const typed = fields
    .get('user_code')
    ?.toUpperCase()
    .replaceAll(/[^A-Z]/g, '');
  return [...started.values()].find(
    ({ userCode, account }) => account === null && userCode?.replace('-', '') === typed,
  );
}

function accountOf(key: string | null) {
  return ACCOUNTS.find((each) => each.key === key);
}

function discovery(url: string) {
  return {
    issuer: url,
    jwks_uri: `${url}/jwks.json`,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    end_session_endpoint: `${url}/end_session`,
    device_authorization_endpoint: `${url}/device_authorization`,
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}
