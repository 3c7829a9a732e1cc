import { randomUUID } from 'node:crypto';
import { startImport } from '../shared/db/imports/imports.ts';
import type { ImportFailure } from '../shared/db/models.ts';
import { FinalFailure } from '../shared/queue/import-worker.ts';
import type { JobRun } from '../shared/queue/import-worker.ts';
import { TakenOverError } from '../shared/registration/registration.ts';
import { DeadlineExceededError } from './deadlines.ts';
import { failAndNotify } from './fail-import.ts';
import { ImportAttempt } from './import-attempt.ts';
import type { WorkerContext } from './worker-context.ts';

/** The import failed by an internal error; its log line has the cause. This text may be shown to operators. */
class ImportFailedError extends Error {
  override readonly name = 'ImportFailedError';
}

/**
 * Runs one import job. A rejected package completes the job; an internal error throws, so that the queue
 * tries again and, after the last attempt, lists it as failed. A job whose import is unknown or finished
 * does nothing.
 */
export async function importModule(context: WorkerContext, job: JobRun): Promise<void> {
  let attempt: ImportAttempt | null = null;
  try {
    const run = await startImport(context.asyncCommitDatabase, job, randomUUID());
    if (run === null) return;
    attempt = new ImportAttempt(context, run);
    const source = await attempt.read();
    const report = await attempt.validate(source);
    const end = await attempt.register(report);
    await attempt.report(end);
  } catch (error) {
    await attempt?.fail(error);
    await handleFailure(context, attempt, job, error);
  } finally {
    context.notifier.changed(job.importId);
  }
}

async function handleFailure(
  context: WorkerContext,
  attempt: ImportAttempt | null,
  { importId, isLastAttempt }: JobRun,
  error: unknown,
): Promise<void> {
  const log = attempt?.log ?? context.log.child({ importId });
  if (error instanceof TakenOverError) {
    log.info('import taken over by another attempt');
    return;
  }
  const isFinal = isLastAttempt || (error instanceof DeadlineExceededError && error.isFinal);
  log.error({ err: error, isFinal }, 'import attempt failed');
  // The queue stores the message of the error: it must not contain internal text.
  if (!isFinal) throw new ImportFailedError('the import failed; the log has the cause');
  if (attempt !== null && !(await failAttempt(context, attempt, importId, error))) return;
  throw new FinalFailure('the import failed; the log has the cause');
}

/**
 * Fails the import of an attempt; false when the import has ended otherwise, as where the answer to the attempt's own
 * end was lost, or another attempt has taken it over.
 */
async function failAttempt(
  context: WorkerContext,
  { runId, log }: ImportAttempt,
  importId: string,
  error: unknown,
): Promise<boolean> {
  try {
    return await failAndNotify(context, importId, { runId }, failureOf(error));
  } catch (cause) {
    // The queue's failed job fails it, or the sweep.
    log.error({ err: cause }, 'import not marked as failed, left to the sweep');
    return true;
  }
}

/** What a vendor may see of an internal error. */
function failureOf(error: unknown): ImportFailure | null {
  if (!(error instanceof DeadlineExceededError)) return null;
  return { code: 'import-deadline-exceeded', detail: error.message, severity: 'error' };
}
