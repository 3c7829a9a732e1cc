import { createHash } from 'node:crypto';
import { decodeJwt, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Request } from 'express';
import type { Session } from '../../shared/db/access/sessions/sessions.ts';
import type { AuthConfig } from '../../shared/config/identity-config.ts';
import type { Log } from '../../shared/telemetry/log.ts';
import { PartProblem } from '../../shared/process/part-problem.ts';
import { ProblemError, unavailable } from '../http/problem.ts';
import { isStorable } from '../http/schema.ts';
import { readIdentity, verifiedAddress, type Identity } from './claims.ts';
import { issuerKeys } from './issuer-keys.ts';
import { RefusalLog, NoSubject, refusalOf } from './token-refusal.ts';
import { atMost } from '../../shared/limits/at-most.ts';

/** The caller, by a verified access token. Subjects and groups belong to the issuer. */
export interface Principal extends Identity {
  readonly issuer: string;
  readonly subject: string;
  /** The time from which the token is refused. */
  readonly expiresAt: Date;
}

/** What a session knows of the person. Its ID token was verified when they signed in. */
export type SignedInPerson = Pick<Session, 'name' | 'idToken'>;

/** Symmetric algorithms and `none` are never accepted: the key is public. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const CLOCK_TOLERANCE_SECONDS = 30;
const MAX_SUBJECT_LENGTH = 255;
/** Verifying a signature costs a millisecond; a key that its issuer withdraws is trusted for at most this long. */
const CACHE = { ...atMost(10_000), ttl: 30_000, ttlResolution: 0 };
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="api", error="invalid_token"' };

/** The bearer token of a request; null where it has none. */
export function bearerOf(request: Request): string | null {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(request.get('authorization') ?? '')?.[1] ?? null;
}

/** The refusal of a token. */
export function invalidToken(detail: string): ProblemError {
  return new ProblemError('auth-token-invalid', detail, { headers: CHALLENGE });
}

type IssuerConfig = AuthConfig & { readonly issuer: string };

/** Verifies tokens of one OpenID Connect issuer. */
export class TokenVerifier {
  readonly #config: IssuerConfig;
  readonly #keys: JWTVerifyGetKey;

  constructor(config: IssuerConfig, keys: JWTVerifyGetKey = issuerKeys(config.issuer)) {
    this.#config = config;
    this.#keys = keys;
  }

  /** The claims of a valid token. @throws whatever `refusalOf` explains */
  async claims(token: string): Promise<JWTPayload & { readonly sub: string }> {
    const { payload } = await jwtVerify(token, this.#keys, {
      issuer: this.#config.issuer,
      audience: this.#config.audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    const { sub = '' } = payload;
    // Changes are recorded with the subject.
    if (sub === '' || sub.length > MAX_SUBJECT_LENGTH || !isStorable(sub)) throw new NoSubject();
    return { ...payload, sub };
  }

  /** The caller by a valid token. @throws whatever `refusalOf` explains */
  async principal(token: string): Promise<Principal> {
    const claims = await this.claims(token);
    const expiresAt = new Date(((claims.exp ?? 0) + CLOCK_TOLERANCE_SECONDS) * 1_000);
    const { issuer } = this.#config;
    return { issuer, subject: claims.sub, expiresAt, ...readIdentity(claims, this.#config) };
  }
}

/** Authenticates callers by their bearer tokens. */
export class AccessTokens {
  readonly #config: IssuerConfig;
  readonly #verifier: TokenVerifier;
  readonly #refusals: RefusalLog;
  readonly #cache = new LRUCache<string, Principal>(CACHE);
  readonly #people = new WeakMap<Request, SignedInPerson>();

  constructor(config: IssuerConfig, log: Log, keys?: JWTVerifyGetKey) {
    this.#config = config;
    this.#verifier = new TokenVerifier(config, keys);
    this.#refusals = new RefusalLog(log);
  }

  /**
   * The caller of a request.
   * @throws ProblemError 401 without a valid token, 503 if the issuer's keys are unavailable.
   */
  async authenticate(request: Request): Promise<Principal> {
    const token = bearerOf(request);
    if (token === null) {
      this.#refusals.write('no token');
      // Without an error in the challenge: none was sent.
      const detail = 'The request needs the header Authorization: Bearer with an access token.';
      throw new ProblemError('auth-token-invalid', detail);
    }
    const principal = await this.verify(token);
    const { name = null, idToken = null } = this.#people.get(request) ?? {};
    const address = principal.address ?? (idToken === null ? null : verifiedAddress(decodeJwt(idToken)));
    return { ...principal, name: principal.name ?? name, address };
  }

  /** Keeps the person of a session for its request: the access tokens of some issuers have neither name nor address. */
  keepPerson(request: Request, person: SignedInPerson): void {
    this.#people.set(request, person);
  }

  /** The principal of a token; throws as `authenticate` does. A valid token is cached for a short time. */
  async verify(token: string): Promise<Principal> {
    const name = createHash('sha256').update(token).digest('base64');
    const cached = this.#cache.get(name);
    if (cached !== undefined) return cached;
    const principal = await this.#verifier.principal(token).catch((error: unknown) => {
      throw this.#refuse(error, token);
    });
    // For the cache 0 means forever.
    const leftMs = Math.max(1, principal.expiresAt.getTime() - Date.now());
    this.#cache.set(name, principal, { ttl: Math.min(leftMs, CACHE.ttl) });
    return principal;
  }

  /** An invalid token is the caller's problem; unavailable keys are not. */
  #refuse(error: unknown, token: string): ProblemError {
    const { reason, detail, findings } = refusalOf(error, token, this.#config);
    this.#refusals.write(reason, findings);
    return error instanceof PartProblem ? unavailable(detail, undefined, error) : invalidToken(detail);
  }
}
