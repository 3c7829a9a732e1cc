import { SpanKind } from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import type { ImportEnd } from '../shared/db/imports.ts';
import type { ImportRow } from '../shared/db/models.ts';
import { TakenOverError } from '../shared/registration/registration.ts';
import { inSpan, markFailed, parseTraceparent, startSpan } from '../shared/tracing.ts';
import { Deadlines } from './deadlines.ts';
import type { WorkerContext } from './worker-context.ts';
import type { TimedStep } from './worker-metrics.ts';

/** Runs what commits to the database, as a span below its step. */
type Commit = <Result>(act: () => Promise<Result>) => Promise<Result>;

/** The worker's context while one import runs: its log lines name import and trace, its steps are watched. */
export interface WatchedContext extends WorkerContext {
  /**
   * Runs one step of the import, in the time that it may take, and makes it a span below the import's.
   * @throws DeadlineExceededError
   */
  step<Result>(step: TimedStep, act: (commit: Commit) => Promise<Result>): Promise<Result>;
}

const COMMIT_ATTRIBUTES: Attributes = { 'db.system.name': 'postgresql', 'db.operation.name': 'COMMIT' };

/** From the start of the first attempt to that of this one, which changed the row last. */
function ageMs({ startedAt, updatedAt }: ImportRow): number {
  return startedAt === null ? 0 : updatedAt.getTime() - startedAt.getTime();
}

/**
 * Watches one attempt at an import. Its trace is the one of the request that uploaded the package, which the
 * import's row carries: the job holds an ID and nothing else.
 */
export class ImportWatch {
  readonly context: WatchedContext;
  readonly #shared: WorkerContext;
  readonly #span: Span;
  readonly #startedMs = performance.now();
  readonly #deadlines: Deadlines;
  #isClosed = false;

  constructor(shared: WorkerContext, row: ImportRow) {
    this.#shared = shared;
    const { stepSeconds, deadlineSeconds } = shared.config.imports;
    this.#deadlines = new Deadlines({ stepSeconds, importSeconds: deadlineSeconds }, ageMs(row));
    this.#tellWait(row);
    const attributes = { 'import.id': row.id, 'import.size_bytes': row.sizeBytes };
    const options = { kind: SpanKind.CONSUMER, attributes };
    this.#span = startSpan(shared.tracing, 'import module', parseTraceparent(row.traceParent), options);
    const { spanId } = this.#span.spanContext();
    const log = shared.log.child({ importId: row.id, traceId: row.traceId, spanId });
    this.context = { ...shared, log, step: (step, act) => this.#timed(step, act) };
    shared.metrics.running.inc();
  }

  /** The attempt ended the import. */
  ended(end: ImportEnd): void {
    const outcome = end.status === 'succeeded' ? end.outcome : 'none';
    this.#shared.metrics.ended.inc({ status: end.status, outcome });
    this.#span.setAttributes({ 'import.status': end.status, 'import.outcome': outcome });
    const seconds = this.#close('ended');
    this.context.log.info({ status: end.status, durationMs: Math.round(seconds * 1_000) }, 'import finished');
  }

  /** The attempt broke off; what breaks after the import's end is no attempt any more. */
  broken(error: unknown): void {
    if (this.#isClosed) return;
    markFailed(this.#span, error);
    this.#close(error instanceof TakenOverError ? 'taken over' : 'failed');
  }

  #close(result: string): number {
    const seconds = (performance.now() - this.#startedMs) / 1_000;
    this.#isClosed = true;
    this.#span.end();
    this.#shared.metrics.running.dec();
    this.#shared.metrics.attemptSeconds.observe({ result }, seconds);
    return seconds;
  }

  /** Only the first attempt ends the wait: it is the one that wrote when the import was started. */
  #tellWait({ startedAt, updatedAt, queuedAt, traceParent }: ImportRow): void {
    if (startedAt === null || startedAt.getTime() !== updatedAt.getTime()) return;
    this.#shared.metrics.waitSeconds.observe((startedAt.getTime() - queuedAt.getTime()) / 1_000);
    const parent = parseTraceparent(traceParent);
    startSpan(this.#shared.tracing, 'wait in queue', parent, { startTime: queuedAt }).end(startedAt);
  }

  async #timed<Result>(step: TimedStep, act: (commit: Commit) => Promise<Result>): Promise<Result> {
    const { tracing, metrics } = this.#shared;
    const startedMs = performance.now();
    try {
      return await inSpan(tracing, step, this.#span.spanContext(), (span) => {
        const options = { kind: SpanKind.CLIENT, attributes: COMMIT_ATTRIBUTES };
        const commit: Commit = (write) =>
          inSpan(tracing, 'commit import', span.spanContext(), write, options);
        return this.#deadlines.within(step, () => act(commit));
      });
    } finally {
      metrics.stepSeconds.observe({ step }, (performance.now() - startedMs) / 1_000);
    }
  }
}
