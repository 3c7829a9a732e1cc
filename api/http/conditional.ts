import type { Request } from 'express';
import { text } from './schema.ts';

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
