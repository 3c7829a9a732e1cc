import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { readAuthorizationRequest } from './authorization-request.ts';
import { ACCOUNTS } from './demonstration.ts';
import {
  publicKey,
  signCode,
  signIdToken,
  signToken,
  TOKEN_LIFETIME_SECONDS,
  verifyCode,
} from './issuer-tokens.ts';
import type { IssuerIdentity } from './issuer-tokens.ts';
import { accountsPage, refusalPage } from './sign-in-page.ts';

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
};
const JSON_HEADERS = { 'Content-Type': 'application/json' };
const MAX_FORM_BYTES = 16_384;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a request: discovery document, keys, page of accounts, tokens. */
export async function answerIssuerRequest(
  identity: IssuerIdentity,
  audience: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const address = new URL(request.url ?? '', identity.url);
  const answerOf = async (): Promise<Answer> => {
    switch (`${request.method ?? ''} ${address.pathname}`) {
      case 'GET /jwks.json':
        return json(200, { keys: [publicKey(identity)] });
      case 'GET /.well-known/openid-configuration':
        return json(200, discovery(identity.url));
      case 'GET /authorize':
        return authorize(identity, address.searchParams);
      case 'POST /token':
        return tokens(identity, audience, request);
      default:
        return json(404, {});
    }
  };
  const { status, headers, body } = await answerOf();
  response.writeHead(status, { ...headers, 'Cache-Control': 'no-store' }).end(body);
}

async function authorize(identity: IssuerIdentity, query: URLSearchParams): Promise<Answer> {
  const read = readAuthorizationRequest(query);
  if (typeof read === 'string') return { status: 400, headers: PAGE_HEADERS, body: refusalPage(read) };
  const account = accountOf(query.get('account'));
  if (account === undefined)
    return { status: 200, headers: PAGE_HEADERS, body: accountsPage(ACCOUNTS, query) };
  const back = new URL(read.redirectUri);
  back.searchParams.set('code', await signCode(identity, account.key, read));
  back.searchParams.set('state', read.state);
  return { status: 303, headers: { Location: back.href }, body: '' };
}

async function tokens(identity: IssuerIdentity, audience: string, request: IncomingMessage): Promise<Answer> {
  if (Number(request.headers['content-length'] ?? Infinity) > MAX_FORM_BYTES)
    return json(400, { error: 'invalid_request' });
  const code = await verifyCode(identity, new URLSearchParams(await text(request)));
  const account = accountOf(code?.account ?? null);
  if (code === null || account === undefined) return json(400, { error: 'invalid_grant' });
  const { key: subject, name, organizations, isOperator } = account;
  return json(200, {
    access_token: await signToken(identity, { audience, subject, organizations, isOperator }),
    token_type: 'Bearer',
    expires_in: TOKEN_LIFETIME_SECONDS,
    id_token: await signIdToken(identity, { aud: code.clientId, sub: subject, name, nonce: code.nonce }),
  });
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
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

function json(status: number, body: unknown): Answer {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(body) };
}
