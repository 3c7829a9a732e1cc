import type { Request, Response } from 'express';
import { currentOwner } from '../../shared/limits/owner.ts';
import type { ImportRow } from '../../shared/db/models.ts';
import type { ApiContext } from '../context.ts';
import { importOf } from './import.ts';
import { mayChange } from './import-waiter.ts';

const COMMENT_MS = 15_000;

/** The version of the import that the client has seen, by `Last-Event-ID`. */
export function lastSeenVersion(request: Request): number {
  return Number(/^\d{1,9}$/.exec(request.get('last-event-id') ?? '')?.[0] ?? 0);
}

/** Where the events of an import go, what the client has seen, and until when its credential is valid. */
export interface EventStream {
  readonly response: Response;
  readonly seenVersion: number;
  readonly expiresAt: Date;
}

/**
 * Streams an import as server-sent events until it has ended, the caller's token expires, or the stream is some minutes
 * old: the client then reconnects and is authorized again. The event's ID counts the changes of the row: a client that
 * reconnects with `Last-Event-ID` receives what it has not seen.
 */
export async function streamImportEvents(
  api: ApiContext,
  { response, seenVersion, expiresAt }: EventStream,
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
  const timer = setTimeout(end, Math.min(maxMs, expiresAt.getTime() - Date.now()));
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
    response.end();
  }
}

function eventOf(row: ImportRow): string {
  return `id: ${row.version}\nevent: import\ndata: ${JSON.stringify(importOf(row))}\n\n`;
}
