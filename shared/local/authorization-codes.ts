import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** What the portal asks of the issuer (OpenID Connect Core, 3.1.2.1). */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeChallenge: string;
}

/** What a code stands for. */
export interface Grant extends AuthorizationRequest {
  readonly accountKey: string;
}

const LIFETIME_MS = 60_000;
const MAX_CODES = 1_000;

/** Reads a request's parameters; a text tells what is wrong with them. */
export function readAuthorizationRequest(query: URLSearchParams): AuthorizationRequest | string {
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!isOwnPortal(redirectUri)) return 'redirect_uri must be the portal of a stack on this machine.';
  if (query.get('response_type') !== 'code') return 'response_type must be code.';
  if (query.get('code_challenge_method') !== 'S256') return 'code_challenge_method must be S256.';
  const [clientId, state, nonce, codeChallenge] = ['client_id', 'state', 'nonce', 'code_challenge'].map(
    (name) => query.get(name) ?? '',
  );
  if (!clientId || !state || !nonce || !codeChallenge)
    return 'client_id, state, nonce and code_challenge must be there.';
  return { clientId, redirectUri, state, nonce, codeChallenge };
}

/** Codes go to this machine alone. */
function isOwnPortal(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, pathname, search } = new URL(address);
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return protocol === 'http:' && isLoopback && pathname === '/portal/sign-in/callback' && search === '';
}

/** The codes that were given and not yet taken; each is good once, for a minute. */
export class AuthorizationCodes {
  readonly #grants = new LRUCache<string, Grant>({ max: MAX_CODES, ttl: LIFETIME_MS });

  /** A code for the grant. */
  give(grant: Grant): string {
    const code = randomBytes(24).toString('base64url');
    this.#grants.set(code, grant);
    return code;
  }

  /** The grant of a token request's code; null where the code, its verifier or its address is another one. */
  take(body: URLSearchParams): Grant | null {
    const code = body.get('code') ?? '';
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    if (grant === undefined) return null;
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const isSame = challenge === grant.codeChallenge && body.get('redirect_uri') === grant.redirectUri;
    return isSame && body.get('client_id') === grant.clientId ? grant : null;
  }
}
