import { createHash, randomUUID } from 'node:crypto';
import { importJWK, jwtVerify, SignJWT } from 'jose';
import type { JWK } from 'jose';
import type { AuthorizationRequest } from './authorization-request.ts';

/** The development issuer of a data directory: its address and its private key. */
export interface IssuerIdentity {
  readonly url: string;
  readonly privateJwk: JWK;
}

/** The claims of an access token. */
export interface TokenRequest {
  readonly audience: string;
  /** Default: developer. */
  readonly subject?: string;
  readonly organizations: readonly { readonly id: string; readonly roles: readonly string[] }[];
  readonly isOperator: boolean;
}

/** How long the issuer's tokens are valid. */
export const TOKEN_LIFETIME_SECONDS = 12 * 3_600;
const CODE_LIFETIME_SECONDS = 60;
const REFRESH_LIFETIME_SECONDS = 30 * 86_400;

/** Signs an access token with the claims that the service reads. */
export async function signToken(
  identity: IssuerIdentity,
  { audience, subject = 'developer', organizations, isOperator }: TokenRequest,
): Promise<string> {
  const claims = { organizations, ...(isOperator && { roles: ['operator'] }), jti: randomUUID() };
  return sign(identity, { ...claims, aud: audience, sub: subject }, TOKEN_LIFETIME_SECONDS);
}

/** Signs an ID token (OpenID Connect Core, 2): who signed in at which client. */
export async function signIdToken(
  identity: IssuerIdentity,
  claims: Readonly<Record<'aud' | 'sub' | 'name' | 'nonce', string>>,
): Promise<string> {
  return sign(identity, claims, TOKEN_LIFETIME_SECONDS);
}

/** Signs a code for the selected account, so that the issuer does not have to store it. */
export async function signCode(
  identity: IssuerIdentity,
  account: string,
  { clientId, redirectUri, nonce, codeChallenge }: AuthorizationRequest,
): Promise<string> {
  const claims = { aud: `${identity.url}/token`, sub: account, clientId, redirectUri, nonce, codeChallenge };
  return sign(identity, claims, CODE_LIFETIME_SECONDS);
}

/** Verifies the code of a token request; null if code, verifier, client or redirect address do not match. */
export async function verifyCode(
  identity: IssuerIdentity,
  body: URLSearchParams,
): Promise<{ readonly account: string; readonly clientId: string; readonly nonce: string } | null> {
  const { url } = identity;
  const options = { issuer: url, audience: `${url}/token`, algorithms: ['ES256'] };
  const key = await importJWK(publicKey(identity), 'ES256');
  const verified = await jwtVerify(body.get('code') ?? '', key, options).catch(() => null);
  if (verified === null) return null;
  const { sub = '', clientId, redirectUri, nonce, codeChallenge } = verified.payload;
  const verifier = body.get('code_verifier') ?? '';
  if (createHash('sha256').update(verifier).digest('base64url') !== codeChallenge) return null;
  if (body.get('redirect_uri') !== redirectUri || body.get('client_id') !== clientId) return null;
  return { account: sub, clientId: String(clientId), nonce: String(nonce) };
}

/** Signs a refresh token of an account at a client, so that the issuer does not have to store it. */
export async function signRefreshToken(
  identity: IssuerIdentity,
  account: string,
  clientId: string,
): Promise<string> {
  const claims = { aud: `${identity.url}/refresh`, sub: account, clientId };
  return sign(identity, claims, REFRESH_LIFETIME_SECONDS);
}

/** The account of a refresh token; null if the token is not valid or belongs to another client. */
export async function verifyRefreshToken(
  identity: IssuerIdentity,
  body: URLSearchParams,
): Promise<string | null> {
  const { url } = identity;
  const options = { issuer: url, audience: `${url}/refresh`, algorithms: ['ES256'] };
  const key = await importJWK(publicKey(identity), 'ES256');
  const verified = await jwtVerify(body.get('refresh_token') ?? '', key, options).catch(() => null);
  if (verified === null || verified.payload['clientId'] !== body.get('client_id')) return null;
  return verified.payload.sub ?? null;
}

/** The public part of the issuer's key. */
export function publicKey({ privateJwk: { kty, crv, x, y, kid, alg, use } }: IssuerIdentity): JWK {
  return { kty, crv, x, y, kid, alg, use } as JWK;
}

async function sign(
  { url, privateJwk }: IssuerIdentity,
  claims: Readonly<Record<string, unknown>>,
  lifetimeSeconds: number,
): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: privateJwk.kid ?? '' })
    .setIssuer(url)
    .setIssuedAt()
    .setExpirationTime(`${lifetimeSeconds}s`)
    .sign(await importJWK(privateJwk, 'ES256'));
}
