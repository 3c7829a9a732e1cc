import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { StructureReader } from '../../shared/db/structures/read-structures.ts';
import { isKnown } from '../http/conditional.ts';
import { sendStream } from '../http/send-stream.ts';
import { longText, MEDIA_TYPES } from './structures-answer.ts';
import type { FindStructures, FoundStructures } from './structures-request.ts';

/** Below this compression costs more than it saves. */
const LEAST_GZIP_BYTES = 1_024;

const compress = promisify(gzip);

/**
 * Answers with structures. For a 304 or a HEAD only their state is read; a long answer streams, and waits
 * for a slot first.
 */
export async function sendStructures(
  request: Request,
  response: Response,
  reader: StructureReader,
  find: FindStructures,
  takeSlot: () => () => void,
): Promise<void> {
  const isHead = request.method === 'HEAD';
  if (isHead || request.headers['if-none-match'] !== undefined) {
    const state = await find(false);
    const known = isKnown(request, state.etag);
    if (known || isHead) {
      setHeaders(request, response, state);
      response.status(known ? 304 : 200).end();
      return;
    }
  }
  const found = await find(true);
  setHeaders(request, response, found);
  const isGzip = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  if (found.body !== null) await sendWhole(response, found.body, isGzip);
  else await stream(response, longText(reader, found.answer), isGzip, takeSlot);
}

function setHeaders(request: Request, response: Response, { answer, etag }: FoundStructures): void {
  response.setHeader('Content-Type', MEDIA_TYPES[answer.format]);
  response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('ETag', etag);
  response.setHeader('Vary', 'Accept, Accept-Encoding, X-Api-Key');
  if (answer.nextCursor !== null)
    response.setHeader('Link', `<${nextAddress(request, answer.nextCursor)}>; rel="next"`);
}

async function sendWhole(response: Response, plain: Buffer, isGzip: boolean): Promise<void> {
  const isPacked = isGzip && plain.length >= LEAST_GZIP_BYTES;
  if (isPacked) response.setHeader('Content-Encoding', 'gzip');
  const body = isPacked ? await compress(plain) : plain;
  response.setHeader('Content-Length', body.length).end(body);
}

async function stream(
  response: Response,
  pieces: AsyncIterable<string>,
  isGzip: boolean,
  takeSlot: () => () => void,
): Promise<void> {
  const freeSlot = takeSlot();
  try {
    const source = Readable.from(pieces, { highWaterMark: 2 });
    if (isGzip) response.set('Content-Encoding', 'gzip');
    await sendStream(response, source, ...(isGzip ? [createGzip()] : []));
  } finally {
    freeSlot();
  }
}

function nextAddress(request: Request, cursor: string): string {
  const address = new URL(request.originalUrl, 'http://unused');
  address.searchParams.set('cursor', cursor);
  return address.pathname + address.search;
}
