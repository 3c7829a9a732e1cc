import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { AuthorizationCodes, readAuthorizationRequest } from './authorization-codes.ts';
import { ACCOUNTS } from './demonstration.ts';
import type { Account } from './demonstration.ts';
import { signIdToken, signToken, TOKEN_LIFETIME_SECONDS } from './issuer-tokens.ts';
import type { IssuerIdentity } from './issuer-tokens.ts';
import { accountsPage, refusalPage } from './sign-in-page.ts';

const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";
const MAX_FORM_BYTES = 16_384;

/** The issuer's discovery document, its keys, its page of accounts and its tokens. */
export class IssuerEndpoints {
  readonly #identity: IssuerIdentity;
  readonly #audience: string;
  readonly #codes = new AuthorizationCodes();

  constructor(identity: IssuerIdentity, audience: string) {
    this.#identity = identity;
    this.#audience = audience;
  }

  /** Answers one request. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url } = this.#identity;
    const address = new URL(request.url ?? '', url);
    const call = `${request.method ?? ''} ${address.pathname}`;
    if (call === 'GET /jwks.json') sendJson(response, 200, { keys: [publicKey(this.#identity)] });
    else if (call === 'GET /.well-known/openid-configuration') sendJson(response, 200, discovery(url));
    else if (call === 'GET /authorize') this.#authorize(address.searchParams, response);
    else if (call === 'POST /token') await this.#giveTokens(request, response);
    else sendJson(response, 404, {});
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const read = readAuthorizationRequest(query);
    if (typeof read === 'string') {
      sendPage(response, 400, refusalPage(read));
      return;
    }
    const account = accountOf(query.get('account'));
    if (account === undefined) {
      sendPage(response, 200, accountsPage(ACCOUNTS, query));
      return;
    }
    const back = new URL(read.redirectUri);
    back.searchParams.set('code', this.#codes.give({ ...read, accountKey: account.key }));
    back.searchParams.set('state', read.state);
    response.writeHead(303, { Location: back.href, 'Cache-Control': 'no-store' }).end();
  }

  async #giveTokens(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (Number(request.headers['content-length'] ?? Infinity) > MAX_FORM_BYTES) {
      sendJson(response, 400, { error: 'invalid_request' });
      return;
    }
    const grant = this.#codes.take(new URLSearchParams(await text(request)));
    const account = accountOf(grant?.accountKey ?? null);
    if (grant === null || account === undefined) {
      sendJson(response, 400, { error: 'invalid_grant' });
      return;
    }
    const { key: subject, name, organizations, isOperator } = account;
    sendJson(response, 200, {
      access_token: await signToken(this.#identity, {
        audience: this.#audience,
        subject,
        organizations,
        isOperator,
      }),
      token_type: 'Bearer',
      expires_in: TOKEN_LIFETIME_SECONDS,
      id_token: await signIdToken(this.#identity, {
        audience: grant.clientId,
        subject,
        name,
        nonce: grant.nonce,
      }),
    });
  }
}

function accountOf(key: string | null): Account | undefined {
  return ACCOUNTS.find((each) => each.key === key);
}

function publicKey({ privateJwk }: IssuerIdentity) {
  const { kty, crv, x, y, kid, alg, use } = privateJwk;
  return { kty, crv, x, y, kid, alg, use };
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

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(JSON.stringify(body));
}

function sendPage(response: ServerResponse, status: number, html: string): void {
  response
    .writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': PAGE_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    })
    .end(html);
}
