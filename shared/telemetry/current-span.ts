import { AsyncLocalStorage } from 'node:async_hooks';
import { TraceFlags } from '@opentelemetry/api';
import type { SpanContext } from '@opentelemetry/api';

const current = new AsyncLocalStorage<SpanContext>();
const NONE: SpanContext = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: TraceFlags.NONE };

/** Does something, and all that follows from it, inside a span. */
export function withSpan<Result>(span: SpanContext, act: () => Result): Result {
  return current.run(span, act);
}

/** The span of the request for which this runs; IDs of zeros where it runs for none. */
export function currentSpan(): SpanContext {
  return current.getStore() ?? NONE;
}

/** What a log line says of the request for which this runs, so that it is found beside the trace. */
export function spanFields(): { readonly traceId?: string; readonly spanId?: string } {
  const span = current.getStore();
  return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
}
