import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { ProblemError } from '../problem.ts';
import { text } from '../schema.ts';

/** The SHA-256 of a value's JSON: an entity tag, or a part of one, that changes with the value. */
export function hashOfJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}

/** The header with the version that a client has. */
export const IF_NONE_MATCH = {
  'If-None-Match': text(
    'The `ETag` of the version that the caller has. If it is current, the answer is 304.',
  ),
};

/**
 * Whether the client has this version, by If-None-Match (RFC 9110, 13.1.2: weak comparison). Express's own check
 * ignores the header if the request has Cache-Control: no-cache, which fetch adds; that is a directive for caches.
 */
export function isKnown(request: Request, etag: string): boolean {
  const known = request.get('if-none-match')?.split(',') ?? [];
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return known.some((each) => opaque(each) === '*' || opaque(each) === opaque(etag));
}

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e]*"`;
const TAGS = new RegExp(String.raw`^${TAG}(?:\s*,\s*${TAG})*$`);

/**
 * The entity tags that If-Match allows, without their quotes; empty: `*`, any version; null: the header is missing. A
 * weak one counts as the strong one: proxies that compress answers make tags weak, and it names the same version.
 * @throws ProblemError 400 for another header, with this detail
 */
export function allowedTags(request: Request, detail: string): readonly string[] | null {
  const value = request.get('if-match')?.trim();
  if (value === undefined) return null;
  if (value === '*') return [];
  if (!TAGS.test(value)) throw new ProblemError('request-invalid', detail);
  return [...value.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag);
}

/** Headers of a request for a range of bytes. */
export const RANGE_HEADERS = {
  Range: text('One range of bytes, such as `bytes=0-1023` (RFC 9110, 14.2).'),
  'If-Range': text('The `ETag` of the version that the range belongs to.'),
};

/** Bytes of a representation. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Sets status, length and range of an answer of `sizeBytes` bytes. Returns the bytes to send; null if there are none:
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
    // A cache must not answer later requests for the file with it.
    response.status(416).set({ 'Content-Range': `bytes */${sizeBytes}`, 'Cache-Control': 'no-store' });
    return null;
  }
  const { offset, length } = range ?? { offset: 0, length: sizeBytes };
  response.set('Content-Length', String(length));
  if (range !== null)
    response.status(206).set('Content-Range', `bytes ${offset}-${offset + length - 1}/${sizeBytes}`);
  return request.method === 'HEAD' ? null : { offset, length };
}

/** One range of RFC 9110; several at once, one that ends before it starts, and one of another version get the whole. */
function readRange(request: Request, sizeBytes: number, etag: string): ByteRange | 'unsatisfiable' | null {
  // Ranges are defined only for GET (RFC 9110, 14.2).
  if (request.method !== 'GET') return null;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(request.get('range') ?? '') ?? [];
  const version = request.get('if-range');
  if ((first === '' && last === '') || (version !== undefined && version !== etag)) return null;
  return first === '' ? lastBytes(Number(last), sizeBytes) : bytesFrom(Number(first), last, sizeBytes);
}

function lastBytes(count: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  const length = Math.min(count, sizeBytes);
  return length === 0 ? 'unsatisfiable' : { offset: sizeBytes - length, length };
}

function bytesFrom(offset: number, last: string, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  // A range that ends before it starts is invalid (RFC 9110, 14.1.1).
  if (last !== '' && Number(last) < offset) return null;
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  return offset >= sizeBytes ? 'unsatisfiable' : { offset, length: end - offset };
}
