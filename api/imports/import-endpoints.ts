import { Type } from 'typebox';
import type { Request, Response } from 'express';
import { cancelImport, listImports } from '../../shared/db/imports/imports.ts';
import { freeArchive } from '../../shared/db/imports/freed-archives.ts';
import { freeAndRemove } from '../../shared/storage/remove-freed.ts';
import { actorOf, type OrganizationAccess } from '../auth/access.ts';
import { vendorAdmin, vendorMember, vendorMemberOrPublisher } from '../auth/endpoint-access.ts';
import { json, NO_CONTENT, ok, SENT, present } from '../http/answer.ts';
import { endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { page, mapPage } from '../http/pagination.ts';
import { ProblemError } from '../http/problem.ts';
import { inputGuid, jsonText, namedObject, text } from '../http/schema.ts';
import { importAnswer, packageImport, readImport, STATUS_QUERY } from './import.ts';
import { importModule } from './import-module.ts';
import { mayChange } from './import-waiter.ts';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import type { ApiContext } from '../context.ts';
import { sendEvents } from '../http/answer/event-stream.ts';
import { watchAuthority } from '../http/answer/watch-authority.ts';

const path = '/api/v8.0/{orgId}/imports';

const list = listEndpoint(path, {
  id: 'listImports',
  summary: 'List imports',
  description: "Newest first. A module's imports include rejected ones whose package named it.",
  access: vendorMember,
  query: { ...STATUS_QUERY, moduleId: inputGuid('Only imports of this module.') },
  page: page(packageImport, 'imports'),
  async list({ api, caller, query: { status = null, moduleId = null } }, request) {
    const filter = { status, moduleId };
    return mapPage(await listImports(api.database, caller.organization.id, request, filter), importAnswer);
  },
});

const read = endpoint('get', `${path}/{importId}`, {
  id: 'readImport',
  summary: 'Read an import',
  access: vendorMemberOrPublisher,
  answers: { 200: json('The import.', packageImport) },
  async handle({ api, caller, path }) {
    return ok(importAnswer(await readImport(api, caller, path.importId)));
  },
});

/** An event by its fields, as clients of event streams see it. */
const importEvent = namedObject('ImportEvent', 'One event of the stream.', {
  id: text('The number of changes of the import, to send as `Last-Event-ID`.'),
  event: Type.Literal('import', { description: 'The name of the event.' }),
  data: jsonText(packageImport, 'The import, as JSON.'),
});

const watch = endpoint('get', `${path}/{importId}/events`, {
  id: 'readImportEvents',
  summary: 'Watch an import',
  description:
    'Server-sent events: `event: import` with the import as data whenever it changes, and a comment every ' +
    '15 seconds. The stream closes when the import has ended, when the token ends, or after ' +
    '`maxEventStreamSeconds` of the limits: reconnect with `Last-Event-ID`.',
  access: vendorMemberOrPublisher,
  headers: { 'Last-Event-ID': text('The ID of the last event that the client received.') },
  answers: {
    200: {
      description: 'The events.',
      forms: { 'text/event-stream': { schema: importEvent, partSchema: packageImport } },
      headers: ['Cache-Control', 'X-Accel-Buffering'],
    },
    204: { description: 'The import has ended and the client has received its last event.' },
  },
  problems: ['rate-limited'],
  async handle({ api, request, response, caller, path }) {
    // First of all: what is refused costs no query.
    const freeSlot = api.eventSlots.takeNow(caller.organization.id);
    try {
      const row = await readImport(api, caller, path.importId);
      const seenVersion = lastSeenVersion(request);
      // 204 stops an EventSource from reconnecting.
      if (!mayChange(row) && row.version === seenVersion) return NO_CONTENT;
      await streamImportEvents(api, { response, seenVersion, caller }, row);
      return SENT;
    } finally {
      freeSlot();
    }
  },
});

const cancel = endpoint('post', `${path}/{importId}/cancel`, {
  id: 'cancelImport',
  summary: 'Cancel an import',
  description:
    'Only a queued import can be cancelled: its upload is removed. Cancelling it again has no effect.',
  access: vendorAdmin,
  answers: { 200: json('The cancelled import.', packageImport) },
  problems: ['import-not-cancellable'],
  recordsChanges: true,
  async handle({ api, caller, path: { importId } }) {
    const { organization } = caller;
    const isCancelled = await cancelImport(api.database, organization.id, importId, actorOf(caller));
    if (isCancelled) {
      api.metrics.cancelled.inc();
      await freeAndRemove(api, (database) => freeArchive(database, importId));
    }
    const row = await readImport(api, caller, importId);
    if (isCancelled || row.status === 'cancelled') return ok(importAnswer(row));
    throw new ProblemError(
      'import-not-cancellable',
      `The status of the import is ${row.status}. Only a queued import can be cancelled.`,
    );
  },
});

/** Uploads of packages, and their imports. */
export const IMPORT_ENDPOINTS = tagged('Imports', [importModule, list, read, watch, cancel]);

/** The version of the import that the client has seen, by `Last-Event-ID`. */
export function lastSeenVersion(request: Request): number {
  return Number(/^\d{1,9}$/.exec(request.get('last-event-id') ?? '')?.[0] ?? 0);
}

/** Where the events of an import go, what the client has seen, and who it is. */
export interface ImportReader {
  readonly response: Response;
  readonly seenVersion: number;
  readonly caller: OrganizationAccess;
}

/**
 * Streams an import as server-sent events until it has ended, or the caller's token or authority ends. The event's ID counts the
 * changes of the row: a client that reconnects with `Last-Event-ID` receives what it has not seen.
 */
export async function streamImportEvents(
  api: ApiContext,
  { response, seenVersion, caller }: ImportReader,
  first: ImportRow,
): Promise<void> {
  const untilMs = caller.principal.expiresAt.getTime() - Date.now();
  await sendEvents(api, response, { untilMs }, async ({ signal, end, send }) => {
    const stopWatching = watchAuthority(api, caller.authority, end);
    try {
      for (
        let row: ImportRow | null = first;
        row !== null;
        // At a shutdown the client reconnects to another process, with the ID of the last event.
        row = mayChange(row) ? await api.imports.waiter.changed(row.id, row.version, signal) : null
      ) {
        const data = present(packageImport, importAnswer(row));
        const isNews = row !== first || row.version !== seenVersion || !mayChange(row);
        await send(isNews ? [{ id: row.version, event: 'import', data }] : []);
      }
    } finally {
      stopWatching();
    }
  });
}
