import type { Request } from 'express';
import { Type } from 'typebox';
import { authorityOfKey } from '../../shared/db/access/authority.ts';
import { changeItem, cursorText } from '../../shared/db/changes/change-item.ts';
import { apiKey } from '../auth/endpoint-access.ts';
import { ok, SENT } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { limitedTime } from '../http/answer/event-stream.ts';
import { watchAuthority } from '../http/answer/watch-authority.ts';
import { preferredWait } from '../http/request/prefer.ts';
import { boolean, jsonText, listOf, namedObject, text } from '../http/schema.ts';
import { change } from './change.ts';
import { awaitPage, cursorOf, firstPage, streamChanges, typesOf } from './change-feed.ts';

const STANDARD_LIMIT = 100;
const MAX_LIMIT = 1_000;
/** The longest time that a call waits for changes: proxies and clients end requests that take longer. */
export const MAX_WAIT_SECONDS = 55;

const changes = namedObject('Changes', 'Changes that concern a module, in the order of their commits.', {
  items: listOf(change, 'The changes, oldest first. May be empty though `hasMore` is true.'),
  nextCursor: text('The cursor of the next changes, never null. Store it when the changes are processed.'),
  hasMore: boolean('Whether more changes may follow at once.'),
});

const changeEvent = namedObject('ChangeEvent', 'One event of the stream.', {
  id: text('The cursor of the change, to send as `Last-Event-ID`.'),
  event: text('The type of the change.'),
  data: jsonText(change, 'The change, as JSON.'),
});

const read = endpoint('get', '/api/v8.0/Alerts/ChangesByModuleId/{moduleId}', {
  id: 'readModuleChanges',
  summary: 'Read what changed',
  description:
    'Every change that concerns the module, in the order of the commits: installations, structures, rules, ' +
    'acknowledged alerts, revisions and keys. Changes of structures need `FarmOrganization` and those of rules and alerts ' +
    '`FarmOrganizationAlerts`, declared by the revision that the farmer sees and granted by the farmer, when the changes ' +
    'are read. `installation.changed` reports each change of what the module sees of a farmer: read that farmer anew. ' +
    'Reading again from one cursor returns the same changes. With `Prefer: wait=N` the call waits up to N seconds, at ' +
    'most 55, for a change. With `Accept: text/event-stream` changes are sent as server-sent events until the key ends or ' +
    '`maxEventStreamSeconds` of the limits are over: reconnect with `Last-Event-ID`.',
  access: apiKey,
  query: {
    cursor: text(
      'The `nextCursor` of the previous answer; `0` starts with the oldest stored change. Without it, the feed ' +
        'starts now.',
    ),
    types: text(
      'Only these types, separated by commas. Those that need a data area come with `installation.*`, which decides ' +
        'whether the module may read them.',
    ),
    limit: Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      default: STANDARD_LIMIT,
      description: 'The largest number of changes to return.',
    }),
  },
  headers: {
    Prefer: text('`wait=N` waits up to N seconds for a change (RFC 7240).'),
    'Last-Event-ID': text('For event streams: the ID of the last event, which replaces `cursor`.'),
  },
  answers: {
    200: {
      description: 'The changes.',
      forms: {
        'application/json': { schema: changes },
        'text/event-stream': { schema: changeEvent, partSchema: change },
      },
      headers: ['Preference-Applied?', 'Cache-Control?', 'X-Accel-Buffering?'],
    },
  },
  problems: ['changes-expired'],
  async handle({ api, request, response, caller, query }) {
    const isStream = request.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';
    const cursor = cursorOf((isStream ? request.get('last-event-id') : undefined) ?? query.cursor);
    const { limit = STANDARD_LIMIT } = query;
    const feed = { caller, cursor, types: typesOf(query.types), limit };
    const seconds = waitSeconds(request);
    if (!isStream && seconds === null) return ok(answerOf(await firstPage(api, request, feed)));
    const freeSlot = api.eventSlots.takeNow(caller.organizationId);
    try {
      if (isStream) {
        await streamChanges(api, request, response, feed);
        return SENT;
      }
      const time = limitedTime(response, (seconds ?? 0) * 1_000);
      const stopWatching = watchAuthority(api, authorityOfKey(caller), time.abort);
      const page = await awaitPage(api, request, feed, time.signal).finally(() => {
        stopWatching();
        time.stop();
      });
      return ok(answerOf(page), { 'Preference-Applied': `wait=${seconds ?? 0}` });
    } finally {
      freeSlot();
    }
  },
});

/** Changes, as back ends receive them. */
export const CHANGE_ENDPOINTS = tagged('Machine access', [read]);

function waitSeconds(request: Request): number | null {
  const seconds = preferredWait(request.get('prefer') ?? '');
  return seconds === null ? null : Math.min(seconds, MAX_WAIT_SECONDS);
}

function answerOf({ rows, next, hasMore }: Awaited<ReturnType<typeof firstPage>>) {
  return { items: rows.map(changeItem), nextCursor: cursorText(next), hasMore };
}
