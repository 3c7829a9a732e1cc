import { SpanKind, type Attributes, type Span } from '@opentelemetry/api';
import { freeArchive } from '../../shared/db/imports/freed-archives.ts';
import type { ImportEnd, RunKey } from '../../shared/db/imports/attempts.ts';
import type { AttemptFailure } from '../../shared/db/imports/unfinished-imports.ts';
import type { RunningImport } from '../../shared/db/modules/registry-state.ts';
import { MissingKeyError, UnreadableValueError } from '../../shared/encryption/encryption-keys.ts';
import type { Log } from '../../shared/telemetry/log.ts';
import { validatePackage } from '../../shared/package/validate-package.ts';
import type { PackageReport } from '../../shared/package/package-report.ts';
import type { PackageSource } from '../../shared/package/archive/source.ts';
import { PartProblem, problemFields } from '../../shared/process/part-problem.ts';
import { Registration, SuspendedError, TakenOverError } from '../../shared/registration/registration.ts';
import { ObjectMissingError } from '../../shared/storage/storage.ts';
import { storageSource } from '../../shared/storage/package-source.ts';
import { freeAndRemove } from '../../shared/storage/remove-freed.ts';
import { inSpan, markFailed, parseTraceparent, startSpan } from '../../shared/telemetry/tracing.ts';
import { DeadlineExceededError, Deadlines } from './deadlines.ts';
import { errorCause } from './error-cause.ts';
import { internalError } from './fail-import.ts';
import { fileRulesFor } from './file-threads.ts';
import { ImportProgressReport } from './import-progress.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { TimedStep } from '../worker-metrics.ts';

const COMMIT: { readonly kind: SpanKind; readonly attributes: Attributes } = {
  kind: SpanKind.CLIENT,
  attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'COMMIT' },
};

/** The archive was removed after its retention. */
class ArchiveGoneError extends Error {
  override readonly name = 'ArchiveGoneError';
}

/** The time since the first attempt started. `updatedAt` is the start of this one: starting it changed the row. */
function ageMs({ startedAt, updatedAt }: RunningImport): number {
  return startedAt === null ? 0 : updatedAt.getTime() - startedAt.getTime();
}

/**
 * One attempt at an import. Each step has a time limit, and is measured and traced. The trace is that of the request
 * that uploaded the package, which is in the import's row: the job has the ID only.
 */
export class ImportAttempt {
  readonly log: Log;
  readonly #context: WorkerContext;
  readonly #run: RunningImport;
  readonly #span: Span;
  readonly #startedMs = performance.now();
  readonly #deadlines: Deadlines;
  readonly #progress: ImportProgressReport;
  #current: TimedStep = 'reading';
  #namedModuleId: string | null = null;
  readonly #ended = new AbortController();
  readonly #stepMs: Partial<Record<TimedStep, number>> = {};

  constructor(context: WorkerContext, run: RunningImport) {
    this.#context = context;
    this.#run = run;
    const { stepSeconds, deadlineSeconds } = context.config.imports;
    this.#deadlines = new Deadlines({ stepSeconds, importSeconds: deadlineSeconds }, ageMs(run));
    this.#reportWait();
    const attributes = { 'import.id': run.id, 'import.size_bytes': run.sizeBytes };
    const parent = parseTraceparent(run.traceParent);
    this.#span = startSpan(context.tracing, 'import module', parent, { kind: SpanKind.CONSUMER, attributes });
    const { spanId } = this.#span.spanContext();
    this.log = context.log.child({ importId: run.id, traceId: run.traceId, spanId });
    this.#progress = new ImportProgressReport({ ...context, log: this.log }, run);
    context.metrics.running.inc();
  }

  /** The one attempt that may write to the row. */
  get run(): RunKey {
    return this.#run;
  }

  get runId(): string {
    return this.#run.runId;
  }

