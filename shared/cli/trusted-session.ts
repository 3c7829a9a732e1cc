import { isMembers } from '../package/schema/read-members.ts';
import { isGuid } from '../package/schema/schema-parts.ts';
import { CannotRunError, reasonOf } from './exit-codes.ts';
import { moduleIdOf } from './module-id.ts';
import { answered, openClient, openVendor, type ServerFlags, type VendorSession } from './server.ts';
import { headerSecret, readSettings, requiredSetting, type Cli, type Environment } from './settings.ts';
import { isSecure } from './sign-in/fetch-json.ts';

const TIMEOUT_MS = 30_000;

/**
 * A client of the server as a trusted publisher of the module that a descriptor names: with the access token for which
 * the server exchanges the token of this CI run.
 * @throws CannotRunError where there is no token, or the server refuses it
 */
export async function openTrusted(
  cli: Cli,
  flags: ServerFlags & { readonly audience?: string },
  descriptor: Buffer | undefined,
): Promise<VendorSession> {
  if (flags.token !== undefined) throw new CannotRunError('Use --trusted or --token, not both.');
  const moduleId = descriptor === undefined ? null : moduleIdOf(descriptor);
  if (moduleId === null)
    throw new CannotRunError(
      'A trusted publisher imports one module: moduleSchema.json must have its ID as "moduleId". Import the module once with a token of your own to get an ID.',
    );
  const settings = await readSettings(cli, { server: flags.server, organization: flags.org });
  // Before the exchange, because a token can be exchanged once.
  if (!isGuid(requiredSetting(settings, 'organization')))
    throw new CannotRunError(
      'A trusted publisher names its organization by its ID. Use the ID, which is in the address of your portal, in --org or MODULECTL_ORG.',
    );
  const token = await readCiToken(cli.environment.ciToken, flags.audience ?? settings.server ?? '');
  // It has to be kept as secret as an access token: the same rules say where it may be sent.
  const client = openClient({ ...settings, token });
  const call = client.POST('/api/v8.0/trusted-publishing/token', { body: { token, moduleId } });
  const { accessToken } = await answered(call);
  return openVendor(cli, { ...flags, token: accessToken });
}

/** The token of this CI run, for the audience where it can be chosen. */
async function readCiToken(
  { token, requestUrl, requestToken }: Environment['ciToken'],
  audience: string,
): Promise<string> {
  if (token !== null) return token;
  if (requestUrl !== null && requestToken !== null) return fetchToken(requestUrl, requestToken, audience);
  throw new CannotRunError(
    'This is not a CI run with a token. In GitHub Actions, give the job the permission id-token: write. In GitLab ' +
      'CI/CD, declare MODULECTL_ID_TOKEN under id_tokens. Elsewhere, put the token into MODULECTL_ID_TOKEN.',
  );
}

/** Messages contain neither the credential nor the token. */
async function fetchToken(url: string, credential: string, audience: string): Promise<string> {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || !isSecure(address))
    throw new CannotRunError('ACTIONS_ID_TOKEN_REQUEST_URL must start with https://.');
  address.searchParams.set('audience', audience);
  const authorization = `Bearer ${headerSecret('value of ACTIONS_ID_TOKEN_REQUEST_TOKEN', credential)}`;
  const response = await fetch(address, {
    headers: { Authorization: authorization, Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new CannotRunError(`GitHub does not answer with a token: ${reasonOf(error)}.`);
  });
  const body: unknown = response.ok ? await response.json().catch(() => null) : null;
  const token = isMembers(body) ? body['value'] : null;
  if (typeof token === 'string') return token;
  throw new CannotRunError(`GitHub did not answer with a token, but with status ${response.status}.`);
}
