import type { Config } from '../../shared/config/config.ts';
import type { PortalConfig } from '../../shared/config/identity-config.ts';
import { finding, trySteps, type Finding, type ProbeStep } from '../../shared/process/probe-step.ts';
import { discoverIssuer, type IssuerDocument } from './discover-issuer.ts';

const TIMEOUT_MS = 5_000;
/** Beyond this difference of clocks, tokens that are valid are refused. */
const TOLERATED_MS = 30_000;
/** RFC 7636, appendix B. */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

type Members = IssuerDocument['members'];

/** Checks the issuer, without signing anybody in. Never throws. */
export async function probeIssuer(
  issuer: string,
  { portal, cli, server: { publicUrl } }: Pick<Config, 'portal' | 'cli' | 'server'>,
): Promise<readonly ProbeStep[]> {
  const discovered = discoverIssuer(issuer);
  const members = async () => (await discovered).members;
  return trySteps({
    discovery: async () => {
      await discovered;
      return `the issuer calls itself ${issuer}, as AUTH_ISSUER does`;
    },
    clock: async () => clockFinding((await discovered).answeredAt),
    ...(cli !== null && { modulectl: async () => offers(await members(), DEVICE_ENDPOINTS, DEVICE_ADVICE) }),
    ...(portal !== null && {
      portal: async () => offers(await members(), CODE_ENDPOINTS, CODE_ADVICE),
      'redirect URI': async () => tryRedirect(await members(), portal, publicUrl),
    }),
  });
}

function clockFinding(answeredAt: Date | null): Finding {
  // The header has whole seconds: on average its half is over.
  const aheadMs = answeredAt === null ? 0 : answeredAt.getTime() + 500 - Date.now();
  return finding(
    Math.abs(aheadMs) < TOLERATED_MS,
    `its clock is ${(aheadMs / 1_000).toFixed(1)} s ahead of this machine's`,
    'Let NTP set both clocks, such as with: timedatectl set-ntp true',
  );
}

const CODE_ENDPOINTS = ['authorization_endpoint', 'token_endpoint'];
const CODE_ADVICE = 'Enable the authorization code flow with PKCE at the issuer, or unset PORTAL_CLIENT_ID.';
const DEVICE_ENDPOINTS = ['device_authorization_endpoint'];
const DEVICE_ADVICE =
  'Enable the device authorization grant (RFC 8628) at the issuer, or unset CLI_CLIENT_ID.';

function offers(members: Members, needed: readonly string[], advice: string): Finding {
  const lacking = needed.filter((name) => typeof members[name] !== 'string');
  return finding(lacking.length === 0, `the issuer lacks ${lacking.join(', ') || 'nothing'}`, advice);
}

/** Nobody is signed in, so one of these errors is the best answer (OpenID Connect Core, section 3.1.2.6). */
const SIGN_IN_NEEDED = /^$|^(?:login|interaction|consent|account_selection)_required$/;

/** Starts a sign-in that shows no page: an issuer that knows the redirect URI sends the browser back to it. */
async function tryRedirect(
  members: Members,
  { clientId, scope, requestParameters }: PortalConfig,
  publicUrl: string | null,
): Promise<string | Finding> {
  if (publicUrl === null) return 'not tried, because PUBLIC_URL is not set';
  const { authorization_endpoint: endpoint } = members;
  if (typeof endpoint !== 'string') return 'not tried, because the issuer lacks authorization_endpoint';
  const redirectUri = `${publicUrl}/portal/sign-in/callback`;
  const address = new URL(endpoint);
  const parameters = {
    ...{ ...Object.fromEntries(requestParameters), client_id: clientId, response_type: 'code', scope },
    ...{ redirect_uri: redirectUri, state: 'doctor', nonce: 'doctor', prompt: 'none' },
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  const answer = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  await answer.body?.cancel();
  const location = answer.headers.get('location') ?? '';
  const isKnown = location.startsWith(redirectUri);
  const error = isKnown ? (new URL(location).searchParams.get('error') ?? '') : '';
  return finding(
    isKnown ? SIGN_IN_NEEDED.test(error) : answer.status < 400,
    `the issuer answers a sign-in with ${redirectUri} with ${answer.status} ${error}`.trim(),
    `Register exactly this redirect URI for the client ${clientId} at the issuer, with PKCE; check PORTAL_SCOPE and AUTH_REQUEST_PARAMETERS.`,
  );
}
