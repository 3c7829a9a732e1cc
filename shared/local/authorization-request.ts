/** The portal's request to the issuer (OpenID Connect Core, 3.1.2.1). */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeChallenge: string;
}

/** Reads a request's parameters; returns a text if they are not valid. */
export function readAuthorizationRequest(query: URLSearchParams): AuthorizationRequest | string {
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!isOwnPortal(redirectUri, '/portal/sign-in/callback'))
    return 'redirect_uri must be the portal of a stack on this machine.';
  if (query.get('response_type') !== 'code') return 'response_type must be code.';
  if (query.get('code_challenge_method') !== 'S256') return 'code_challenge_method must be S256.';
  const [clientId, state, nonce, codeChallenge] = ['client_id', 'state', 'nonce', 'code_challenge'].map(
    (name) => query.get(name),
  );
  if (!clientId || !state || !nonce || !codeChallenge)
    return 'client_id, state, nonce and code_challenge are required.';
  return { clientId, redirectUri, state, nonce, codeChallenge };
}

/** Whether an address is this path of a portal on this machine: codes are sent to no other. */
export function isOwnPortal(address: string, path: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, pathname, search } = new URL(address);
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return protocol === 'http:' && isLoopback && pathname === path && search === '';
}
