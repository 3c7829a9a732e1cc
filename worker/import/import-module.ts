import { randomUUID } from 'node:crypto';
import { returnToQueue, type ImportJob } from '../../shared/db/imports/attempts.ts';
import { SuspendedError, TakenOverError } from '../../shared/registration/registration.ts';
import { failAndNotify } from './fail-import.ts';
import { ATTEMPT_ENDED, failureFields, ImportAttempt } from './import-attempt.ts';
import type { WorkerContext } from '../worker-context.ts';

/** An attempt failed by an internal error, and another follows. The queue shows this text. */
class AttemptFailedError extends Error {
  override readonly name = 'AttemptFailedError';
}

/**
 * Runs one import job. It throws where the queue has to try again: after an internal error, until the import's
 * deadline. Then the import is failed in its row, and the job completes, as where the package is rejected. A job whose
 * import is unknown or finished does nothing.
 */
export async function importModule(context: WorkerContext, job: ImportJob): Promise<void> {
  let attempt: ImportAttempt | null = null;
  try {
    const run = await context.starts.add({ ...job, runId: randomUUID() });
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
  { importId }: ImportJob,
  error: unknown,
): Promise<void> {
  if (error instanceof TakenOverError) {
    attempt?.logFailure(error, true);
    return;
  }
  if (attempt !== null && error instanceof SuspendedError) {
    await returnToQueue(context.database, attempt.run);
    attempt.logFailure(error, false);
    return;
  }
  const status = attempt === null ? 'running' : await recordAttempt(context, attempt, importId, error);
  if (attempt === null)
    context.log.error({ importId, ...failureFields(error), isFinal: false }, ATTEMPT_ENDED);
  else attempt.logFailure(error, status === 'failed');
  // The queue stores the message of the error: it must not contain internal text.
  if (status === 'running') throw new AttemptFailedError('the attempt failed; the import has the cause');
}

/**
 * Records why an attempt failed; null when the import has ended otherwise, as where the answer to the attempt's own
 * end was lost, or another attempt has taken it over.
 */
async function recordAttempt(
  context: WorkerContext,
  attempt: ImportAttempt,
  importId: string,
  error: unknown,
): Promise<'running' | 'failed' | null> {
  try {
    return await failAndNotify(context, importId, { runId: attempt.runId }, attempt.failureBy(error));
  } catch (cause) {
    // The next attempt decides.
    attempt.log.error({ err: cause }, 'failed import attempt not recorded');
    return 'running';
  }
}
