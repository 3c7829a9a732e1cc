import { decodeJwt, errors } from 'jose';
import type { Claims } from './claims.ts';
import { PartProblem } from '../../shared/process/part-problem.ts';
import type { Log } from '../../shared/telemetry/log.ts';

/** The issuer and the audience of accepted tokens. */
export interface ExpectedToken {
  readonly issuer: string;
  readonly audience: string;
}

/** Why a token is refused. */
export interface TokenRefusal {
  /** A few words, always the same for one cause: logs are searched for them. */
  readonly reason: string;
  /** For the caller. */
  readonly detail: string;
  /** For operators: what was found and what is expected, never the token. */
  readonly findings: Readonly<Record<string, unknown>>;
}

/** The claim `sub` is missing, or longer than the 255 characters of OpenID Connect Core, section 2. */
export class NoSubject extends Error {
  override readonly name = 'NoSubject';
}

/** What is wrong with a token of the right issuer, by the error. */
const REASONS = [
  [errors.JWKSNoMatchingKey, 'unknown key', 'the issuer has no such key'],
  [errors.JWSSignatureVerificationFailed, 'wrong signature', 'its signature is wrong'],
  [errors.JOSEAlgNotAllowed, 'algorithm not allowed', 'its algorithm is not allowed'],
] as const;

const MAX_SHOWN_LENGTH = 200;

/** Why verifying a token failed with this error. */
export function refusalOf(error: unknown, token: string, expected: ExpectedToken): TokenRefusal {
  if (error instanceof PartProblem) return issuerUnavailable(error);
  if (error instanceof errors.JWTExpired) return refusal('expired', 'The access token has expired.');
  if (error instanceof NoSubject) return refusal('no subject', notValid('it has no subject'));
  const claims = claimsOf(token);
  if (claims === null) return unreadable(token);
  // The keys of another issuer are unknown here too, so this comes first.
  if (claims['iss'] !== expected.issuer) return wrongIssuer(claims, expected);
  if (error instanceof errors.JWTClaimValidationFailed) return wrongClaim(error, claims, expected);
  for (const [kind, reason, why] of REASONS) if (error instanceof kind) return refusal(reason, notValid(why));
  return refusal('malformed token', notValid('it is malformed'), { err: error });
}

function refusal(reason: string, detail: string, findings: TokenRefusal['findings'] = {}): TokenRefusal {
  return { reason, detail, findings };
}

function notValid(why: string): string {
  return `The access token is not valid for this service: ${why}.`;
}

/** The caller can do nothing about it. */
function issuerUnavailable(error: PartProblem): TokenRefusal {
  const detail = 'The token cannot be verified because its issuer is unavailable. Try again later.';
  return refusal('issuer unreachable', detail, { advice: error.message, err: error.cause });
}

function unreadable(token: string): TokenRefusal {
  // RFC 7516, section 3.1: an encrypted token has five parts.
  if (token.split('.').length === 5)
    return refusal('encrypted token', notValid('it is encrypted; it must be signed only'));
  const detail = notValid('it is not a JWT. Request it for an API of the issuer, with the audience');
  return refusal('opaque token', detail, {
    advice:
      'Most issuers give JWTs only for an API: register one with AUTH_AUDIENCE, and let clients request it.',
  });
}

function wrongIssuer({ iss }: Claims, { issuer }: ExpectedToken): TokenRefusal {
  const detail = notValid(`it is from another issuer than ${issuer}`);
  return refusal('wrong issuer', detail, { issuerFound: shownIssuer(iss), issuerExpected: issuer });
}

function wrongClaim(
  { claim, reason }: errors.JWTClaimValidationFailed,
  { aud }: Claims,
  { audience }: ExpectedToken,
): TokenRefusal {
  if (claim === 'aud') {
    const detail = notValid(`it is for another audience than ${audience}`);
    return refusal('wrong audience', detail, { audienceFound: shown(aud), audienceExpected: audience });
  }
  if (claim === 'nbf' && reason === 'check_failed')
    return refusal('not valid yet', notValid('it is not valid yet'));
  return refusal(`wrong claim ${claim}`, notValid(`its claim ${claim} is missing or wrong`));
}

function claimsOf(token: string): Claims | null {
  try {
    return decodeJwt(token);
  } catch {
    return null;
  }
}

/** Only the address of an issuer: the sender of a token chooses its text. */
function shownIssuer(value: unknown): string {
  if (typeof value !== 'string' || !URL.canParse(value)) return 'no address';
  const { origin, pathname } = new URL(value);
  return shown(value.endsWith('/') || pathname !== '/' ? origin + pathname : origin);
}

function shown(value: unknown): string {
  const texts = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');
  return texts.join(' ').slice(0, MAX_SHOWN_LENGTH);
}

const EVERY_MS = 10_000;

/** Logs why callers are refused: one line in ten seconds for each reason, so that nobody can fill the log. */
export class RefusalLog {
  readonly #log: Log;
  readonly #last = new Map<string, { atMs: number; suppressed: number }>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `suppressed` in the line is the number of refusals since the previous line of this reason. */
  write(reason: string, findings: Readonly<Record<string, unknown>> = {}): void {
    const last = this.#last.get(reason);
    const nowMs = performance.now();
    if (last !== undefined && nowMs - last.atMs < EVERY_MS) {
      last.suppressed += 1;
      return;
    }
    this.#last.set(reason, { atMs: nowMs, suppressed: 0 });
    this.#log.warn({ reason, suppressed: last?.suppressed ?? 0, ...findings }, 'identity refused');
  }
}
