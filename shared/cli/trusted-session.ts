import { readCiToken } from './ci-token.ts';
import { CannotRunError } from './exit-codes.ts';
import { answered, openClient, openVendor, type ServerFlags, type VendorSession } from './server.ts';
import { readSettings, type Cli } from './settings.ts';

/** Flags of an import by a trusted publisher. */
export interface TrustedFlags extends ServerFlags {
  readonly audience?: string;
}

const DESCRIPTOR = 'moduleSchema.json';

/**
 * A client of the server as a trusted publisher of the module that a descriptor names: with the access token for which
 * the server exchanges the token of this CI run.
 * @throws CannotRunError where there is no token, or the server refuses it
 */
export async function openTrusted(
  cli: Cli,
  flags: TrustedFlags,
  descriptor: Buffer | undefined,
): Promise<VendorSession> {
  if (flags.token !== undefined) throw new CannotRunError('Use --trusted or --token, not both.');
  const moduleId = moduleIdOf(descriptor);
  const settings = await readSettings(cli, { server: flags.server });
  const token = await readCiToken(cli.environment.ciToken, flags.audience ?? settings.server ?? '');
  // It has to be kept as secret as an access token: the same rules say where it may be sent.
  const client = openClient({ ...settings, token });
  const call = client.POST('/api/v8.0/trusted-publishing/token', { body: { token, moduleId } });
  const { accessToken } = await answered(call);
  return openVendor(cli, { ...flags, token: accessToken });
}

function moduleIdOf(descriptor: Buffer | undefined): string {
  const moduleId =
    descriptor === undefined ? null : memberOf(descriptor.toString('utf8').replace(/^\uFEFF/, ''));
  if (typeof moduleId === 'string' && moduleId !== '') return moduleId;
  throw new CannotRunError(
    `A trusted publisher imports one module: ${DESCRIPTOR} must have its ID as "moduleId". Import the module once with a token of your own to get an ID.`,
  );
}

function memberOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'moduleId' in value ? value.moduleId : null;
  } catch {
    return null;
  }
}
