import { AsyncLocalStorage } from 'node:async_hooks';
import { TraceFlags, type SpanContext } from '@opentelemetry/api';

const current = new AsyncLocalStorage<SpanContext>();
const NONE: SpanContext = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: TraceFlags.NONE };

/** Runs a function, and everything that it starts, inside a span. */
export function withSpan<Result>(span: SpanContext, act: () => Result): Result {
  return current.run(span, act);
}

/** Runs a function outside any span: what it starts serves many requests. */
export function outsideSpans<Result>(act: () => Result): Result {
  return current.exit(act);
}

/** The span of the current request; IDs of zeros where there is none. */
export function currentSpan(): SpanContext {
  return current.getStore() ?? NONE;
}

/** The fields that connect a log line to the trace of the current request. */
export function spanFields(): { readonly traceId?: string; readonly spanId?: string } {
  const span = current.getStore();
  return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
}
