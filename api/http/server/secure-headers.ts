import type { RequestHandler } from 'express';
import type { Config } from '../../../shared/config/config.ts';

/** For an origin that is reached by TLS: browsers never try it without, for a year (RFC 6797). */
export function strictTransport(origin: string | null): Readonly<Record<string, string>> {
  return origin?.startsWith('https:') === true ? { 'Strict-Transport-Security': 'max-age=31536000' } : {};
}

/** Headers of every answer, and CORS for the origins that the settings name. */
export function secureHeaders({
  corsOrigins,
  publicUrl,
}: Pick<Config['server'], 'corsOrigins' | 'publicUrl'>): RequestHandler {
  const transport = strictTransport(publicUrl);
  return (request, response, next) => {
    response.set({
      ...transport,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    // Caches must not serve the answer to one origin to another (RFC 9110, 12.5.5).
    if (corsOrigins.length > 0) response.vary('Origin');
    const origin = request.get('origin');
    if (origin === undefined || !corsOrigins.includes(origin)) {
      next();
      return;
    }
    response.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers':
        'Accept-Ranges, Content-Disposition, Content-Range, Deprecation, ETag, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Trace-Id',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    if (request.method !== 'OPTIONS') {
      next();
      return;
    }
    response.set({
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Prefer, Range, X-Api-Key, traceparent',
      'Access-Control-Max-Age': '600',
    });
    response.status(204).end();
  };
}
