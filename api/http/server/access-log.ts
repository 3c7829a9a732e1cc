import type { Request, RequestHandler } from 'express';
import { isGuid } from '../../../shared/package/schema/schema-parts.ts';
import { currentSpan } from '../../../shared/telemetry/current-span.ts';
import type { Log } from '../../../shared/telemetry/log.ts';
import type { RequestProblemCode } from '../request-problem-codes.ts';
import { isWritten } from './end-before-body.ts';
import { isPolled, routeTemplate } from './observe-requests.ts';

/** The facts about a request that only its handlers know. */
interface RequestFacts {
  readonly owner?: string;
  readonly problem?: RequestProblemCode;
}

const factsOf = new WeakMap<Request, RequestFacts>();

/** Records a fact for the line of the request. */
export function noteFacts(request: Request, facts: RequestFacts): void {
  factsOf.set(request, { ...factsOf.get(request), ...facts });
}

/**
 * Logs one line for each request when its answer is sent or the client disconnects. It names the route and never the
 * address, whose parts and query the client chose. Probes are polled every few seconds: their lines are of the level debug.
 */
export function logRequests(log: Log): RequestHandler {
  return (request, response, next) => {
    const level = isPolled(request) ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) {
      next();
      return;
    }
    const startedMs = performance.now();
    const { socket } = request;
    const [readBefore, sentBefore] = [socket.bytesRead, socket.bytesWritten];
    const { traceId, spanId } = currentSpan();
    response.once('close', () => {
      const { owner = '', problem } = factsOf.get(request) ?? {};
      const fields = {
        ...{ method: request.method, route: routeTemplate(request), status: response.statusCode },
        ...(problem !== undefined && { problem }),
        isAborted: !isWritten(response),
        durationMs: Math.round(performance.now() - startedMs),
        receivedBytes: socket.bytesRead - readBefore,
        sentBytes: socket.bytesWritten - sentBefore,
        organization: isGuid(owner) ? owner : null,
        ...{ traceId, spanId },
      };
      log[level](fields, 'request answered');
    });
    next();
  };
}
