import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from '../../client/openapi-types.ts';
import { CannotRunError } from '../exit-codes.ts';
import { ServerError } from '../server-address.ts';
import { answered } from '../server.ts';
import type { KeySession } from './module-key.ts';

/** A change, as the server lists it. */
export type Change = components['schemas']['Change'];

/** A part of the feed. */
export type ChangePage = components['schemas']['Changes'];

/** Which changes are read. */
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
export async function* followChanges(session: KeySession, followed: Followed): AsyncGenerator<ChangePage> {
  let page = await readPage(session, followed, { cursor: followed.cursor, waitSeconds: 0 });
  let failures = 0;
  for (;;) {
    if (failures === 0) yield page;
    if (followed.isOnce && !page.hasMore) return;
    try {
      const waitSeconds = page.hasMore ? 0 : WAIT_SECONDS;
      page = await readPage(session, followed, { cursor: page.nextCursor, waitSeconds });
      failures = 0;
    } catch (error) {
      if (!(error instanceof ServerError && error.isTemporary)) throw error;
      const pause = Math.min(2 ** failures, LONGEST_PAUSE_SECONDS);
      failures += 1;
      followed.onOutage(error.message, pause);
      await sleep(pause * 1_000);
    }
  }
}

interface PageRequest {
  readonly cursor: string | null;
  readonly waitSeconds: number;
}

async function readPage(
  { client, moduleId }: KeySession,
  { types }: Followed,
  { cursor, waitSeconds }: PageRequest,
): Promise<ChangePage> {
  const call = client.GET('/api/v8.0/Alerts/ChangesByModuleId/{moduleId}', {
    params: {
      path: { moduleId },
      query: { ...(cursor !== null && { cursor }), ...(types !== undefined && { types }) },
      header: waitSeconds > 0 ? { Prefer: `wait=${waitSeconds}` } : {},
    },
    headers: { Accept: 'application/json' },
  });
  const page = await answered(call).catch((error: unknown) => {
    if (error instanceof ServerError && error.status === GONE)
      throw new CannotRunError(
        `${error.message}\nStart anew with --cursor latest, and have your back end read everything again.`,
      );
    throw error;
  });
  if (!('items' in page)) throw new CannotRunError('The server did not answer with changes.');
  return page;
}
