import type { RequestHandler } from 'express';
import type { Config } from '../../shared/config/config.ts';
import { LOCAL_DOMAIN } from '../../shared/config/local-domain.ts';
import type { LocatedFile } from '../../shared/db/modules/located-file.ts';
import { mediaTypeOf } from '../../shared/package/layout/media-types.ts';
import { strictTransport } from '../http/server/secure-headers.ts';
import type { FileUse } from '../http/answer/file-answer.ts';

/** Where a package has its application. */
export const APPLICATION_FOLDER = 'PackageArtifact/build/';

/** Where the portal runs without `PUBLIC_URL`: on this machine. */
const LOCAL_PORTALS = ['127.0.0.1', 'localhost', LOCAL_DOMAIN].map((host) => `http://${host}:*`);

/**
 * Headers of every answer. The portal and the pages of hosts may embed applications, and the latter may read files by CORS.
 * Without `Origin-Agent-Cluster`, the applications of two modules could agree on a common `document.domain`.
 */
export function applicationHeaders({
  applications: { origins, hostOrigins },
  server,
}: Config): RequestHandler {
  const transport = strictTransport(origins);
  const portals = server.publicUrl === null ? LOCAL_PORTALS : [server.publicUrl];
  const allowed = new Set(hostOrigins);
  return (request, response, next) => {
    response.set({
      ...transport,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Content-Security-Policy': ["frame-ancestors 'self'", ...portals, ...hostOrigins].join(' '),
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Origin-Agent-Cluster': '?1',
      Vary: 'Origin',
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
