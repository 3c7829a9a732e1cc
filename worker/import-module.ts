import { randomUUID } from 'node:crypto';
import { forgetArchive } from '../shared/db/archives.ts';
import { startImport } from '../shared/db/imports.ts';
import type { ImportEnd } from '../shared/db/imports.ts';
import type { ImportFailure } from '../shared/db/models.ts';
import type { RunningImport } from '../shared/db/registry-state.ts';
import { FinalFailure } from '../shared/jobs.ts';
import type { JobRun } from '../shared/jobs.ts';
import { checkPackage } from '../shared/package/check-package.ts';
import type { PackageReport } from '../shared/package/check-package.ts';
import type { PackageSource } from '../shared/package/source.ts';
import { storageSource } from '../shared/storage/package-source.ts';
import { Registration, TakenOverError } from '../shared/registration/registration.ts';
import { DeadlineExceededError } from './deadlines.ts';
import { giveUpImport } from './give-up-import.ts';
import { ImportProgressReport } from './import-progress.ts';
import { ImportWatch } from './import-watch.ts';
import type { WatchedContext } from './import-watch.ts';
import type { WorkerContext } from './worker-context.ts';

/** The import failed by our fault; the log line beside it has the cause. This text may be shown to operators. */
class ImportFailedError extends Error {
  override readonly name = 'ImportFailedError';
}

/**
 * Runs one import job. A rejected package completes the job; a fault of ours throws, so that the queue
 * tries again and, after the last attempt, lists it as failed. A job whose import is unknown or finished
 * does nothing.
 */
export async function importModule(context: WorkerContext, job: JobRun): Promise<void> {
  let watch: ImportWatch | null = null;
  try {
    const row = await startImport(context.hastyDatabase, job.importId, randomUUID());
    if (row === null) return;
    watch = new ImportWatch(context, row);
    const end = await runImport(watch.context, row);
    watch.ended(end);
    if (row.validateOnly) await removeArchive(context, row);
  } catch (error) {
    watch?.broken(error);
    const log = watch?.context.log ?? context.log.child({ importId: job.importId });
    await handleFailure({ ...context, log }, job, error);
  } finally {
    context.notifier.changed(job.importId);
  }
}

/** The life of an import in the worker: read, check, write, each watched and in its time. */
async function runImport(context: WatchedContext, run: RunningImport): Promise<ImportEnd> {
  const progress = new ImportProgressReport(context, run);
  const registration = new Registration(context.database, run, context.config.limits.maxReportedProblems);
  try {
    const source = await context.step('reading', () => openArchive(context, run));
    const report = await context.step('checking', () => checkArchive(context, source, progress));
    await progress.stop();
    return await context.step('writing', (commit) => commit(() => register(registration, run, report)));
  } finally {
    await progress.stop();
  }
}

async function openArchive({ storage }: WorkerContext, run: RunningImport): Promise<PackageSource> {
  if (run.archiveKey === null) throw new Error('the archive of the import is no longer kept');
  return storageSource(storage, run.archiveKey, run.sizeBytes);
}

async function checkArchive(
  context: WatchedContext,
  source: PackageSource,
  progress: ImportProgressReport,
): Promise<PackageReport> {
  return checkPackage(source, context.checkSettings, (completed, total) => {
    progress.report({ step: 'checking', completed, total });
  });
}

async function register(
  registration: Registration,
  { validateOnly }: RunningImport,
  { content, problems, subject }: PackageReport,
): Promise<ImportEnd> {
  if (content === null) return registration.reject(subject, problems);
  return validateOnly ? registration.validate(content, problems) : registration.register(content, problems);
}

/** A package that was only to be validated is not kept. When this fails, collection makes up for it. */
async function removeArchive(context: WorkerContext, { id, archiveKey }: RunningImport): Promise<void> {
  await forgetArchive(context.database, id);
  if (archiveKey !== null) await context.storage.remove(archiveKey);
}

async function handleFailure(context: WorkerContext, job: JobRun, error: unknown): Promise<void> {
  const { importId, isLastAttempt } = job;
  if (error instanceof TakenOverError) {
    context.log.info('import taken over by another attempt');
    return;
  }
  const isFinal = isLastAttempt || (error instanceof DeadlineExceededError && error.isFinal);
  context.log.error({ err: error, isFinal }, 'import attempt failed');
  if (isFinal) await giveUpImport(context, importId, failureOf(error));
  // The queue keeps the message of what is thrown: it must not carry inner text.
  if (isFinal) throw new FinalFailure('the import failed; the log names the cause');
  throw new ImportFailedError('the import failed; the log names the cause');
}

/** What a vendor may be told of our fault. */
function failureOf(error: unknown): ImportFailure | null {
  if (!(error instanceof DeadlineExceededError)) return null;
  return { code: 'import-deadline-exceeded', detail: error.message, severity: 'error' };
}
