import type { Request, Response } from 'express';
import { findImport } from '../../shared/db/imports/imports.ts';
import type { ImportRow } from '../../shared/db/models.ts';
import type { ApiContext } from '../context.ts';
import { importOf } from './import.ts';

const COMMENT_MS = 15_000;
const POLL_MS = 1_000;

/** The version of the import that the client has seen, by `Last-Event-ID`. */
export function lastSeenVersion(request: Request): number {
  return Number(/^\d{1,9}$/.exec(request.get('last-event-id') ?? '')?.[0] ?? 0);
}

/** Whether the import has not ended. */
export function mayChange({ status }: ImportRow): boolean {
  return status === 'queued' || status === 'running';
}

/**
 * Streams an import as server-sent events until it has ended. The event's ID counts the changes of the
 * row: a client that reconnects with `Last-Event-ID` receives what it has not seen.
 */
export async function streamImportEvents(
  api: ApiContext,
  response: Response,
  first: ImportRow,
  lastSeen: number,
): Promise<void> {
  let seenVersion = lastSeen;
  response.status(200).setHeader('Content-Type', 'text/event-stream');
  response.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  response.flushHeaders();
  const comments = setInterval(() => response.write(': still here\n\n'), COMMENT_MS);
  const closed = new AbortController();
  response.once('close', () => {
    closed.abort();
  });
  try {
    for (let row: ImportRow | null = first; row !== null; row = await nextChange(api, row, closed.signal)) {
      if (row.version > seenVersion) response.write(eventOf(row));
      seenVersion = Math.max(seenVersion, row.version);
      // At a shutdown the client reconnects to another process, with the ID of the last event.
      if (!mayChange(row) || closed.signal.aborted || api.waiter.isStopped) break;
    }
  } finally {
    clearInterval(comments);
    response.end();
  }
}

function eventOf(row: ImportRow): string {
  return `id: ${row.version}\nevent: import\ndata: ${JSON.stringify(importOf(row))}\n\n`;
}

/** Waits for a notification or the poll, and reads the row again. Null if the client has disconnected. */
async function nextChange(
  api: ApiContext,
  { id, organizationId }: ImportRow,
  signal: AbortSignal,
): Promise<ImportRow | null> {
  await api.waiter.changed(id, POLL_MS, signal);
  return signal.aborted ? null : findImport(api.database, organizationId, id);
}
