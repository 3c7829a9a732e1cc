import type { Request, Response } from 'express';
import { currentOwner } from '../../shared/limits/owner.ts';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import { hasPublisher } from '../../shared/db/access/publisher-tokens.ts';
import type { OrganizationAccess } from '../auth/access.ts';
import type { ApiContext } from '../context.ts';
import { present } from '../http/present.ts';
import { importAnswer, packageImport } from './import.ts';
import { mayChange } from './import-waiter.ts';

const COMMENT_MS = 15_000;
const WATCH_MS = 500;

/** The version of the import that the client has seen, by `Last-Event-ID`. */
export function lastSeenVersion(request: Request): number {
  return Number(/^\d{1,9}$/.exec(request.get('last-event-id') ?? '')?.[0] ?? 0);
}

/** Where the events of an import go, what the client has seen, and who it is. */
export interface EventStream {
  readonly response: Response;
  readonly seenVersion: number;
  readonly caller: OrganizationAccess;
}

/**
 * Streams an import as server-sent events until it has ended, the caller's token expires, or the stream is some minutes
 * old: the client then reconnects and is authorized again. The event's ID counts the changes of the row: a client that
 * reconnects with `Last-Event-ID` receives what it has not seen.
 */
export async function streamImportEvents(
  api: ApiContext,
  { response, seenVersion, caller }: EventStream,
  first: ImportRow,
): Promise<void> {
  response.status(200).setHeader('Content-Type', 'text/event-stream');
  response.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  response.flushHeaders();
  const comments = setInterval(() => response.write(': still here\n\n'), COMMENT_MS);
  const over = new AbortController();
  const end = () => {
    // Without a reason, an error with a stack trace would be made for each stream.
    over.abort(null);
  };
  response.once('close', end);
  const maxMs = api.config.streams.maxEventStreamSeconds * 1_000;
  const expiresMs = caller.principal.expiresAt.getTime() - Date.now();
  const timer = setTimeout(end, Math.min(maxMs, expiresMs));
  const stopWatching = watchPublisher(api, caller, end);
  try {
    for (
      let row: ImportRow | null = first;
      row !== null;
      // At a shutdown the client reconnects to another process, with the ID of the last event.
      row = mayChange(row) ? await api.waiter.changed(row.id, row.version, over.signal) : null
    ) {
      // Many streams may follow one import: not all write at once.
      await api.turns.next(currentOwner());
      if (row.version > seenVersion) response.write(eventOf(row));
    }
  } finally {
    clearInterval(comments);
    clearTimeout(timer);
    stopWatching();
    response.end();
  }
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

function eventOf(row: ImportRow): string {
  return `id: ${row.version}\nevent: import\ndata: ${JSON.stringify(present(packageImport, importAnswer(row)))}\n\n`;
}
