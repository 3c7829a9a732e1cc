import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isOwnPortal, readAuthorizationRequest } from './authorization-request.ts';
import { ACCOUNTS } from './demonstration.ts';
import { DEVICE_CODE_LIFETIME_SECONDS, type DeviceCodes } from './device-codes.ts';
import {
  publicKey,
  signCode,
  signIdToken,
  SIGN_IN_TOKEN_SECONDS,
  signInOf,
  signRefreshToken,
  signToken,
  verifyCode,
  verifyRefreshToken,
  type IssuerIdentity,
  type RefreshGrant,
} from './issuer-tokens.ts';
import {
  accountsPage,
  approvalPage,
  approvedPage,
  codePage,
  refusalPage,
  signedOutPage,
} from './sign-in-page.ts';
import type { SignIns } from './sign-ins.ts';

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
};
const JSON_HEADERS = { 'Content-Type': 'application/json' };
const MAX_FORM_BYTES = 16_384;

/** The development issuer: who it is, for whom its tokens are, the devices that wait, and the sign-ins that ended. */
export interface Issuer {
  readonly identity: IssuerIdentity;
  readonly audience: string;
  readonly deviceCodes: DeviceCodes;
  readonly signIns: SignIns;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a request: discovery document, keys, pages of accounts, tokens. */
export async function answerIssuerRequest(
  issuer: Issuer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { identity, deviceCodes } = issuer;
  const address = new URL(request.url ?? '', identity.url);
  const answerOf = async (): Promise<Answer> => {
    switch (`${request.method ?? ''} ${address.pathname}`) {
      case 'GET /jwks.json':
        return json(200, { keys: [publicKey(identity)] });
      case 'GET /.well-known/openid-configuration':
        return json(200, discovery(identity.url));
      case 'GET /authorize':
        return authorize(identity, address.searchParams);
      case 'GET /end_session':
        return endSession(issuer, address.searchParams);
      case 'POST /device_authorization':
        return startDevice(issuer, await form(request));
      case 'GET /device':
        return devicePage(deviceCodes, address.searchParams.get('user_code'));
      case 'POST /device':
        return approveDevice(issuer, request);
      case 'POST /token':
        return tokens(issuer, await form(request));
      default:
        return json(404, {});
    }
  };
  const { status, headers, body } = await answerOf();
  response.writeHead(status, { ...headers, 'Cache-Control': 'no-store' }).end(body);
}

async function authorize(identity: IssuerIdentity, query: URLSearchParams): Promise<Answer> {
  const read = readAuthorizationRequest(query);
  if (typeof read === 'string') return page(400, refusalPage(read));
  const account = accountOf(query.get('account'));
  if (account === undefined) return page(200, accountsPage(ACCOUNTS, query));
  const back = new URL(read.redirectUri);
  back.searchParams.set('code', await signCode(identity, account.key, read));
  back.searchParams.set('state', read.state);
  return { status: 303, headers: { Location: back.href }, body: '' };
}

/** The fields of a form; empty if it is too long. */
async function form(request: IncomingMessage): Promise<URLSearchParams> {
  if (Number(request.headers['content-length'] ?? Infinity) > MAX_FORM_BYTES) return new URLSearchParams();
  return new URLSearchParams(await text(request));
}

async function tokens(issuer: Issuer, body: URLSearchParams): Promise<Answer> {
  switch (body.get('grant_type')) {
    case 'urn:ietf:params:oauth:grant-type:device_code':
      return deviceTokens(issuer, body);
    case 'refresh_token':
      return refreshedTokens(issuer, body);
    default:
      return codeTokens(issuer, body);
  }
}

async function codeTokens(issuer: Issuer, body: URLSearchParams): Promise<Answer> {
  const code = await verifyCode(issuer.identity, body);
  if (code === null) return json(400, { error: 'invalid_grant' });
  const { nonce, ...grant } = code;
  return issue(issuer, { ...grant, signInId: randomUUID() }, { nonce });
}

async function deviceTokens(issuer: Issuer, body: URLSearchParams): Promise<Answer> {
  const polled = issuer.deviceCodes.poll(body.get('device_code') ?? '', body.get('client_id') ?? '');
  if (typeof polled === 'string') return json(400, { error: polled });
  const { isOffline, ...grant } = polled;
  return issue(issuer, { ...grant, signInId: randomUUID() }, { isOffline });
}

async function refreshedTokens(issuer: Issuer, body: URLSearchParams): Promise<Answer> {
  const grant = await verifyRefreshToken(issuer.identity, body);
  if (grant === null || !issuer.signIns.use(grant)) return json(400, { error: 'invalid_grant' });
  return issue(issuer, grant);
}

/** The tokens of a sign-in: each refresh token can be used once. */
async function issue(
  { identity, audience }: Issuer,
  grant: Omit<RefreshGrant, 'tokenId'>,
  { nonce = null, isOffline = true }: { readonly nonce?: string | null; readonly isOffline?: boolean } = {},
): Promise<Answer> {
  const account = accountOf(grant.account);
  if (account === undefined) return json(400, { error: 'invalid_grant' });
  const { key: sub, name, organizations, isOperator } = account;
  const lifetimeSeconds = SIGN_IN_TOKEN_SECONDS;
  const claims = { audience, subject: sub, organizations, isOperator, lifetimeSeconds };
  return json(200, {
    access_token: await signToken(identity, claims),
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    id_token: await signIdToken(identity, { aud: grant.clientId, sub, name, sid: grant.signInId, nonce }),
    ...(isOffline && { refresh_token: await signRefreshToken(identity, grant) }),
  });
}

/** Ends a sign-in (RP-Initiated Logout 1.0). There is no session here: every sign-in asks for an account. */
async function endSession({ identity, signIns }: Issuer, query: URLSearchParams): Promise<Answer> {
  const signInId = await signInOf(identity, query.get('id_token_hint') ?? '');
  if (signInId !== null) signIns.end(signInId);
  const returnTo = query.get('post_logout_redirect_uri');
  if (returnTo === null) return page(200, signedOutPage());
  return isOwnPortal(returnTo, '/portal')
    ? { status: 303, headers: { Location: returnTo }, body: '' }
    : page(400, refusalPage('post_logout_redirect_uri must be the portal of a stack on this machine.'));
}

/** Starts the sign-in of a device (RFC 8628, 3.1). */
function startDevice({ identity, deviceCodes }: Issuer, body: URLSearchParams): Answer {
  const clientId = body.get('client_id');
  if (!clientId) return json(400, { error: 'invalid_request' });
  const { deviceCode, userCode } = deviceCodes.start(clientId, body.get('scope') ?? '');
  return json(200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${identity.url}/device`,
    verification_uri_complete: `${identity.url}/device?user_code=${userCode}`,
    expires_in: DEVICE_CODE_LIFETIME_SECONDS,
    interval: deviceCodes.pollSeconds,
  });
}

function devicePage(deviceCodes: DeviceCodes, typed: string | null): Answer {
  if (typed === null) return page(200, codePage(null));
  const userCode = deviceCodes.waiting(typed);
  return userCode === null ? page(404, codePage(typed)) : page(200, approvalPage(ACCOUNTS, userCode));
}

async function approveDevice({ identity, deviceCodes }: Issuer, request: IncomingMessage): Promise<Answer> {
  // A page of another site could approve a sign-in that its owner started.
  if (request.headers.origin !== identity.url)
    return page(403, refusalPage('The form does not come from a page of this issuer.'));
  const body = await form(request);
  const account = accountOf(body.get('account'));
  const isApproved = account !== undefined && deviceCodes.approve(body.get('user_code') ?? '', account.key);
  return isApproved
    ? page(200, approvedPage(account))
    : page(400, refusalPage('The code has expired. Run modulectl login again.'));
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
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

function page(status: number, body: string): Answer {
  return { status, headers: PAGE_HEADERS, body };
}

function json(status: number, body: unknown): Answer {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(body) };
}
