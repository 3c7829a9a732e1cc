import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import type { Config } from '../config/config.ts';

/** Creates spans. Where tracing is off, spans are empty and only OpenTelemetry's API is loaded. */
export interface Tracing {
  readonly isOn: boolean;
  readonly tracer: Tracer;
  /** Sends what has not been sent. */
  close(): Promise<void>;
}

const TRACER = 'module-import-service';

/** Starts tracing under this service name, which OTEL_SERVICE_NAME overrides; null: no tracing. */
export async function openTracing(serviceName: string, config: Config['tracing']): Promise<Tracing> {
  if (config === null)
    return { isOn: false, tracer: trace.getTracer(TRACER), close: () => Promise.resolve() };
  const { startTraceExport } = await import('./trace-export.ts');
  const provider = await startTraceExport(serviceName, config);
  return { isOn: true, tracer: provider.getTracer(TRACER), close: () => provider.shutdown() };
}

/**
 * Reads a `traceparent` (W3C Trace Context, 3.2). Of versions later than 00 the members of 00 are read, as
 * the standard requires. Null where it is absent or not valid.
 */
export function parseTraceparent(text: string | null | undefined): SpanContext | null {
  const [, version, traceId, spanId, flags, rest] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || version === 'ff') return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId) || (version === '00' && rest !== undefined)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '0', 16) & TraceFlags.SAMPLED };
}

/** Writes a `traceparent` of version 00. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Starts a span below a parent; without one it starts a trace. */
export function startSpan(
  { tracer }: Tracing,
  name: string,
  parent: SpanContext | null,
  options: SpanOptions = {},
): Span {
  const context =
    parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
  return tracer.startSpan(name, options, context);
}

/** Runs a function inside a span below the parent, and ends the span with it. Of an error only the kind is recorded. */
export async function inSpan<Result>(
  tracing: Tracing,
  name: string,
  parent: SpanContext,
  act: (span: Span) => Promise<Result>,
  options?: SpanOptions,
): Promise<Result> {
  const span = startSpan(tracing, name, parent, options);
  try {
    return await act(span);
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed. The error's text is left out: it may contain what only the log may. */
export function markFailed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
}
