import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { CannotRunError, ServerError } from './exit-codes.ts';
import { answered, type ServerImport, type VendorSession } from './server.ts';

const PAUSE_MS = 1_000;
/** The longest outage of the server while an import is followed, and the longest pause that a command waits for. */
export const MAX_OUTAGE_MS = 120_000;

/** Whether an import is still queued or running. */
export function isOpen({ status }: ServerImport): boolean {
  return status === 'queued' || status === 'running';
}

/**
 * Follows an import to its end by its event stream; when the stream is interrupted, it reads the import.
 * @throws CannotRunError if the server stays unavailable or refuses.
 */
export async function followImport(
  session: VendorSession,
  first: ServerImport,
  onChange: (row: ServerImport) => void,
): Promise<ServerImport> {
  let row = first;
  let failingSinceMs: number | null = null;
  while (isOpen(row)) {
    let pauseMs = PAUSE_MS;
    try {
      for await (const next of events(session, row.importId)) {
        row = next;
        failingSinceMs = null;
        onChange(row);
      }
      row = await readImport(session, row.importId);
      failingSinceMs = null;
    } catch (error) {
      if (!(error instanceof ServerError && error.isTemporary)) throw error;
      failingSinceMs ??= Date.now();
      pauseMs = Math.max(PAUSE_MS, error.retryAfterSeconds * 1_000);
      if (Date.now() + pauseMs - failingSinceMs > MAX_OUTAGE_MS) throw error;
    }
    if (isOpen(row)) await sleep(pauseMs);
  }
  return row;
}

/** Reads an import. @throws CannotRunError */
export async function readImport({ client, orgId }: VendorSession, importId: string): Promise<ServerImport> {
  const path = { orgId, importId };
  return answered(client.GET('/api/v8.0/{orgId}/imports/{importId}', { params: { path } }));
}

/** The changes of an import, until the server ends the stream or the connection is lost. */
async function* events({ client, orgId }: VendorSession, importId: string): AsyncGenerator<ServerImport> {
  const path = { orgId, importId };
  const stream: unknown = await answered(
    client.GET('/api/v8.0/{orgId}/imports/{importId}/events', { params: { path }, parseAs: 'stream' }),
  );
  if (!(stream instanceof ReadableStream)) throw new CannotRunError('The server sent no events.');
  const parsed = (stream as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  try {
    for await (const { event, data } of parsed)
      if (event === 'import') yield JSON.parse(data) as ServerImport;
  } catch {
    // The connection was lost: the caller reads the import and reconnects.
  }
}
