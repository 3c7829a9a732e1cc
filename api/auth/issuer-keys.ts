import { createRemoteJWKSet, errors } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import { withoutEndSlashes } from '../../shared/config/without-end-slashes.ts';

const TIMEOUT_MS = 5_000;
/** How often unknown keys are looked for: after a rotation the first tokens with the new key wait for at most this long. */
const COOLDOWN_MS = 5_000;

/** The issuer does not give its keys; the message says to operators why, and what to do. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/**
 * Finds the keys of an issuer by its discovery document (OpenID Connect Discovery, 4). The document is fetched when the
 * first token comes, and again after a failure: so the service starts before its issuer, and survives its outages.
 * @throws IssuerUnavailable
 */
export function issuerKeys(issuer: string): JWTVerifyGetKey {
  let discovered: Promise<JWTVerifyGetKey> | null = null;
  return async (header, token) => {
    discovered ??= discoverKeys(issuer);
    const current = discovered;
    try {
      return await (
        await current
      )(header, token);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // Of requests that failed together, the first begins anew.
      if (discovered === current) discovered = null;
      throw error instanceof IssuerUnavailable
        ? error
        : new IssuerUnavailable(`The keys of ${issuer} cannot be fetched.`, { cause: error });
    }
  };
}

async function discoverKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const address = `${withoutEndSlashes(issuer)}/.well-known/openid-configuration`;
  const document = await fetchDocument(address);
  if (document['issuer'] !== issuer) throw new IssuerUnavailable(otherIssuer(issuer, document['issuer']));
  const keys = document['jwks_uri'];
  if (typeof keys !== 'string' || !URL.canParse(keys))
    throw new IssuerUnavailable(`${address} has no jwks_uri. AUTH_ISSUER must be an OpenID Connect issuer.`);
  return createRemoteJWKSet(new URL(keys), { timeoutDuration: TIMEOUT_MS, cooldownDuration: COOLDOWN_MS });
}

async function fetchDocument(address: string): Promise<Readonly<Record<string, unknown>>> {
  const unreachable = (cause: unknown) =>
    new IssuerUnavailable(`${address} cannot be fetched. Check AUTH_ISSUER, and that this host reaches it.`, {
      cause,
    });
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: unknown) => {
    throw unreachable(error);
  });
  if (!answer.ok)
    throw new IssuerUnavailable(`${address} answers with ${answer.status}. Check the path in AUTH_ISSUER.`);
  try {
    const document: unknown = await answer.json();
    if (typeof document === 'object' && document !== null) return { ...document };
  } catch (error) {
    throw unreachable(error);
  }
  throw new IssuerUnavailable(`${address} is not a discovery document. Check AUTH_ISSUER.`);
}

/** Issuers are compared as texts (OpenID Connect Discovery, 4.3): a slash at the end makes another one. */
function otherIssuer(configured: string, found: unknown): string {
  if (typeof found !== 'string') return `${configured} has a discovery document without an issuer.`;
  const shown = found.slice(0, 200);
  const difference =
    withoutEndSlashes(found) === withoutEndSlashes(configured) ? ', with exactly its slash at the end' : '';
  return `AUTH_ISSUER is ${configured}, but the issuer there calls itself ${shown}. Set AUTH_ISSUER=${shown}${difference}.`;
}

/** Whether the keys could not be had; otherwise the token is refused. */
function isUnavailable(error: unknown): boolean {
  return (
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    !(error instanceof errors.JOSEError) ||
    error.code === 'ERR_JOSE_GENERIC'
  );
}
