import type { Request, RequestHandler, Response } from 'express';
import type { ApiMetrics } from '../operations/api-metrics.ts';
import { isWritten } from './end-before-body.ts';
import { routeTemplate } from './route-template.ts';

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
