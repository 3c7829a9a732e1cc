import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';

const traceIds = new WeakMap<Request, string>();

/** A trace ID by W3C Trace Context, taken over from the caller or made here. */
export const traceRequests: RequestHandler = (request, response, next) => {
  const traceId = /^00-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(
    request.get('traceparent') ?? '',
  )?.[1];
  traceIds.set(request, traceId ?? randomBytes(16).toString('hex'));
  response.set('X-Trace-Id', traceIdOf(request));
  next();
};

/** The request's trace ID, 32 hex digits. */
export function traceIdOf(request: Request): string {
  return traceIds.get(request) ?? '0'.repeat(32);
}
