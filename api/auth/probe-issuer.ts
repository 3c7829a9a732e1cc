import { importJWK, type JWK } from 'jose';
import type { Config } from '../../shared/config/config.ts';
import { clockFinding } from '../../shared/process/clock-step.ts';
import { tryStep, type Finding, type ProbeStep } from '../../shared/process/probe-step.ts';
import { ALGORITHMS } from './access-token.ts';
import { discoverIssuer, fetchIssuerJson, type IssuerDocument } from './discover-issuer.ts';
import { tryClient, tryRedirect } from './probe-portal-client.ts';

/** Tries what the service needs of its issuer. Nobody is signed in. Never throws. */
export async function probeIssuer(
  issuer: string,
  { portal, cli, server }: Pick<Config, 'portal' | 'cli' | 'server'>,
): Promise<readonly ProbeStep[]> {
  let found: IssuerDocument | undefined;
  const discovery = await tryStep('discovery', async () => {
    found = await discoverIssuer(issuer);
    return `the issuer calls itself ${issuer}, as AUTH_ISSUER does`;
  });
  if (found === undefined) return [discovery];
  const { members, jwksUri, answeredAt } = found;
  const steps = [
    discovery,
    await tryStep('keys', () => tryKeys(jwksUri)),
    await tryStep('transport', () => Promise.resolve(transportFinding(issuer, jwksUri))),
    await tryStep('clock', () => Promise.resolve(dateFinding(answeredAt))),
  ];
  if (portal !== null) {
    const redirectUri = `${server.publicUrl ?? 'PUBLIC_URL'}/portal/sign-in/callback`;
    steps.push(
      await tryStep('portal', () => Promise.resolve(portalFinding(members, redirectUri))),
      await tryStep('portal client', () => tryClient(members, portal, redirectUri)),
      await tryStep('redirect URI', () => tryRedirect(members, portal, server.publicUrl, redirectUri)),
      await tryStep('sign-out', () => Promise.resolve(signOutFinding(members))),
    );
  }
  if (cli !== null) steps.push(await tryStep('modulectl', () => Promise.resolve(deviceFinding(members))));
  return steps;
}

async function tryKeys(jwksUri: string): Promise<Finding> {
  const { members } = await fetchIssuerJson(jwksUri);
  const keys: unknown[] = Array.isArray(members['keys']) ? members['keys'] : [];
  const usable = (await Promise.all(keys.map(isUsable))).filter(Boolean);
  if (usable.length > 0) return `${usable.length} of ${keys.length} keys can verify tokens`;
  return {
    ok: false,
    detail: `None of the ${keys.length} keys at ${jwksUri} can verify tokens.`,
    advice: `Let the issuer sign with one of ${ALGORITHMS.join(', ')}.`,
  };
}

/** For each type of key an algorithm, where the key itself names none. */
const STANDARD_ALGORITHM: Readonly<Record<string, string>> = { RSA: 'RS256', OKP: 'EdDSA' };

async function isUsable(key: unknown): Promise<boolean> {
  if (!isKey(key) || key.use === 'enc') return false;
  const { kty, crv = 'P-256' } = key;
  const algorithm = key.alg ?? STANDARD_ALGORITHM[kty] ?? `ES${crv.replace('P-', '').replace('521', '512')}`;
  if (kty === 'oct' || !ALGORITHMS.includes(algorithm)) return false;
  return importJWK(key, algorithm).then(
    () => true,
    () => false,
  );
}

function isKey(key: unknown): key is JWK & { readonly kty: string } {
  return typeof key === 'object' && key !== null && 'kty' in key && typeof key.kty === 'string';
}

function transportFinding(issuer: string, jwksUri: string): Finding {
  const plain = [issuer, jwksUri].filter((address) => new URL(address).protocol !== 'https:');
  if (plain.length === 0) return 'TLS';
  return {
    ok: true,
    detail: `${plain.join(' and ')} is not protected by TLS.`,
    advice:
      'Put TLS in front of the issuer: who changes its answers on the way signs tokens for everybody. Production requires https:// in AUTH_ISSUER, except for loopback addresses.',
  };
}

function dateFinding(answeredAt: Date | null): Finding {
  if (answeredAt === null) return 'the answer has no Date';
  // The header has whole seconds: on average its half is over.
  return clockFinding(answeredAt.getTime() + 500 - Date.now(), 'the issuer');
}

function portalFinding(members: IssuerDocument['members'], redirectUri: string): Finding {
  const lacking = ['authorization_endpoint', 'token_endpoint'].filter(
    (name) => typeof members[name] !== 'string',
  );
  const methods: unknown = members['code_challenge_methods_supported'];
  if (Array.isArray(methods) && !methods.includes('S256')) lacking.push('PKCE with S256');
  if (lacking.length === 0) return `register the redirect URI ${redirectUri}`;
  return {
    ok: false,
    detail: `The issuer does not offer ${lacking.join(', ')}, which signing in to the portal needs.`,
    advice: 'Enable the authorization code flow with PKCE at the issuer, or unset PORTAL_CLIENT_ID.',
  };
}

function signOutFinding(members: IssuerDocument['members']): Finding {
  if (typeof members['end_session_endpoint'] !== 'string')
    return {
      ok: true,
      detail:
        'The issuer offers no sign-out (end_session_endpoint): the next sign-in may not ask for a password.',
      advice: 'Enable RP-initiated logout at the issuer where it has it.',
    };
  return members['backchannel_logout_supported'] === true
    ? 'at the issuer too, which also can end sessions here'
    : 'at the issuer too';
}

function deviceFinding(members: IssuerDocument['members']): Finding {
  if (typeof members['device_authorization_endpoint'] === 'string')
    return 'the device authorization grant is offered';
  return {
    ok: false,
    detail: 'The issuer does not offer the device authorization grant, which modulectl login needs.',
    advice: 'Enable it at the issuer (RFC 8628), or unset CLI_CLIENT_ID.',
  };
}
