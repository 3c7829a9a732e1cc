import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from '../../client/openapi-types.ts';
import { createApiClient, type ApiClient } from '../../client/api-client.ts';
import { DESCRIPTOR_PATH } from '../../package/layout/layout.ts';
import { isGuid } from '../../package/schema/schema-parts.ts';
import { defined } from '../command.ts';
import { CannotRunError, ServerError } from '../exit-codes.ts';
import { moduleIdOf } from '../module-id.ts';
import { answered, openVendor } from '../server.ts';
import { findModule } from '../names.ts';
import { headerSecret, type Cli } from '../settings.ts';
import { isSecure } from '../sign-in/fetch-json.ts';
import { serverInForce } from '../sign-in/stored-sign-ins.ts';

/** A client that calls as the back end of a module does. */
export interface KeySession {
  readonly server: string;
  readonly moduleId: string;
  readonly client: ApiClient;
}

/** A client with the key of a module. @throws CannotRunError if the server, the module or the key is not set */
export async function openModule(
  cli: Cli,
  flags: { readonly server?: string; readonly module?: string; readonly key?: string },
): Promise<KeySession> {
  const server = await serverInForce(cli, flags.server);
  const apiKey = flags.key ?? cli.environment.apiKey;
  if (apiKey === null) throw missing('API key', 'Set MODULECTL_KEY. To make one, run: modulectl keys create');
  if (!isSecure(new URL(server)))
    throw new CannotRunError('The key is not sent over http, where others can read it. Use https.');
  const named = flags.module ?? cli.environment.module ?? (await moduleOfFolder());
  if (named === null)
    throw missing('module', 'Use --module, set MODULECTL_MODULE, or run this in the folder of its package.');
  // Only who is signed in can list modules by name: the key cannot.
  const moduleId = isGuid(named) ? named : await findModule(await openVendor(cli, { server }), named);
  return { server, moduleId, client: createApiClient(server, { apiKey: headerSecret('API key', apiKey) }) };
}

function missing(what: string, help: string): CannotRunError {
  return new CannotRunError(`No ${what} is set. ${help}`);
}

/** The ID in the descriptor of the current folder; null: there is none. */
async function moduleOfFolder(): Promise<string | null> {
  const content = await readFile(DESCRIPTOR_PATH).catch(() => null);
  return content === null ? null : moduleIdOf(content);
}

/** A change, as the server lists it. */
export type Change = components['schemas']['Change'];

/** A part of the feed. */
export type ChangePage = components['schemas']['Changes'];

/** The filter of changes. */
export interface Followed {
  /** Null: from now on. */
  readonly cursor: string | null;
  /** Separated by commas; undefined: all. */
  readonly types: string | undefined;
  /** Whether to end when there are no more. */
  readonly isOnce: boolean;
  /** Called when the server cannot be read for now, with its reason. */
  readonly onOutage: (reason: string, waitSeconds: number) => void;
}

const WAIT_SECONDS = 50;
const LONGEST_PAUSE_SECONDS = 30;
const GONE = 410;

/**
 * The pages of a module's feed, also empty ones: their cursor is newer. After the first page, a server that does not
 * answer is tried until it does.
 * @throws CannotRunError where it refuses
 */
export async function* followChanges(
  session: KeySession,
  { cursor, types, isOnce, onOutage }: Followed,
): AsyncGenerator<ChangePage> {
  const read = async (from: string | null, waitSeconds: number) =>
    readPage(session, { ...(from !== null && { cursor: from }), ...defined({ types }) }, waitSeconds);
  let page = await read(cursor, 0);
  let failures = 0;
  for (;;) {
    if (failures === 0) yield page;
    if (isOnce && !page.hasMore) return;
    try {
      page = await read(page.nextCursor, page.hasMore ? 0 : WAIT_SECONDS);
      failures = 0;
    } catch (error) {
      if (!(error instanceof ServerError && error.isTemporary)) throw error;
      const pause = Math.max(Math.min(2 ** failures, LONGEST_PAUSE_SECONDS), error.retryAfterSeconds);
      failures += 1;
      onOutage(error.message, pause);
      await sleep(pause * 1_000);
    }
  }
}

async function readPage(
  { client, moduleId }: KeySession,
  query: { readonly cursor?: string; readonly types?: string },
  waitSeconds: number,
): Promise<ChangePage> {
  const header = waitSeconds > 0 ? { Prefer: `wait=${waitSeconds}` } : {};
  const call = client.GET('/api/v8.0/Alerts/ChangesByModuleId/{moduleId}', {
    params: { path: { moduleId }, query, header },
  });
  return answered(call).catch((error: unknown) => {
    if (error instanceof ServerError && error.status === GONE)
      throw new CannotRunError(
        `${error.message}\nStart anew with --cursor latest, and have your back end read everything again.`,
      );
    throw error;
  });
}
