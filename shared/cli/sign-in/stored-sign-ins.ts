import { rm } from 'node:fs/promises';
import { isMembers, parseMembers } from '../../package/schema/read-members.ts';
import { CannotRunError, reasonOf } from '../exit-codes.ts';
import {
  isReadableByOthers,
  makePrivateCommand,
  readSettings,
  requiredSetting,
  type Cli,
  type Settings,
} from '../settings.ts';
import { inTurn, readIfExists, writePrivate } from '../temporary.ts';
import { refreshTokens, type IssuedTokens } from './device-grant.ts';
import { secureAddress } from './fetch-json.ts';

/** Tokens are refreshed a little before they expire, so that a call does not start with one that ends on its way. */
const MARGIN_MS = 60_000;

/** A sign-in as it is stored; its tokens are for one server alone. */
export interface StoredSignIn extends IssuedTokens {
  readonly clientId: string;
  readonly tokenEndpoint: string;
  /** The organization of later commands; null if they name one. */
  readonly organization: string | null;
}

/** Settings that may have the token of a sign-in, which expires while a long command runs. */
export interface SignedInSettings extends Settings {
  /** The token for the next call, refreshed where that is due. @throws CannotRunError as `withSignIn` does */
  readonly currentToken?: () => Promise<string>;
}

/** Sign-ins by the address of their server, the last one at the end. */
export type StoredSignIns = Readonly<Record<string, StoredSignIn>>;

/** The stored sign-ins. @throws CannotRunError if the file cannot be read, or others can read it too */
export async function readSignIns(file: string): Promise<StoredSignIns> {
  const text = await readIfExists(file);
  if (text === null) return {};
  if (await isReadableByOthers(file))
    throw new CannotRunError(`Other users can read the tokens in ${file}. Run: ${makePrivateCommand(file)}`);
  // An invalid file counts as none: the next sign-in replaces it.
  return Object.fromEntries(
    Object.entries(parseMembers(text) ?? {}).flatMap(([server, value]) => {
      const signIn = signInOf(value);
      return signIn === null ? [] : [[server, signIn]];
    }),
  );
}

function signInOf(value: unknown): StoredSignIn | null {
  if (!isMembers(value)) return null;
  const { clientId, tokenEndpoint, organization, accessToken, refreshToken, expiresAtMs } = value;
  const isText = (each: unknown): each is string => typeof each === 'string';
  if (!isText(clientId) || !isText(tokenEndpoint) || !isText(accessToken)) return null;
  return {
    clientId,
    tokenEndpoint,
    accessToken,
    organization: isText(organization) ? organization : null,
    refreshToken: isText(refreshToken) ? refreshToken : null,
    expiresAtMs: typeof expiresAtMs === 'number' ? expiresAtMs : null,
  };
}

/** Changes the stored sign-ins, one command after the other. @throws CannotRunError if they cannot be read or written */
export async function changeSignIns(
  file: string,
  change: (signIns: StoredSignIns) => StoredSignIns,
): Promise<void> {
  await inTurn(file, async () => writeSignIns(file, change(await readSignIns(file))));
}

/** Stores sign-ins for this user alone. @throws CannotRunError if they cannot be written */
async function writeSignIns(file: string, signIns: StoredSignIns): Promise<void> {
  if (Object.keys(signIns).length > 0) await writePrivate(file, `${JSON.stringify(signIns, null, 2)}\n`);
  else
    await rm(file, { force: true }).catch((error: unknown) => {
      throw new CannotRunError(`Cannot write ${file}: ${reasonOf(error)}.`);
    });
}

/**
 * Settings with the token and the organization of the sign-in for their server, where they are not set otherwise. If
 * neither server nor token is set, the last sign-in has the server.
 * @throws CannotRunError if the sign-in has expired and cannot be refreshed.
 */
export async function withSignIn(
  settings: Settings,
  { environment }: Pick<Cli, 'environment'>,
): Promise<SignedInSettings> {
  const { token, organization } = settings;
  if (token !== null && (organization !== null || settings.server === null)) return settings;
  const file = environment.signInsFile;
  const signIns = await readSignIns(file);
  const server = settings.server ?? lastServer(signIns);
  const signIn = server === null ? undefined : signIns[server];
  if (server === null || signIn === undefined) return settings;
  const found = { server, organization: organization ?? signIn.organization };
  if (token !== null) return { ...found, token };
  const current = () => currentToken(file, server, signIn);
  return { ...found, token: await current(), currentToken: current };
}

/** The address of the server that is set, else of the last sign-in. @throws CannotRunError if there is neither */
export async function serverInForce(
  cli: Pick<Cli, 'environment' | 'output'>,
  flag?: string,
): Promise<string> {
  const settings = await readSettings(cli, { server: flag });
  if (settings.server !== null) return settings.server;
  const signedIn = lastServer(await readSignIns(cli.environment.signInsFile));
  return signedIn ?? requiredSetting(settings, 'server');
}

/** The server of the last sign-in; null if there is none. */
export function lastServer(signIns: StoredSignIns): string | null {
  return Object.keys(signIns).at(-1) ?? null;
}

async function currentToken(file: string, server: string, signIn: StoredSignIn): Promise<string> {
  if (isCurrent(signIn)) return signIn.accessToken;
  const isUsable = (signIn.expiresAtMs ?? 0) > Date.now();
  const expired = new CannotRunError(
    `The sign-in to ${server} has expired. Run: modulectl login --server ${server}`,
  );
  try {
    return await inTurn(file, async () => {
      // Another command may have refreshed or removed it meanwhile: some issuers accept a refresh token once.
      const signIns = await readSignIns(file);
      const stored = signIns[server];
      if (stored === undefined) throw expired;
      if (isCurrent(stored)) return stored.accessToken;
      if (stored.refreshToken === null) throw expired;
      const endpoint = secureAddress(stored.tokenEndpoint, 'The issuer');
      const issued = await refreshTokens(endpoint, stored.clientId, stored.refreshToken);
      if (issued === null) throw expired;
      await writeSignIns(file, { ...signIns, [server]: { ...stored, ...issued } });
      return issued.accessToken;
    });
  } catch (error) {
    if (isUsable) return signIn.accessToken;
    throw error;
  }
}

function isCurrent({ expiresAtMs }: StoredSignIn): boolean {
  return expiresAtMs === null || expiresAtMs - MARGIN_MS > Date.now();
}
