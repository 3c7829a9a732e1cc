import { isMembers } from '../../package/schema/read-members.ts';
import { CannotRunError } from '../exit-codes.ts';
import { fetchJson, secureAddress } from './fetch-json.ts';

/** Where and how people sign in for a server. */
export interface SignInService {
  readonly clientId: string;
  readonly scope: string;
  /** The issuer's own parameters, beside the standard ones. */
  readonly requestParameters: Readonly<Record<string, string>>;
  readonly deviceEndpoint: string;
  readonly tokenEndpoint: string;
}

const OTHER_WAY = 'Get a token from your platform, and set MODULECTL_TOKEN.';

/**
 * Finds the issuer of a server by its metadata (RFC 9728), and what the issuer offers (OpenID Connect Discovery).
 * @throws CannotRunError if nobody can sign in there from a command line.
 */
export async function findSignInService(server: string): Promise<SignInService> {
  secureAddress(server, 'The server');
  const { status, body } = await fetchJson(`${server}/.well-known/oauth-protected-resource`);
  if (status !== 200) throw new CannotRunError(`${server} does not say where to sign in. ${OTHER_WAY}`);
  const { resource, authorization_servers: issuers, modulectl } = body;
  // RFC 9728, 3.3: metadata of another resource must not be used.
  if (normalAddress(resource) !== normalAddress(server))
    throw new CannotRunError(
      `The server says that its address is ${String(resource)}, not ${server}. Use that one with --server if you trust it.`,
    );
  const issuer: unknown = Array.isArray(issuers) ? issuers[0] : null;
  if (!isMembers(modulectl) || typeof modulectl['client_id'] !== 'string' || typeof issuer !== 'string')
    throw new CannotRunError(
      `modulectl cannot sign in to ${server}: it names no client for that. ${OTHER_WAY}`,
    );
  const { client_id: clientId, scope, request_parameters: parameters } = modulectl;
  return {
    clientId,
    scope: typeof scope === 'string' ? scope : 'openid',
    requestParameters: textsOf(parameters),
    ...(await endpointsOf(issuer)),
  };
}

function normalAddress(value: unknown): string | null {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value).href.replace(/\/$/, '') : null;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const members = isMembers(value) ? Object.entries(value) : [];
  return Object.fromEntries(members.filter((each): each is [string, string] => typeof each[1] === 'string'));
}

async function endpointsOf(issuer: string): Promise<Pick<SignInService, 'deviceEndpoint' | 'tokenEndpoint'>> {
  secureAddress(issuer, 'The issuer');
  const base = issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
  const { status, body } = await fetchJson(`${base}/.well-known/openid-configuration`);
  // OpenID Connect Discovery, 4.3: the same text, or it is another issuer's.
  if (status !== 200 || body['issuer'] !== issuer)
    throw new CannotRunError(`${issuer} is not an OpenID Connect issuer. ${OTHER_WAY}`);
  const { device_authorization_endpoint: device, token_endpoint: token } = body;
  if (device === undefined)
    throw new CannotRunError(`The issuer ${issuer} offers no sign-in from a command line. ${OTHER_WAY}`);
  return {
    deviceEndpoint: secureAddress(device, 'The issuer'),
    tokenEndpoint: secureAddress(token, 'The issuer'),
  };
}
