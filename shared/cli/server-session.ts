import { createApiClient } from '../client/api-client.ts';
import type { ApiClient } from '../client/api-client.ts';
import { refuseOpenToken } from './server-request.ts';
import type { Cli } from './cli.ts';
import { CannotRunError } from './exit-codes.ts';
import type { ServerFlags } from './server-flags.ts';
import { readSettings } from './settings.ts';

/** A server, and who asks it. */
export interface ServerSession {
  /** Without a trailing slash. */
  readonly server: string;
  readonly token: string;
  readonly client: ApiClient;
}

/** A session of one organization. */
export interface VendorSession extends ServerSession {
  readonly organizationId: string;
}

function missing(what: string, flag: string, variable: string, member: string): CannotRunError {
  return new CannotRunError(
    `${what} is not set. Give ${flag}, set ${variable}, or write ${member} into the config file.`,
  );
}

/**
 * The server that is set, with a client that shows the token to it.
 * @throws CannotRunError where server or token is not set, or the token would travel in the open.
 */
export async function openServer(cli: Cli, flags: ServerFlags): Promise<ServerSession> {
  const { server, token } = await settingsOf(cli, flags);
  if (server === null) throw missing('The server', '--server', 'MODULECTL_SERVER', 'server');
  if (token === null) throw missing('The token', '--token', 'MODULECTL_TOKEN', 'token');
  refuseOpenToken(new URL(server));
  return { server, token, client: createApiClient(server, { token }) };
}

/** The same, of the organization that is set. @throws CannotRunError where something is not set. */
export async function openVendor(cli: Cli, flags: ServerFlags): Promise<VendorSession> {
  const session = await openServer(cli, flags);
  const { organization } = await settingsOf(cli, flags);
  if (organization === null) throw missing('Your organization', '--org', 'MODULECTL_ORG', 'organization');
  return { ...session, organizationId: organization };
}

async function settingsOf(cli: Cli, { server, token, org }: ServerFlags) {
  return readSettings(cli, {
    ...(server !== undefined && { server }),
    ...(token !== undefined && { token }),
    ...(org !== undefined && { organization: org }),
  });
}
