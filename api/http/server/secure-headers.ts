import type { RequestHandler } from 'express';

/** Headers of every answer, and CORS for the origins that the settings name. */
export function secureHeaders(corsOrigins: readonly string[]): RequestHandler {
  return (request, response, next) => {
    response.set({
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    const origin = request.get('origin');
    if (origin === undefined || !corsOrigins.includes(origin)) {
      next();
      return;
    }
    response.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers':
        'Deprecation, ETag, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Trace-Id',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      Vary: 'Origin',
    });
    if (request.method !== 'OPTIONS') {
      next();
      return;
    }
    response.set({
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Api-Key, traceparent',
      'Access-Control-Max-Age': '600',
    });
    response.status(204).end();
  };
}
