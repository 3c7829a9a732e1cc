import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { isKnown } from './problem.ts';

const MAX_AGE_SECONDS = 300;

/** A document that never changes while the process runs, and that any page of any origin may read. */
export function publicDocument(mediaType: string, text: string): RequestHandler {
  const body = Buffer.from(text);
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return (request, response) => {
    response.set({
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'ETag, X-Trace-Id',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`,
      ETag: etag,
    });
    if (isKnown(request, etag)) response.status(304).end();
    else response.type(mediaType).send(body);
  };
}
