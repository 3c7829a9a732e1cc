import type { Request } from 'express';
import { text } from './schema.ts';

/** The header by which a client says which version it has. */
export const IF_NONE_MATCH = {
  'If-None-Match': text('The `ETag` of what the caller has; if nothing has changed, the answer is 304.'),
};

/**
 * Whether the client says in If-None-Match that it has this version (RFC 9110, 13.1.2: compared weakly).
 * Express's own check lets Cache-Control: no-cache win, which fetch adds; that is a directive for caches.
 */
export function isKnown(request: Request, etag: string): boolean {
  const known = request.get('if-none-match')?.split(',') ?? [];
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return known.some((each) => opaque(each) === '*' || opaque(each) === opaque(etag));
}
