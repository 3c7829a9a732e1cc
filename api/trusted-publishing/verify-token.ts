import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import type { PublisherRun } from '../../shared/db/access/publisher-tokens.ts';
import type { RegisteredPublisher } from '../../shared/db/access/trusted-publishers.ts';
import { PartProblem } from '../../shared/process/part-problem.ts';
import { showableText } from '../../shared/package/text/showable-text.ts';
import { isStorable } from '../http/schema.ts';
import { ALGORITHMS } from '../auth/access-token.ts';
import { differingClaims, hasClaim, IDENTIFYING_CLAIMS, strangersEvent } from './publisher-claims.ts';

const MAX_TOKEN_LENGTH = 16_384;
export const CLOCK_TOLERANCE_SECONDS = 30;
/** A job that runs for some time may still use the token that it got at its start. */
const MAX_AGE_SECONDS = 3_600;
const MAX_LIFETIME_SECONDS = 86_400;
/** A clock that is this far off does not make a token usable again. */
export const CLOCK_MARGIN_SECONDS = 3_600;
const MAX_JTI_LENGTH = 255;
const MAX_SHOWN_LENGTH = 200;

/** Header members by which a token would choose its own key, or which change how its signature is made. */
const REFUSED_HEADERS = ['crit', 'jku', 'jwk', 'x5u', 'x5c', 'b64', 'enc', 'zip'];

/** A token whose signature is not verified yet. */
export interface ReadToken {
  readonly text: string;
  readonly issuer: string;
  /** Why its header is not allowed; null: it is. */
  readonly headerIssue: string | null;
}

/** The verdict on a token for the publishers of its issuer. */
export type TokenVerdict =
  | {
      readonly kind: 'accepted';
      readonly publisherId: string;
      readonly run: PublisherRun;
      readonly jti: string;
      readonly expiresAt: Date;
    }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** Null where the token is not proven to be the issuer's. */
      readonly run: PublisherRun | null;
      /** Whether it is of a publisher's repository. */
      readonly isOwn: boolean;
    };

/** Reads a token without trusting it; null for a text that is no signed token of an issuer. */
export function readToken(text: string): ReadToken | null {
  if (text.length > MAX_TOKEN_LENGTH || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return null;
  try {
    const { iss } = decodeJwt(text);
    const header = decodeProtectedHeader(text);
    if (typeof iss !== 'string' || !isStorable(iss)) return null;
    return { text, issuer: iss, headerIssue: headerIssue({ ...header }) };
  } catch {
    return null;
  }
}

function headerIssue(header: Readonly<Record<string, unknown>>): string | null {
  const { alg, kid, typ } = header;
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg)) return 'the algorithm is not allowed';
  const refused = REFUSED_HEADERS.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) return `the header ${refused} is not allowed`;
  if (typeof kid !== 'string' || kid === '') return 'the header kid is missing';
  // Another type, such as at+jwt, is a token for something else (RFC 8725, section 3.11).
  const isJwt = typ === undefined || (typeof typ === 'string' && typ.toUpperCase() === 'JWT');
  return isJwt ? null : 'the header typ is not JWT';
}

/**
 * Compares a token with publishers of its issuer.
 * @throws PartProblem where the issuer's keys cannot be fetched
 */
export async function verifyToken(
  { text, issuer, headerIssue: issue }: ReadToken,
  keys: JWTVerifyGetKey,
  publishers: readonly RegisteredPublisher[],
): Promise<TokenVerdict> {
  if (issue !== null) return stranger(issue);
  try {
    const { payload } = await jwtVerify(text, keys, {
      issuer,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'nbf', 'iat', 'jti'],
      maxTokenAge: MAX_AGE_SECONDS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    return compareClaims(payload, publishers);
  } catch (error) {
    if (error instanceof PartProblem) throw error;
    // The signature is valid: these are thrown after it was verified.
    if (error instanceof errors.JWTExpired)
      return refused(error.payload, publishers, 'the token has expired');
    if (error instanceof errors.JWTClaimValidationFailed)
      return refused(error.payload, publishers, error.message);
    return stranger(
      error instanceof errors.JWKSNoMatchingKey
        ? 'the issuer has no key with this kid'
        : 'the signature is not valid',
    );
  }
}

function compareClaims(payload: JWTPayload, publishers: readonly RegisteredPublisher[]): TokenVerdict {
  const { iat = 0, exp = 0, jti } = payload;
  if (!isTokenId(jti)) return refused(payload, publishers, 'jti must be a text of 1 to 255 characters');
  if (exp <= iat || exp - iat > MAX_LIFETIME_SECONDS)
    return refused(payload, publishers, 'exp must be after iat, by at most 24 hours');
  const event = strangersEvent(payload);
  if (event !== null)
    return refused(payload, publishers, `a run of the event ${shown(event)}, which strangers can cause`);
  const compared = publishers.map((publisher) => ({
    publisher,
    differing: differingClaims(publisher, payload),
  }));
  const [nearest] = compared.toSorted((a, b) => a.differing.length - b.differing.length);
  if (nearest === undefined) return stranger('the module has no such publisher');
  const { publisher, differing } = nearest;
  if (differing.length > 0)
    return refused(payload, publishers, `other than the publisher's: ${differing.join(', ')}`);
  return {
    kind: 'accepted',
    publisherId: publisher.id,
    run: runOf(publisher.issuer, payload),
    jti,
    expiresAt: new Date((exp + CLOCK_MARGIN_SECONDS) * 1_000),
  };
}

function isTokenId(jti: unknown): jti is string {
  return typeof jti === 'string' && jti !== '' && jti.length <= MAX_JTI_LENGTH && isStorable(jti);
}

function stranger(reason: string): TokenVerdict {
  return { kind: 'refused', reason, run: null, isOwn: false };
}

/** The refusal of a token that its issuer has signed. */
function refused(
  payload: JWTPayload,
  publishers: readonly RegisteredPublisher[],
  reason: string,
): TokenVerdict {
  const isOwn = publishers.some(({ claims }) => {
    const identifying = Object.entries(claims).filter(([name]) => IDENTIFYING_CLAIMS.includes(name));
    return identifying.every(([name, value]) => hasClaim(payload, name, value));
  });
  return { kind: 'refused', reason, run: runOf(payload.iss ?? '', payload), isOwn };
}

/** The claims that identify a token's run, by the names of GitHub and GitLab. */
function runOf(issuer: string, payload: JWTPayload): PublisherRun {
  const first = (...names: readonly string[]) => {
    for (const name of names) {
      const value: unknown = Object.hasOwn(payload, name) ? payload[name] : undefined;
      if (typeof value === 'string' || typeof value === 'number') return shown(String(value));
    }
    return null;
  };
  return {
    issuer,
    subject: first('sub'),
    repository: first('repository', 'project_path'),
    workflow: first('workflow_ref', 'job_workflow_ref', 'ci_config_ref_uri'),
    commit: first('sha'),
    run: first('run_id', 'pipeline_id', 'job_id'),
  };
}

/** The issuer signed it, but a stranger may have chosen it: its branch, or the name of its repository. */
function shown(text: string): string {
  return showableText(text.slice(0, MAX_SHOWN_LENGTH).toWellFormed());
}
