import type { RequestHandler } from 'express';
import type { Config } from '../../shared/config/config.ts';
import type { LocatedFile } from '../../shared/db/modules/located-file.ts';
import { mediaTypeOf } from '../../shared/package/layout/media-types.ts';
import { strictTransport } from '../http/server/secure-headers.ts';
import type { FileUse } from '../http/answer/file-answer.ts';

/** Where a package has its application. */
export const APPLICATION_FOLDER = 'PackageArtifact/build/';

/**
 * What a document of a vendor may do, wherever it is opened. Without `allow-same-origin` it has an origin of its own:
 * it cannot read what the application of another vendor stores.
 */
export const SANDBOX = 'allow-downloads allow-forms allow-modals allow-popups allow-scripts';

/**
 * Headers of every answer, and CORS for the pages of hosts. The documents of applications themselves have no origin,
 * and ask for their scripts as `null`.
 */
export function applicationHeaders(applications: Config['applications']): RequestHandler {
  const transport = strictTransport(applications?.origin ?? null);
  const allowed = new Set([...(applications?.hostOrigins ?? []), 'null']);
  return (request, response, next) => {
    response.set({
      ...transport,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Content-Security-Policy': `sandbox ${SANDBOX}`,
      'Cross-Origin-Resource-Policy': 'cross-origin',
      Vary: 'Accept-Encoding, Origin',
    });
    const origin = request.get('origin');
    if (origin === undefined || !allowed.has(origin)) {
      next();
      return;
    }
    response.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'ETag, X-Trace-Id',
    });
    if (request.method !== 'OPTIONS') {
      next();
      return;
    }
    response.set({
      'Access-Control-Allow-Methods': 'GET, HEAD',
      'Access-Control-Allow-Headers': 'If-None-Match, Range, traceparent',
      'Access-Control-Max-Age': '600',
    });
    response.status(204).end();
  };
}

const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** How browsers use a file of an application. Its type follows from its name, as for every server of static files. */
export function fileUse({ path }: LocatedFile): FileUse {
  const type = mediaTypeOf(path);
  const contentType = type.startsWith('text/') ? `${type}; charset=utf-8` : type;
  return { always: IMMUTABLE, described: { 'Content-Type': contentType } };
}
