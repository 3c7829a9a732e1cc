import { createHash } from 'node:crypto';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Request } from 'express';
import type { AuthConfig } from '../../shared/config/config.ts';
import { withoutEndSlashes } from '../../shared/config/without-end-slashes.ts';
import { ProblemError } from '../http/problem.ts';

/** The role of a member in an organization; an administrator has all rights of a member. */
export type Role = 'OrganizationAdmin' | 'OrganizationMember';

/** The caller, by a verified access token. */
export interface Principal {
  readonly subject: string;
  readonly isOperator: boolean;
  /** Roles by organization ID in lower case. */
  readonly roles: ReadonlyMap<string, ReadonlySet<Role>>;
  /** Until when the token is accepted. */
  readonly expiresAt: Date;
}

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
/** Verifying a signature costs a millisecond; a key that its issuer withdraws is trusted for at most this long. */
const CACHE = { max: 10_000, ttl: 30_000, ttlResolution: 0 };
const DISCOVERY_TIMEOUT_MS = 5_000;
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="api", error="invalid_token"' };

/** The bearer token of a request; null where it has none. */
export function bearerOf(request: Request): string | null {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(request.get('authorization') ?? '')?.[1] ?? null;
}

/** The refusal of a token. */
export function invalidToken(detail: string): ProblemError {
  return new ProblemError('auth-token-invalid', detail, { headers: CHALLENGE });
}

/** Verifies bearer tokens of one OpenID Connect issuer. */
export class AccessTokens {
  readonly #issuer: string;
  readonly #audience: string;
  readonly #claim: string;
  #keys: Promise<JWTVerifyGetKey> | null = null;
  readonly #cache = new LRUCache<string, Principal>(CACHE);

  constructor(config: AuthConfig & { readonly issuer: string }) {
    this.#issuer = config.issuer;
    this.#audience = config.audience;
    this.#claim = config.organizationsClaim;
  }

  /**
   * The caller of a request.
   * @throws ProblemError 401 without a valid token, 503 if the issuer's keys are unavailable.
   */
  async authenticate(request: Request): Promise<Principal> {
    const token = bearerOf(request);
    if (token === null) {
      throw new ProblemError(
        'auth-token-invalid',
        'The request needs the header Authorization: Bearer with an access token.',
        {
          headers: { 'WWW-Authenticate': 'Bearer realm="api"' },
        },
      );
    }
    return this.verify(token);
  }

  /** The principal of a token; throws as `authenticate` does. A valid token is cached for a short time. */
  async verify(token: string): Promise<Principal> {
    const name = createHash('sha256').update(token).digest('base64');
    const cached = this.#cache.get(name);
    if (cached !== undefined) return cached;
    const principal = await this.#verify(token);
    // For the cache 0 means forever.
    const leftMs = Math.max(1, principal.expiresAt.getTime() - Date.now());
    this.#cache.set(name, principal, { ttl: Math.min(leftMs, CACHE.ttl) });
    return principal;
  }

  async #verify(token: string): Promise<Principal> {
    const keys = await this.#issuerKeys();
    const options = {
      issuer: this.#issuer,
      audience: this.#audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    };
    try {
      const { payload } = await jwtVerify(token, keys, options);
      // Whoever changes something is recorded by it.
      if ((payload.sub ?? '') === '') throw new errors.JWTInvalid('the token has no subject');
      return principalOf(payload, this.#claim);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async #issuerKeys(): Promise<JWTVerifyGetKey> {
    this.#keys ??= discoverKeys(this.#issuer);
    try {
      return await this.#keys;
    } catch (error) {
      this.#keys = null;
      throw issuerUnreachable(error);
    }
  }
}

async function discoverKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const address = `${withoutEndSlashes(issuer)}/.well-known/openid-configuration`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`discovery answered ${answer.status}`);
  const document: unknown = await answer.json();
  if (typeof document !== 'object' || document === null || !('jwks_uri' in document)) {
    throw new Error('the discovery document has no jwks_uri');
  }
  if (!('issuer' in document) || document.issuer !== issuer)
    throw new Error('the discovery document is from another issuer');
  return createRemoteJWKSet(new URL(String(document.jwks_uri)), { timeoutDuration: DISCOVERY_TIMEOUT_MS });
}

function issuerUnreachable(cause: unknown): ProblemError {
  const problem = new ProblemError(
    'unavailable',
    'The token cannot be verified because its issuer is unavailable. Try again later.',
    {
      headers: { 'Retry-After': '5' },
    },
  );
  problem.cause = cause;
  return problem;
}

/** An invalid token is the caller's problem; unavailable keys are not. */
function refusalOf(error: unknown): ProblemError {
  const keysUnavailable =
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    !(error instanceof errors.JOSEError) ||
    error.code === 'ERR_JOSE_GENERIC';
  if (keysUnavailable) return issuerUnreachable(error);
  const detail =
    error instanceof errors.JWTExpired
      ? 'The access token has expired.'
      : 'The access token is not valid for this service.';
  return invalidToken(detail);
}

function principalOf(payload: JWTPayload, claim: string): Principal {
  const scopes = typeof payload['scope'] === 'string' ? payload['scope'].split(' ') : [];
  const roles = new Map<string, ReadonlySet<Role>>();
  const memberships: unknown = payload[claim];
  for (const membership of Array.isArray(memberships) ? (memberships as unknown[]) : []) {
    if (!isMembership(membership)) continue;
    roles.set(membership.id.toLowerCase(), new Set(membership.roles.filter(isRole)));
  }
  const expiresAt = new Date(((payload.exp ?? 0) + CLOCK_TOLERANCE_SECONDS) * 1_000);
  return { subject: payload.sub ?? '', isOperator: scopes.includes('operator'), roles, expiresAt };
}

function isMembership(value: unknown): value is { id: string; roles: unknown[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'roles' in value &&
    Array.isArray(value.roles)
  );
}

function isRole(value: unknown): value is Role {
  return value === 'OrganizationAdmin' || value === 'OrganizationMember';
}
