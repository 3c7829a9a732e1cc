import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { PartProblem } from '../../shared/process/part-problem.ts';
import { discoverIssuer } from './discover-issuer.ts';

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

const TIMEOUT_MS = 5_000;
/** How often unknown keys are looked for: after a rotation the first tokens with the new key wait for at most this long. */
const COOLDOWN_MS = 5_000;

/**
 * Finds the keys of an issuer by its discovery document (OpenID Connect Discovery, 4). The document is fetched when the
 * first token comes, and again after a failure: so the service starts before its issuer, and survives its outages.
 * @throws PartProblem while the issuer does not give them
 */
export function issuerKeys(issuer: string): JWTVerifyGetKey {
  let discovered: Promise<RemoteKeys> | null = null;
  return async (header, token) => {
    discovered ??= discoverKeys(issuer);
    const current = discovered;
    let keys: RemoteKeys | null = null;
    try {
      keys = await current;
      return await keys(header, token);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // Anybody can send an unknown key: during an outage it does not discard the keys of valid tokens. Of requests that
      // failed together, the first begins anew.
      if (keys?.fresh !== true && discovered === current) discovered = null;
      throw error instanceof PartProblem
        ? error
        : new PartProblem({ problem: `The keys of ${issuer} cannot be fetched.`, advice: null }, error);
    }
  };
}

async function discoverKeys(issuer: string): Promise<RemoteKeys> {
  const { jwksUri } = await discoverIssuer(issuer);
  return createRemoteJWKSet(new URL(jwksUri), { timeoutDuration: TIMEOUT_MS, cooldownDuration: COOLDOWN_MS });
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
