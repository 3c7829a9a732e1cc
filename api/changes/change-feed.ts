import type { Request, Response } from 'express';
import { authorityOfKey } from '../../shared/db/access/authority.ts';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import { CHANGE_TYPES, type ChangeType } from '../../shared/db/changes/change-types.ts';
import {
  changeItem,
  cursorText,
  parseCursor,
  type ChangeCursor,
} from '../../shared/db/changes/change-item.ts';
import {
  newestCursor,
  readChanges,
  type ChangePage,
  type NeededAreas,
} from '../../shared/db/changes/read-changes.ts';
import type { ApiContext } from '../context.ts';
import { sendEvents } from '../http/answer/event-stream.ts';
import { watchAuthority } from '../http/answer/watch-authority.ts';
import { ProblemError, unavailable } from '../http/problem.ts';
import { dataAreaIdOf, type DataArea } from '../machine-access/caller.ts';
import { TYPES } from './change.ts';

/** The module and the types of the changes that a call reads. */
export interface FeedRequest {
  readonly caller: ApiKeyGrant;
  /** Null: only what changes from now on. */
  readonly cursor: ChangeCursor | null;
  readonly types: readonly ChangeType[] | null;
  readonly limit: number;
}

const DATA_AREAS: readonly DataArea[] = ['FarmOrganization', 'FarmOrganizationAlerts'];

function neededAreas(api: ApiContext): NeededAreas {
  return DATA_AREAS.map((area) => [
    dataAreaIdOf(api, area),
    TYPES.filter((type) => CHANGE_TYPES[type] === area),
  ]);
}

/** The cursor of a request. @throws ProblemError 400 for an invalid one */
export function cursorOf(cursor: string | undefined): FeedRequest['cursor'] {
  if (cursor === undefined) return null;
  const parsed = parseCursor(cursor);
  if (parsed !== null) return parsed;
  throw new ProblemError('request-invalid', 'cursor must be the nextCursor of an earlier answer, or 0.');
}

/** They decide which changes within a data area the module may read: whoever follows those needs them too. */
const OF_INSTALLATIONS = TYPES.filter((type) => type.startsWith('installation.'));

/** The types of a request. @throws ProblemError 400 for an unknown one */
export function typesOf(types: string | undefined): FeedRequest['types'] {
  if (types === undefined) return null;
  const named = types.split(',').map((name) => {
    const type = TYPES.find((each) => each === name.trim());
    if (type === undefined)
      throw new ProblemError('request-invalid', `types must be a list of ${TYPES.join(', ')}.`);
    return type;
  });
  const isWithinArea = named.some((type) => CHANGE_TYPES[type] !== null);
  return isWithinArea ? [...named, ...OF_INSTALLATIONS] : named;
}

/** The first page of changes; reads what is committed already. @throws ProblemError 401, 410 */
export async function firstPage(api: ApiContext, request: Request, feed: FeedRequest): Promise<ChangePage> {
  await api.changes.sequence();
  if (feed.cursor === null) return { rows: [], next: await newestCursor(api.database), hasMore: false };
  return nextPage(api, request, feed, feed.cursor);
}

/** The page after a cursor. @throws ProblemError 401, 410 */
export async function nextPage(
  api: ApiContext,
  request: Request,
  { caller, types, limit }: FeedRequest,
  after: ChangeCursor,
): Promise<ChangePage> {
  const query = { keyId: caller.id, moduleId: caller.moduleId, after, types, limit };
  const page = await readChanges(api.database, query, neededAreas(api));
  if (page === 'expired')
    throw new ProblemError('changes-expired', 'The changes after this cursor are no longer kept.');
  if (page !== 'key-ended') {
    const organizationIds = page.rows.flatMap(({ organizationId }) => organizationId ?? []);
    api.dataReads.note(request, { moduleId: caller.moduleId, kind: 'changes' }, organizationIds);
    return page;
  }
  // It says why; a key that was read a moment ago may still be accepted there.
  await api.apiKeys.authenticate(request);
  throw unavailable('The key has just ended.', 1);
}

/** A page with changes, or without, if there are none until the signal aborts. */
export async function awaitPage(
  api: ApiContext,
  request: Request,
  feed: FeedRequest,
  signal: AbortSignal,
): Promise<ChangePage> {
  // Before the first read: what is committed after it is noticed.
  const watch = api.changeWaiter.watch(feed.caller.moduleId);
  try {
    let page = await firstPage(api, request, feed);
    let isOver = false;
    while (page.rows.length === 0 && !isOver) {
      if (!page.hasMore) isOver = (await watch.next(signal)) === null;
      page = await nextPage(api, request, feed, page.next);
      isOver ||= signal.aborted;
    }
    return page;
  } finally {
    watch.stop();
  }
}

/**
 * Streams changes as server-sent events until the key ends or the process shuts down. Comments bear the cursor too, so
 * that a client whose module changes rarely reconnects with one that is still kept.
 */
export async function streamChanges(
  api: ApiContext,
  request: Request,
  response: Response,
  feed: FeedRequest,
): Promise<void> {
  const watch = api.changeWaiter.watch(feed.caller.moduleId);
  try {
    let page = await firstPage(api, request, feed);
    // What is read is not sent yet: a comment in between must not say that it was.
    let sent = feed.cursor ?? page.next;
    const comment = () => `: still here\nid: ${cursorText(sent)}\n\n`;
    await sendEvents(api, response, { comment }, async ({ signal, end, send }) => {
      const stopWatching = watchAuthority(api, authorityOfKey(feed.caller), end);
      try {
        for (;;) {
          const items = page.rows.map(changeItem);
          await send(items.map((item) => ({ id: item.cursor, event: item.type, data: item })));
          sent = page.next;
          if (!page.hasMore && (await watch.next(signal)) === null) break;
          if (signal.aborted) break;
          page = await nextPage(api, request, feed, page.next);
        }
        response.write(comment());
      } catch {
        // The client reconnects, and is refused or answered then.
      } finally {
        stopWatching();
      }
    });
  } finally {
    watch.stop();
  }
}
