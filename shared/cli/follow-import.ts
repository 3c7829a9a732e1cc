import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { CannotRunError } from './exit-codes.ts';
import { answered, ServerRefusalError } from './server-answer.ts';
import type { VendorSession } from './server-session.ts';
import type { ServerImport } from './upload-package.ts';

const PAUSE_MS = 1_000;
/** So long the server may be out of reach; the import goes on meanwhile. */
const PATIENCE_MS = 120_000;

/** Whether an import has come to its end. */
function hasEnded({ status }: ServerImport): boolean {
  return status !== 'queued' && status !== 'running';
}

/**
 * Follows an import to its end by its event stream, and by reading it where the stream breaks off.
 * @throws CannotRunError when the server stays out of reach or refuses.
 */
export async function followImport(
  session: VendorSession,
  first: ServerImport,
  onChange: (row: ServerImport) => void,
): Promise<ServerImport> {
  let row = first;
  let heardMs = Date.now();
  while (!hasEnded(row)) {
    try {
      for await (const next of events(session, row.importId)) {
        row = next;
        heardMs = Date.now();
        onChange(row);
      }
      row = await readImport(session, row.importId);
    } catch (error) {
      const isRefused = error instanceof ServerRefusalError && error.status < 500 && error.status !== 429;
      if (isRefused || Date.now() - heardMs > PATIENCE_MS) throw error;
    }
    if (!hasEnded(row)) await sleep(PAUSE_MS);
  }
  return row;
}

/** Reads an import. @throws CannotRunError */
export async function readImport(
  { client, organizationId }: VendorSession,
  importId: string,
): Promise<ServerImport> {
  const path = { orgId: organizationId, importId };
  return answered(client.GET('/api/v8.0/{orgId}/imports/{importId}', { params: { path } }));
}

/** The changes of an import as the server tells them, until it ends the stream. */
async function* events(
  { client, organizationId }: VendorSession,
  importId: string,
): AsyncGenerator<ServerImport> {
  const path = { orgId: organizationId, importId };
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
    // The connection broke off: whoever follows reads the import and comes back.
  }
}