  /** Aborted when the attempt has ended. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Opens the archive; a small one is fetched whole. */
  async read(): Promise<PackageSource> {
    const { archiveKey, sizeBytes } = this.#run;
    return this.#step('reading', () => {
      if (archiveKey === null) throw new ArchiveGoneError('the archive of the import is no longer kept');
      return storageSource(this.#context.storage, archiveKey, sizeBytes);
    });
  }

  /** Validates the package by every rule but the registry's, and by the operator's own check. */
  async validate(source: PackageSource): Promise<PackageReport> {
    const { fileThreads, validationSettings, packageCheck } = this.#context;
    const fileRules = fileRulesFor(fileThreads, this.#run.organizationId);
    return this.#step('checking', async () => {
      const validated = await validatePackage(
        source,
        validationSettings,
        (completed, total) => this.#progress.report({ step: 'checking', completed, total }),
        fileRules,
      );
      const report = forModule(validated, this.#run.onlyModuleId);
      this.#namedModuleId = report.subject?.moduleId ?? null;
      return packageCheck?.check(report, this.#run, this) ?? report;
    });
  }

  /** Writes the package to the registry, and the import's end. @throws TakenOverError */
  async register(report: PackageReport): Promise<ImportEnd> {
    const { content, problems } = report;
    await this.#progress.stop();
    const { config, organizationLimits } = this.#context;
    const quotas = await organizationLimits.of(this.#run.organizationId);
    const { reviewFirstReleases } = config.imports;
    const limits = { ...config.limits, ...quotas, reviewFirstReleases };
    const registration = new Registration(this.#context, this.#run, limits);
    return this.#step('writing', (span) =>
      inSpan(
        this.#context.tracing,
        'commit import',
        span.spanContext(),
        () => {
          if (content === null) return registration.reject(report);
          if (this.#run.validateOnly) return registration.validate(content, problems);
          return registration.register(content, problems);
        },
        COMMIT,
      ),
    );
  }

  /** Reports that the attempt ended the import. An archive that was only validated, or may not be here, is removed. */
  async report(end: ImportEnd): Promise<void> {
    const outcome = end.status === 'succeeded' ? end.outcome : 'none';
    this.#context.metrics.ended.inc({ status: end.status, outcome });
    this.#span.setAttributes({ 'import.status': end.status, 'import.outcome': outcome });
    this.#close('ended');
    this.log.info({ ...this.#fields(), ...endFields(end) }, ATTEMPT_ENDED);
    const isUnauthorized = end.status === 'rejected' && end.isUnauthorized === true;
    if (this.#run.validateOnly || isUnauthorized)
      await freeAndRemove({ ...this.#context, log: this.log }, (database) =>
        freeArchive(database, this.#run.id),
      );
  }

  /** How the attempt failed: in full for operators, without internal text for the vendor. */
  failureBy(error: unknown): AttemptFailure {
    const { deadlineSeconds } = this.#context.config.imports;
    const step = this.#current;
    const failure = { step, cause: errorCause(error), namedModuleId: this.#namedModuleId };
    const lost = this.#lostBy(error);
    if (lost !== null) return { ...failure, reason: internalError(lost), deadlineSeconds: 0 };
    const reason =
      error instanceof DeadlineExceededError
        ? ({
            code: 'import-deadline-exceeded',
            detail: `The import did not end within ${deadlineSeconds} seconds; it was ${step} the package.`,
            severity: 'error',
          } as const)
        : internalError(
            `it could not be finished within ${deadlineSeconds} seconds; it was ${step} the package`,
          );
    return { ...failure, reason, deadlineSeconds };
  }

  /** What the attempt needs and no later one will find, unless an operator puts it back; null: it may heal by itself. */
  #lostBy(error: unknown): string | null {
    if (error instanceof ArchiveGoneError || error instanceof ObjectMissingError)
      return 'the archive of the package is gone';
    if (error instanceof UnreadableValueError)
      return 'an encrypted value of the stored module cannot be read';
    // A key of a rotation that has not come here yet is not lost.
    if (error instanceof MissingKeyError && this.#context.missingKeyIds.has(error.keyId))
      return 'the service lacks the encryption key of the stored module';
    return null;
  }

  /** Ends the measurement of an attempt that did not end the import. */
  async fail(error: unknown): Promise<void> {
    await this.#progress.stop();
    markFailed(this.#span, error);
    this.#close(resultOf(error));
  }

  /** Reports why the attempt did not end the import. `isFinal`: no other follows. */
  logFailure(error: unknown, isFinal: boolean): void {
    const fields = { ...this.#fields(), outcome: null, problems: [], step: this.#current };
    if (error instanceof TakenOverError || error instanceof SuspendedError)
      this.log.info({ ...fields, result: resultOf(error), cause: error.message }, ATTEMPT_ENDED);
    else this.log.error({ ...fields, ...failureFields(error), isFinal }, ATTEMPT_ENDED);
  }

  #fields() {
    return {
      organization: this.#run.organizationId,
      module: this.#namedModuleId ?? this.#run.onlyModuleId,
      revision: null,
      attempt: (this.#run.failure?.attempts ?? 0) + 1,
      bytes: this.#run.sizeBytes,
      durationMs: Math.round(performance.now() - this.#startedMs),
      stepMs: this.#stepMs,
    };
  }

  #close(result: string): void {
    this.#ended.abort();
    this.#span.end();
    this.#context.metrics.running.dec();
    const seconds = (performance.now() - this.#startedMs) / 1_000;
    this.#context.metrics.attemptSeconds.observe({ result }, seconds);
  }

  /** Only the first attempt ends the wait: it wrote the time at which the import started. */
  #reportWait(): void {
    const { startedAt, updatedAt, queuedAt, traceParent } = this.#run;
    if (startedAt === null || startedAt.getTime() !== updatedAt.getTime()) return;
    this.#context.metrics.waitSeconds.observe((startedAt.getTime() - queuedAt.getTime()) / 1_000);
    const parent = parseTraceparent(traceParent);
    startSpan(this.#context.tracing, 'wait in queue', parent, { startTime: queuedAt }).end(startedAt);
  }

  /** @throws DeadlineExceededError when the step takes too long */
  async #step<Result>(step: TimedStep, act: (span: Span) => Promise<Result>): Promise<Result> {
    const { tracing, metrics } = this.#context;
    const startedMs = performance.now();
    this.#current = step;
    try {
      return await inSpan(tracing, step, this.#span.spanContext(), (span) =>
        this.#deadlines.within(step, () => act(span)),
      );
    } finally {
      const durationMs = performance.now() - startedMs;
      metrics.stepSeconds.observe({ step }, durationMs / 1_000);
      this.#stepMs[step] = Math.round(durationMs);
      this.log.debug({ step, durationMs: this.#stepMs[step] }, 'import step ended');
    }
  }
}

function resultOf(error: unknown): string {
  if (error instanceof SuspendedError) return 'suspended';
  return error instanceof TakenOverError ? 'taken over' : 'failed';
}

/** An attempt is one line, whatever its end. */
export const ATTEMPT_ENDED = 'import attempt ended';
/** A package may have thousands of problems; the import's row has them all. */
const MOST_LOGGED_PROBLEMS = 20;

function endFields(end: ImportEnd) {
  const problems = [...end.lists.errors, ...end.lists.warnings].map(({ code }) => code);
  return {
    result: end.status,
    outcome: end.status === 'succeeded' ? end.outcome : null,
    ...(end.status === 'succeeded' && { module: end.moduleId, revision: end.revision }),
    problems: problems.slice(0, MOST_LOGGED_PROBLEMS),
    cause: null,
  };
}

/** The fields of the line about an internal error. */
export function failureFields(error: unknown) {
  const stack = error instanceof Error ? error.stack : null;
  return {
    result: 'failed',
    cause: errorCause(error),
    stack,
    ...(error instanceof PartProblem && problemFields(error)),
  };
}

/** The report of a package that was uploaded for a module: without an ID of its own, the package is that module's. */
export function forModule(report: PackageReport, moduleId: string | null): PackageReport {
  const { subject, content } = report;
  if (moduleId === null || subject === null || subject.moduleId !== null) return report;
  const named = { ...subject, moduleId };
  if (content === null) return { ...report, subject: named };
  const descriptor = { ...content.descriptor, moduleId };
  return { ...report, subject: named, content: { ...content, subject: named, descriptor } };
}
