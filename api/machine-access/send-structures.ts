import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { StructureReader } from '../../shared/db/read-structures.ts';
import { isKnown } from '../http.ts';
import { sendStream } from '../send-stream.ts';
import { MEDIA_TYPES, structuresPieces } from './structures-answer.ts';
import type { StructuresAnswer } from './structures-answer.ts';
import { structuresTag } from './structures-request.ts';

/** Below this compression costs more than it saves. */
const LEAST_GZIP_BYTES = 1_024;

const compress = promisify(gzip);

/**
 * Answers with structures. Nothing is read for a 304 or a HEAD; a long answer streams, and waits for a
 * slot first.
 */
export async function sendStructures(
  request: Request,
  response: Response,
  reader: StructureReader,
  answer: StructuresAnswer,
  takeSlot: () => () => void,
): Promise<void> {
  const etag = structuresTag(answer);
  response.set({
    'Content-Type': MEDIA_TYPES[answer.format],
    'Cache-Control': 'private, no-cache',
    ETag: etag,
    Vary: 'Accept, Accept-Encoding, X-Api-Key',
  });
  if (answer.nextCursor !== null)
    response.set('Link', `<${nextAddress(request, answer.nextCursor)}>; rel="next"`);
  if (isKnown(request, etag)) {
    response.status(304).end();
    return;
  }
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const isGzip = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  const pieces = structuresPieces(reader, answer);
  if (answer.isSmall) await sendWhole(response, pieces, isGzip);
  else await stream(response, pieces, isGzip, takeSlot);
}

async function sendWhole(response: Response, pieces: AsyncIterable<string>, isGzip: boolean): Promise<void> {
  let text = '';
  for await (const piece of pieces) text += piece;
  const plain = Buffer.from(text);
  const isPacked = isGzip && plain.length >= LEAST_GZIP_BYTES;
  if (isPacked) response.set('Content-Encoding', 'gzip');
  const body = isPacked ? await compress(plain) : plain;
  response.set('Content-Length', String(body.length)).end(body);
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
