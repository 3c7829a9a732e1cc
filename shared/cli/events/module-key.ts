import { readFile } from 'node:fs/promises';
import { createApiClient, type ApiClient } from '../../client/api-client.ts';
import { DESCRIPTOR_PATH } from '../../package/layout/layout.ts';
import { isMembers } from '../../package/schema/read-members.ts';
import { CannotRunError } from '../exit-codes.ts';
import { isSecure } from '../server-address.ts';
import { readSettings, type Cli } from '../settings.ts';

/** Flags that select the server, the module and its key. */
export interface KeyFlags {
  readonly server?: string;
  readonly module?: string;
  readonly key?: string;
}

/** A client that calls as the back end of a module does. */
export interface KeySession {
  readonly server: string;
  readonly moduleId: string;
  readonly client: ApiClient;
}

/** A client with the key of a module. @throws CannotRunError if the server, the module or the key is not set */
export async function openModule(cli: Cli, flags: KeyFlags): Promise<KeySession> {
  const { server } = await readSettings(cli, { server: flags.server });
  if (server === null) throw missing('server', 'Use --server or set MODULECTL_SERVER.');
  const apiKey = flags.key ?? cli.environment.apiKey;
  if (apiKey === null) throw missing('API key', 'Set MODULECTL_KEY. To make one, run: modulectl keys create');
  if (!isSecure(new URL(server)))
    throw new CannotRunError('The key is not sent over http, where others can read it. Use https.');
  const moduleId = flags.module ?? cli.environment.module ?? (await moduleOfFolder());
  if (moduleId === null)
    throw missing('module', 'Use --module, set MODULECTL_MODULE, or run this in the folder of its package.');
  return { server, moduleId, client: createApiClient(server, { apiKey }) };
}

function missing(what: string, help: string): CannotRunError {
  return new CannotRunError(`No ${what} is set. ${help}`);
}

/** The ID in the descriptor of the current folder; null: there is none. */
async function moduleOfFolder(): Promise<string | null> {
  try {
    const value: unknown = JSON.parse(await readFile(DESCRIPTOR_PATH, 'utf8'));
    const moduleId = isMembers(value) ? value['moduleId'] : null;
    return typeof moduleId === 'string' && moduleId !== '' ? moduleId : null;
  } catch {
    return null;
  }
}
