import { randomFillSync } from 'node:crypto';
import { SpanKind, SpanStatusCode, TraceFlags, type Span, type SpanContext } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { withSpan } from '../../../shared/telemetry/current-span.ts';
import { parseTraceparent, startSpan, type Tracing } from '../../../shared/telemetry/tracing.ts';
import type { ApiMetrics } from '../../operations/api-metrics.ts';
import { isWritten } from './end-before-body.ts';

const POLLED = new Set(['/livez', '/readyz', '/metrics']);

/** Whether a request is polled every few seconds: its traces and log lines would outnumber the others. */
export function isPolled({ path }: Request): boolean {
  return POLLED.has(path);
}

/**
 * Assigns each request its trace, by W3C Trace Context: the caller's or a new one. With tracing on, it is a span.
 * Code that runs for the request reads it from `currentSpan`.
 */
export function traceRequests(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    const caller = parseTraceparent(request.get('traceparent'));
    const isTraced = tracing.isOn && !isPolled(request);
    const context = isTraced ? startRequestSpan(tracing, caller, request, response) : newContext(caller);
    response.set('X-Trace-Id', context.traceId);
    withSpan(context, next);
  };
}

/** The random bytes of a trace and a span, of many requests: the call that makes them costs more than the bytes. */
const ID_BYTES = 24;
const randomIds = Buffer.alloc(256 * ID_BYTES);
let usedBytes = randomIds.length;

function randomIdsInHex(): string {
  if (usedBytes === randomIds.length) {
    randomFillSync(randomIds);
    usedBytes = 0;
  }
  return randomIds.toString('hex', usedBytes, (usedBytes += ID_BYTES));
}

function newContext(caller: SpanContext | null): SpanContext {
  const random = randomIdsInHex();
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

/** Methods with their own series; a client can send dozens of others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Measures every request, until its answer is sent or the client disconnects. */
export function measureRequests({ requests, requestsRunning }: ApiMetrics): RequestHandler {
  return (request, response, next) => {
    const startedMs = performance.now();
    requestsRunning.inc();
    response.once('close', () => {
      requestsRunning.dec();
      const method = METHODS.has(request.method) ? request.method : 'other';
      const labels = { method, route: routeTemplate(request), status: statusOf(response, request) };
      requests.observe(labels, (performance.now() - startedMs) / 1_000);
    });
    next();
  };
}

function statusOf(response: Response, request: Request): string {
  const isWhole = isWritten(response) || request.method === 'HEAD';
  return isWhole ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted';
}

const mounts = new WeakMap<Request, string>();

/** Records where a router is mounted. Express reports that only as the client sent it, in any letter case. */
export function mountedAt(prefix: string): RequestHandler {
  return (request, _response, next) => {
    mounts.set(request, prefix);
    next();
  };
}

/**
 * The template of a request's route, such as `/api/v8.0/:orgId/imports`; without a route, its router's prefix and a
 * star. Never a part of the address: there are only as many templates as routes.
 */
export function routeTemplate(request: Request): string {
  const prefix = mounts.get(request) ?? '';
  return `${prefix}${pathOf(request.route) ?? '/*'}`;
}

function pathOf(route: unknown): string | null {
  if (typeof route !== 'object' || route === null || !('path' in route)) return null;
  const { path } = route;
  const paths: readonly unknown[] = Array.isArray(path) ? path : [path];
  return paths.every((each) => typeof each === 'string') ? paths.join('|') : null;
}
