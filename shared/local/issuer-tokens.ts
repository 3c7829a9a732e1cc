import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import type { JWK } from 'jose';

/** The development issuer of a data directory: its address and its private key. */
export interface IssuerIdentity {
  readonly url: string;
  readonly privateJwk: JWK;
}

/** What an access token is to say. */
export interface TokenRequest {
  readonly audience: string;
  /** Who it is for; without one, a developer. */
  readonly subject?: string;
  readonly organizations: readonly { readonly id: string; readonly roles: readonly string[] }[];
  readonly isOperator: boolean;
}

/** How long the issuer's tokens are good. */
export const TOKEN_LIFETIME_SECONDS = 12 * 3_600;

/** Signs an access token with the claims that the service reads. */
export async function signToken(
  identity: IssuerIdentity,
  { audience, subject = 'developer', organizations, isOperator }: TokenRequest,
): Promise<string> {
  const claims = { organizations, ...(isOperator && { scope: 'operator' }), jti: randomUUID() };
  return sign(identity, claims, audience, subject);
}

/** Signs an ID token (OpenID Connect Core, 2): who signed in at which client. */
export async function signIdToken(
  identity: IssuerIdentity,
  {
    audience,
    subject,
    ...claims
  }: { readonly audience: string; readonly subject: string; readonly name: string; readonly nonce: string },
): Promise<string> {
  return sign(identity, claims, audience, subject);
}

async function sign(
  { url, privateJwk }: IssuerIdentity,
  claims: Readonly<Record<string, unknown>>,
  audience: string,
  subject: string,
): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: privateJwk.kid ?? '' })
    .setIssuer(url)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime(`${TOKEN_LIFETIME_SECONDS}s`)
    .sign(await importJWK(privateJwk, 'ES256'));
}
