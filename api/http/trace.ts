import { randomBytes } from 'node:crypto';
import { SpanKind, SpanStatusCode, TraceFlags, type Span, type SpanContext } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { withSpan } from '../../shared/telemetry/current-span.ts';
import { parseTraceparent, startSpan, type Tracing } from '../../shared/telemetry/tracing.ts';
import { routeTemplate } from './route-template.ts';

/** Polled every few seconds: their traces would outnumber the others. */
const UNTRACED = new Set(['/livez', '/readyz', '/metrics']);

/**
 * Assigns each request its trace, by W3C Trace Context: the caller's or a new one. With tracing on, it is a span.
 * Code that runs for the request reads it from `currentSpan`.
 */
export function traceRequests(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    const caller = parseTraceparent(request.get('traceparent'));
    const isTraced = tracing.isOn && !UNTRACED.has(request.path);
    const context = isTraced ? startRequestSpan(tracing, caller, request, response) : newContext(caller);
    response.set('X-Trace-Id', context.traceId);
    withSpan(context, next);
  };
}

/** One call for the random bytes of both IDs: the call costs more than the bytes. */
function newContext(caller: SpanContext | null): SpanContext {
  const random = randomBytes(24).toString('hex');
  return {
    traceId: caller?.traceId ?? random.slice(0, 32),
    spanId: random.slice(32),
    traceFlags: caller?.traceFlags ?? TraceFlags.SAMPLED,
  };
}

function startRequestSpan(
  tracing: Tracing,
  caller: SpanContext | null,
  request: Request,
  response: Response,
): SpanContext {
  const { method } = request;
  const span = startSpan(tracing, method, caller, {
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': method },
  });
  response.once('close', () => endSpan(span, request, response));
  return span.spanContext();
}

function endSpan(span: Span, request: Request, response: Response): void {
  const route = routeTemplate(request);
  span.updateName(`${request.method} ${route}`);
  span.setAttributes({ 'http.route': route, 'http.response.status_code': response.statusCode });
  if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
