import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type GenerateKeyPairResult,
  type JWK,
  type JWTPayload,
} from 'jose';

/** A key pair of an issuer. */
export interface CiKey {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** The issuer of a CI service, as GitHub's: it signs a token for each run. */
export interface CiIssuer {
  readonly url: string;
  readonly key: CiKey;
  /** The keys that it publishes. */
  keys: readonly JWK[];
  /** Answers in its place, to play an issuer with other intentions; null: as it should. */
  answer: RequestListener | null;
  /** The paths that were requested. */
  readonly requests: string[];
  /** A run's claims, with some replaced; undefined leaves one out. */
  claims(replaced?: Readonly<Record<string, unknown>>): JWTPayload;
  /** A run's token, with claims or header members replaced, or signed by another key. */
  token(
    replaced?: Readonly<Record<string, unknown>>,
    options?: { readonly header?: Readonly<Record<string, unknown>>; readonly key?: CiKey },
  ): Promise<string>;
  stop(): Promise<void>;
}

/** The audience of tokens for the service. */
export const CI_AUDIENCE = 'https://modules.example.com';

/** What a publisher requires of the runs, with the IDs of the repository and its owner. */
export const CI_CLAIMS = {
  repository_id: '74',
  repository_owner_id: '9',
  workflow_ref: 'acme/soil/.github/workflows/import.yml@refs/heads/main',
  ref: 'refs/heads/main',
};

/** More than one test uses at once. To make one costs more processor time than most tests. */
const MADE_KEYS = 6;
const made: Promise<GenerateKeyPairResult>[] = [];
let taken = 0;

/** A key pair that no issuer of the same test has. */
export async function makeCiKey(kid: string): Promise<CiKey> {
  const pair = (made[taken % MADE_KEYS] ??= generateKeyPair('RS256', { extractable: true }));
  taken += 1;
  const { publicKey, privateKey } = await pair;
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
}

/** Starts an issuer on loopback. */
export async function startCiIssuer(): Promise<CiIssuer> {
  const key = await makeCiKey('first');
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const { answer, keys } = issuer;
    if (answer !== null) {
      answer(request, response);
      return;
    }
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    const document = isDiscovery ? { issuer: url, jwks_uri: `${url}/jwks` } : { keys };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(document));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: CiIssuer = {
    ...{ url, key, keys: [key.jwk], answer: null, requests },
    claims(replaced = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const claims = {
        ...{ iss: url, aud: CI_AUDIENCE, sub: 'repo:acme/soil:ref:refs/heads/main', jti: randomUUID() },
        ...{ iat: now, nbf: now - 600, exp: now + 300 },
        ...{ repository: 'acme/soil', repository_owner: 'acme', event_name: 'push', ...CI_CLAIMS },
        ...{ sha: '4f2a91c7', run_id: '1234', run_attempt: '1' },
        ...replaced,
      };
      const given: readonly (readonly [string, unknown])[] = Object.entries(claims);
      return Object.fromEntries(given.filter(([, value]) => value !== undefined));
    },
    async token(replaced, { header = {}, key: signer = key } = {}) {
      const protectedHeader = { typ: 'JWT', alg: 'RS256', kid: signer.jwk.kid ?? '', ...header };
      return new SignJWT(issuer.claims(replaced)).setProtectedHeader(protectedHeader).sign(signer.privateKey);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}
