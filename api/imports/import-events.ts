import type { Request, Response } from 'express';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import { hasPublisher } from '../../shared/db/access/publisher-tokens.ts';
import type { OrganizationAccess } from '../auth/access.ts';
import type { ApiContext } from '../context.ts';
import { sendEvents } from '../http/event-stream.ts';
import { present } from '../http/answer.ts';
import { importAnswer, packageImport } from './import.ts';
import { mayChange } from './import-waiter.ts';

const WATCH_MS = 500;

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
 * Streams an import as server-sent events until it has ended or the caller's token expires. The event's ID counts the
 * changes of the row: a client that reconnects with `Last-Event-ID` receives what it has not seen.
 */
export async function streamImportEvents(
  api: ApiContext,
  { response, seenVersion, caller }: ImportReader,
  first: ImportRow,
): Promise<void> {
  const untilMs = caller.principal.expiresAt.getTime() - Date.now();
  await sendEvents(api, response, { untilMs }, async ({ signal, end, send }) => {
    const stopWatching = watchPublisher(api, caller, end);
    try {
      for (
        let row: ImportRow | null = first;
        row !== null;
        // At a shutdown the client reconnects to another process, with the ID of the last event.
        row = mayChange(row) ? await api.imports.waiter.changed(row.id, row.version, signal) : null
      ) {
        const data = present(packageImport, importAnswer(row));
        await send(row.version > seenVersion ? [{ id: row.version, event: 'import', data }] : []);
      }
    } finally {
      stopWatching();
    }
  });
}

/** Ends the stream of a trusted publisher that is removed: its token ends within a second. */
function watchPublisher(api: ApiContext, { publisher }: OrganizationAccess, end: () => void): () => void {
  if (publisher === undefined) return () => undefined;
  const check = async () => {
    // Without an answer of the database nothing is known: the stream ends, and its client is authorized again.
    if (!(await hasPublisher(api.database, publisher.id).catch(() => false))) end();
  };
  const timer = setInterval(() => void check(), WATCH_MS);
  return () => clearInterval(timer);
}
