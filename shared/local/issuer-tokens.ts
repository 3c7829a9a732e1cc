import { createHash, randomUUID } from 'node:crypto';
import { importJWK, jwtVerify, SignJWT, type JWK } from 'jose';
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
  readonly lifetimeSeconds?: number;
}

/** How long a token of `npm run token` is valid. */
const TOKEN_LIFETIME_SECONDS = 12 * 3_600;
/** How long the tokens of a sign-in are valid: as long as with many providers, so that the portal refreshes them here too. */
export const SIGN_IN_TOKEN_SECONDS = 300;
const CODE_LIFETIME_SECONDS = 60;
const REFRESH_LIFETIME_SECONDS = 30 * 86_400;

/** Signs an access token with the claims that the service reads. */
export async function signToken(
  identity: IssuerIdentity,
  {
    audience,
    subject = 'developer',
    organizations,
    isOperator,
    lifetimeSeconds = TOKEN_LIFETIME_SECONDS,
  }: TokenRequest,
): Promise<string> {
  const claims = { organizations, ...(isOperator && { roles: ['operator'] }), jti: randomUUID() };
  return sign(identity, { ...claims, aud: audience, sub: subject }, lifetimeSeconds);
}

/** Signs an ID token (OpenID Connect Core, 2): who signed in at which client. */
export async function signIdToken(
  identity: IssuerIdentity,
  claims: Readonly<Record<'aud' | 'sub' | 'name' | 'sid', string>> & { readonly nonce: string | null },
): Promise<string> {
  const { nonce, ...others } = claims;
  return sign(identity, nonce === null ? others : claims, SIGN_IN_TOKEN_SECONDS);
}

/** The sign-in that an ID token belongs to, expired or not; null if it is not one of this issuer's. */
export async function signInOf(identity: IssuerIdentity, idToken: string): Promise<string | null> {
  const options = { issuer: identity.url, algorithms: ['ES256'], currentDate: new Date(0) };
  const verified = await jwtVerify(idToken, await importJWK(publicKey(identity), 'ES256'), options).catch(
    () => null,
  );
  return typeof verified?.payload['sid'] === 'string' ? verified.payload['sid'] : null;
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

/** The person and the client that may get new tokens with a refresh token. */
export interface RefreshGrant {
  readonly account: string;
  readonly clientId: string;
  readonly signInId: string;
  /** Of the refresh token itself. */
  readonly tokenId: string;
}

/** Signs the next refresh token of a sign-in, so that the issuer does not have to store it. */
export async function signRefreshToken(
  identity: IssuerIdentity,
  { account, clientId, signInId }: Omit<RefreshGrant, 'tokenId'>,
): Promise<string> {
  const claims = { aud: `${identity.url}/refresh`, sub: account, clientId, sid: signInId, jti: randomUUID() };
  return sign(identity, claims, REFRESH_LIFETIME_SECONDS);
}

/** What a refresh token grants; null if it is not valid or belongs to another client. */
export async function verifyRefreshToken(
  identity: IssuerIdentity,
  body: URLSearchParams,
): Promise<RefreshGrant | null> {
  const { url } = identity;
  const options = { issuer: url, audience: `${url}/refresh`, algorithms: ['ES256'] };
  const key = await importJWK(publicKey(identity), 'ES256');
  const verified = await jwtVerify(body.get('refresh_token') ?? '', key, options).catch(() => null);
  if (verified === null || verified.payload['clientId'] !== body.get('client_id')) return null;
  const { sub = '', sid, clientId, jti = '' } = verified.payload;
  return { account: sub, clientId: String(clientId), signInId: String(sid), tokenId: jti };
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
