import type { PortalConfig } from '../../shared/config/identity-config.ts';
import type { Finding } from '../../shared/process/probe-step.ts';
import type { IssuerDocument } from './discover-issuer.ts';

const TIMEOUT_MS = 5_000;
/** RFC 7636, appendix B. */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

type Members = IssuerDocument['members'];

/** Exchanges a code that does not exist: the issuer checks the client before the code. */
export async function tryClient(
  members: Members,
  { clientId, clientSecret }: PortalConfig,
  redirectUri: string,
): Promise<Finding> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'doctor',
    code_verifier: VERIFIER,
    redirect_uri: redirectUri,
    client_id: clientId,
    ...(clientSecret !== null && { client_secret: clientSecret }),
  });
  const answer = await fetch(String(members['token_endpoint']), { method: 'POST', body, ...options() });
  const error = errorOf(await answer.json().catch(() => null));
  if (error === 'invalid_client' || error === 'unauthorized_client')
    return {
      ok: false,
      detail: `The issuer answers with ${error} for the client ${clientId}.`,
      advice:
        clientSecret === null
          ? 'Correct PORTAL_CLIENT_ID, or set PORTAL_CLIENT_SECRET: the issuer may have it as a confidential client.'
          : 'Correct PORTAL_CLIENT_ID and PORTAL_CLIENT_SECRET, and let the client use client_secret_post.',
    };
  return error === 'invalid_grant'
    ? `the issuer accepts the client ${clientId}`
    : `the issuer answers with ${error ?? answer.status}`;
}

/** Starts a sign-in that shows no page: an issuer that knows the redirect URI sends the browser back to it. */
export async function tryRedirect(
  members: Members,
  { clientId, scope, requestParameters }: PortalConfig,
  publicUrl: string | null,
  redirectUri: string,
): Promise<Finding> {
  if (publicUrl === null) return 'not tried, because PUBLIC_URL is not set';
  const address = new URL(String(members['authorization_endpoint']));
  const parameters = {
    ...Object.fromEntries(requestParameters),
    ...{ client_id: clientId, response_type: 'code', scope, redirect_uri: redirectUri, state: 'doctor' },
    ...{ nonce: 'doctor', prompt: 'none', code_challenge: CHALLENGE, code_challenge_method: 'S256' },
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  const answer = await fetch(address, { redirect: 'manual', ...options() });
  await answer.body?.cancel();
  const location = answer.headers.get('location') ?? '';
  if (location.startsWith(redirectUri)) return redirectedFinding(new URL(location), redirectUri);
  if (answer.status < 400) return `not known: the issuer answers with ${answer.status}`;
  return {
    ok: false,
    detail: `The issuer refuses a sign-in of ${clientId} with the redirect URI ${redirectUri} (${answer.status}).`,
    advice: `Register exactly this redirect URI for the client ${clientId} at the issuer.`,
  };
}

/** Nobody is signed in, so one of these errors is the best answer (OpenID Connect Core, section 3.1.2.6). */
const SIGN_IN_NEEDED = new Set([
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);

function redirectedFinding(location: URL, redirectUri: string): Finding {
  const error = location.searchParams.get('error') ?? '';
  if (error === '' || SIGN_IN_NEEDED.has(error)) return `${redirectUri} is registered`;
  const description = location.searchParams.get('error_description') ?? '';
  return {
    ok: false,
    detail: `The issuer refuses a sign-in: ${error}${description === '' ? '' : ` (${description.slice(0, 200)})`}.`,
    advice:
      error === 'invalid_scope'
        ? 'Let the client have the scopes of PORTAL_SCOPE at the issuer, or correct PORTAL_SCOPE.'
        : 'Check the client at the issuer: authorization code flow with PKCE, PORTAL_SCOPE, AUTH_REQUEST_PARAMETERS.',
  };
}

function options() {
  return { signal: AbortSignal.timeout(TIMEOUT_MS) };
}

function errorOf(value: unknown): string | null {
  return typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string'
    ? value.error
    : null;
}
