import type { Request, Response } from 'express';

/** Bytes of a representation. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Sets status, length and range of an answer of `sizeBytes` bytes. Gives the bytes to send; null where there are none:
 * the answer to a HEAD, or 416.
 */
export function startRange(
  request: Request,
  response: Response,
  sizeBytes: number,
  etag: string,
): ByteRange | null {
  const range = readRange(request, sizeBytes, etag);
  if (range === 'unsatisfiable') {
    response.status(416).set('Content-Range', `bytes */${sizeBytes}`);
    return null;
  }
  const { offset, length } = range ?? { offset: 0, length: sizeBytes };
  response.set('Content-Length', String(length));
  if (range !== null)
    response.status(206).set('Content-Range', `bytes ${offset}-${offset + length - 1}/${sizeBytes}`);
  return request.method === 'HEAD' ? null : { offset, length };
}

/** One range of RFC 9110; several at once, and a range of another version, get the whole. */
function readRange(request: Request, sizeBytes: number, etag: string): ByteRange | 'unsatisfiable' | null {
  // Ranges are defined for GET alone (RFC 9110, 14.2).
  if (request.method !== 'GET') return null;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(request.get('range') ?? '') ?? [];
  if (first === '' && last === '') return null;
  const version = request.get('if-range');
  if (version !== undefined && version !== etag) return null;
  const offset = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return offset > end ? 'unsatisfiable' : { offset, length: end - offset + 1 };
}
