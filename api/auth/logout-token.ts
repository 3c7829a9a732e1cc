import { jwtVerify, type JWTVerifyGetKey } from 'jose';
import { PartProblem } from '../../shared/process/part-problem.ts';
import { ALGORITHMS } from './access-token.ts';

/** The claims of a logout token. */
export interface LogoutToken {
  readonly jti: string;
  readonly issuerSessionId: string | null;
  readonly issuerSubject: string | null;
  readonly issuedAt: Date;
}

/** The token is not valid; the message says why. */
export class LogoutTokenRefused extends Error {
  override readonly name = 'LogoutTokenRefused';
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TYPES = ['logout+jwt', 'application/logout+jwt', 'jwt'];
const CLOCK_TOLERANCE_SECONDS = 30;
const MAX_AGE_SECONDS = 300;
const MAX_LENGTH = 255;

/** For how long a token's ID must be remembered: its age is limited, whatever its `exp`. */
export const LOGOUT_TOKEN_SECONDS = MAX_AGE_SECONDS + 2 * CLOCK_TOLERANCE_SECONDS;

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, sections 2.4 and 2.6).
 * @throws LogoutTokenRefused if it is not valid, PartProblem if the issuer's keys are unavailable.
 */
export async function verifyLogoutToken(
  token: string,
  { issuer, audience, keys }: { issuer: string; audience: string; keys: JWTVerifyGetKey },
): Promise<LogoutToken> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    ...{ issuer, audience, algorithms: ALGORITHMS, clockTolerance: CLOCK_TOLERANCE_SECONDS },
    maxTokenAge: MAX_AGE_SECONDS,
    requiredClaims: ['iat', 'jti', 'events'],
  }).catch((error: unknown) => {
    throw error instanceof PartProblem ? error : new LogoutTokenRefused(messageOf(error));
  });
  // Section 2.4 only recommends a type. Access tokens (RFC 9068) and others that have one are not logout tokens.
  const { typ } = protectedHeader;
  if (typ !== undefined && !TYPES.includes(typ.toLowerCase()))
    throw new LogoutTokenRefused('it has another typ');
  if (!hasEvent(payload['events'])) throw new LogoutTokenRefused('events has no back-channel logout');
  // So that no ID token is taken for a logout token.
  if ('nonce' in payload) throw new LogoutTokenRefused('it has a nonce');
  const jti = shortText(payload.jti);
  const issuerSessionId = shortText(payload['sid']);
  const issuerSubject = shortText(payload.sub);
  if (jti === null) throw new LogoutTokenRefused('jti is not a text of 1 to 255 characters');
  if (issuerSessionId === null && issuerSubject === null)
    throw new LogoutTokenRefused('it has neither sid nor sub');
  return { jti, issuerSessionId, issuerSubject, issuedAt: new Date((payload.iat ?? 0) * 1_000) };
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH ? value : null;
}

function hasEvent(events: unknown): boolean {
  if (typeof events !== 'object' || events === null) return false;
  const event = Object.entries(events).find(([name]) => name === EVENT)?.[1] as unknown;
  return typeof event === 'object' && event !== null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
