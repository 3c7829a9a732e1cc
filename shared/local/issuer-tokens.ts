import { randomUUID } from 'node:crypto';
import { importJWK, jwtVerify, SignJWT, type JWK } from 'jose';

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
  /** The person's name; as of many providers, an access token may be without. */
  readonly name?: string;
  readonly organizations: readonly { readonly id: string; readonly roles: readonly string[] }[];
  readonly isOperator: boolean;
  readonly lifetimeSeconds?: number;
}

/** The lifetime of a token of `npm run token`. */
const TOKEN_LIFETIME_SECONDS = 12 * 3_600;
/** The lifetime of a sign-in's tokens: as with many providers, so that the portal refreshes them here too. */
export const SIGN_IN_TOKEN_SECONDS = 300;
const REFRESH_LIFETIME_SECONDS = 30 * 86_400;

/** Signs an access token with the claims that the service reads. */
export async function signToken(
  identity: IssuerIdentity,
  {
    audience,
    subject = 'developer',
    name,
    organizations,
    isOperator,
    lifetimeSeconds = TOKEN_LIFETIME_SECONDS,
  }: TokenRequest,
): Promise<string> {
  const claims = {
    organizations,
    ...(name !== undefined && { name }),
    ...(isOperator && { roles: ['operator'] }),
    jti: randomUUID(),
  };
  return sign(identity, { ...claims, aud: audience, sub: subject }, lifetimeSeconds);
}

/** The person and the client that may get new tokens with a refresh token. */
export interface RefreshGrant {
  readonly account: string;
  readonly clientId: string;
  readonly signInId: string;
}

/** Signs the next refresh token of a sign-in, so that the issuer does not have to store it. */
export async function signRefreshToken(
  identity: IssuerIdentity,
  { account, clientId, signInId }: RefreshGrant,
): Promise<string> {
  const claims = { aud: `${identity.url}/refresh`, sub: account, clientId, sid: signInId, jti: randomUUID() };
  return sign(identity, claims, REFRESH_LIFETIME_SECONDS);
}

/** What a refresh token grants, and its own ID; null if it is not valid. */
export async function verifyRefreshToken(
  identity: IssuerIdentity,
  token: string,
): Promise<(RefreshGrant & { readonly tokenId: string }) | null> {
  const { url } = identity;
  const options = { issuer: url, audience: `${url}/refresh`, algorithms: ['ES256'] };
  const key = await importJWK(publicKey(identity), 'ES256');
  const verified = await jwtVerify(token, key, options).catch(() => null);
  if (verified === null) return null;
  const { sub = '', sid, clientId, jti = '' } = verified.payload;
  return { account: sub, clientId: String(clientId), signInId: String(sid), tokenId: jti };
}

/** The public part of the issuer's key. */
export function publicKey({ privateJwk: { kty, crv, x, y, kid, alg, use } }: IssuerIdentity): JWK {
  return { kty, crv, x, y, kid, alg, use } as JWK;
}

/** Signs a token with these claims. */
export async function sign(
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
