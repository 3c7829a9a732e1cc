import { CannotRunError } from '../exit-codes.ts';
import { ServerError } from '../server-address.ts';
import type { Cli, Settings } from '../settings.ts';
import { refreshTokens } from './device-grant.ts';
import { secureAddress } from './fetch-json.ts';
import {
  readSignIns,
  signInsFile,
  writeSignIns,
  type StoredSignIn,
  type StoredSignIns,
} from './stored-sign-ins.ts';

/** Tokens are refreshed a little before they expire, so that a call does not start with one that ends on its way. */
const MARGIN_MS = 60_000;

/**
 * Settings with the token and the organization of the sign-in for their server, where they are not set otherwise. If
 * neither server nor token is set, the only sign-in has the server.
 * @throws CannotRunError if the sign-in has expired and cannot be refreshed.
 */
export async function withSignIn(
  settings: Settings,
  { environment }: Pick<Cli, 'environment'>,
): Promise<Settings> {
  const { token, organization } = settings;
  if (token !== null && (organization !== null || settings.server === null)) return settings;
  const file = signInsFile(environment.configFile);
  const signIns = await readSignIns(file);
  const server = settings.server ?? onlyServer(signIns);
  const signIn = server === null ? undefined : signIns[server];
  if (server === null || signIn === undefined) return settings;
  return {
    server,
    token: token ?? (await currentToken(file, server, signIn)),
    organization: organization ?? signIn.organization,
  };
}

/** The server of the only sign-in; null if there is none, or there are several. */
export function onlyServer(signIns: StoredSignIns): string | null {
  const [server = null, other] = Object.keys(signIns);
  return other === undefined ? server : null;
}

async function currentToken(file: string, server: string, signIn: StoredSignIn): Promise<string> {
  const { accessToken, refreshToken, expiresAtMs, clientId, tokenEndpoint } = signIn;
  const nowMs = Date.now();
  if (expiresAtMs === null || expiresAtMs - MARGIN_MS > nowMs) return accessToken;
  const expired = new CannotRunError(
    `The sign-in to ${server} has expired. Run: modulectl login --server ${server}`,
  );
  if (refreshToken === null) {
    if (expiresAtMs > nowMs) return accessToken;
    throw expired;
  }
  try {
    const issued = await refreshTokens(secureAddress(tokenEndpoint, 'The issuer'), clientId, refreshToken);
    await writeSignIns(file, { ...(await readSignIns(file)), [server]: { ...signIn, ...issued } });
    return issued.accessToken;
  } catch (error) {
    if (expiresAtMs > nowMs) return accessToken;
    if (error instanceof ServerError) throw error;
    // Another command may have used the refresh token at the same time: some issuers accept it once.
    const other = (await readSignIns(file))[server];
    if (other !== undefined && (other.expiresAtMs ?? 0) > nowMs) return other.accessToken;
    throw expired;
  }
}
