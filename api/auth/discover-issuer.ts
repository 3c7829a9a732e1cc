import { withoutEndSlashes } from '../../shared/config/without-end-slashes.ts';
import { networkProblem, shownAddress } from '../../shared/process/network-problem.ts';
import { PartProblem } from '../../shared/process/part-problem.ts';
import { isObject } from '../http/schema.ts';

const TIMEOUT_MS = 5_000;

/** A JSON object of an issuer. */
export interface IssuerAnswer {
  readonly members: Readonly<Record<string, unknown>>;
  /** The issuer's clock when it answered, to the second; null if it is not known. */
  readonly answeredAt: Date | null;
}

/** Fetches a JSON object of an issuer. */
export type FetchJson = (address: string) => Promise<IssuerAnswer>;

/** An issuer's metadata (OpenID Connect Discovery, section 3). */
export interface IssuerDocument extends IssuerAnswer {
  readonly jwksUri: string;
}

/** Fetches the discovery document of an issuer. @throws PartProblem, or what `fetchJson` throws */
export async function discoverIssuer(
  issuer: string,
  fetchJson: FetchJson = fetchIssuerJson,
): Promise<IssuerDocument> {
  const address = `${withoutEndSlashes(issuer)}/.well-known/openid-configuration`;
  const answer = await fetchJson(address);
  const { issuer: own, jwks_uri: jwksUri } = answer.members;
  if (own !== issuer) throw otherIssuer(issuer, own);
  if (typeof jwksUri === 'string' && URL.canParse(jwksUri)) return { ...answer, jwksUri };
  throw new PartProblem({
    problem: `${address} has no jwks_uri.`,
    advice: 'AUTH_ISSUER must be an OpenID Connect issuer.',
  });
}

/** Fetches a JSON object from AUTH_ISSUER. @throws PartProblem */
export async function fetchIssuerJson(address: string): Promise<IssuerAnswer> {
  const shown = shownAddress(address);
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: unknown) => {
    throw (
      networkProblem(error, { address: shown, setting: 'AUTH_ISSUER' }) ??
      new PartProblem(
        {
          problem: `${shown} cannot be fetched.`,
          advice: 'Check AUTH_ISSUER, and that this host reaches it.',
        },
        error,
      )
    );
  });
  if (!answer.ok)
    throw new PartProblem({
      problem: `${shown} answers with ${answer.status}.`,
      advice: 'Check the path in AUTH_ISSUER.',
    });
  const members: unknown = await answer.json().catch(() => null);
  if (!isObject(members))
    throw new PartProblem({
      problem: `${shown} does not answer with a JSON object.`,
      advice: 'Check AUTH_ISSUER.',
    });
  const date = Date.parse(answer.headers.get('date') ?? '');
  return { members, answeredAt: Number.isNaN(date) ? null : new Date(date) };
}

/** Issuers are compared as texts (OpenID Connect Discovery, 4.3): a slash at the end makes another one. */
function otherIssuer(configured: string, found: unknown): PartProblem {
  if (typeof found !== 'string')
    return new PartProblem({
      problem: `${configured} has a discovery document without an issuer.`,
      advice: 'AUTH_ISSUER must be an OpenID Connect issuer.',
    });
  const shown = found.slice(0, 200);
  const difference =
    withoutEndSlashes(found) === withoutEndSlashes(configured) ? ', with exactly its slash at the end' : '';
  return new PartProblem({
    problem: `The issuer at ${configured} calls itself ${shown}.`,
    advice: `Set AUTH_ISSUER=${shown}${difference}.`,
  });
}
