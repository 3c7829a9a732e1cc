import { randomUUID } from 'node:crypto';
import { startImport } from '../shared/db/imports.ts';
import type { ImportEnd } from '../shared/db/imports.ts';
import type { RunningImport } from '../shared/db/judge-registration.ts';
import type { ImportFailure, ImportModel } from '../shared/db/models.ts';
import {
  endRejected,
  endValidation,
  registerModule,
  registryProblems,
  TakenOverError,
} from '../shared/db/register-module.ts';
import type { StoredContents } from '../shared/db/register-module.ts';
import { forgetUploads } from '../shared/db/retention.ts';
import { FinalFailure } from '../shared/jobs.ts';
import type { JobRun } from '../shared/jobs.ts';
import { checkPackage } from '../shared/package/check-package.ts';
import type { PackageContent, PackageReport } from '../shared/package/check-package.ts';
import type { Problem } from '../shared/package/problem.ts';
import type { PackageSource } from '../shared/package/source.ts';
import { DeadlineExceededError } from './deadlines.ts';
import { giveUpImport } from './give-up-import.ts';
import { ImportProgressReport } from './import-progress.ts';
import { ImportWatch } from './import-watch.ts';
import type { WatchedContext } from './import-watch.ts';
import { PackageStaging } from './package-staging.ts';
import { storageSource } from './storage-source.ts';
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
    if (row.validateOnly) await removeUpload(context, row);
  } catch (error) {
    watch?.broken(error);
    const log = watch?.context.log ?? context.log.child({ importId: job.importId });
    await handleFailure({ ...context, log }, job, error);
  } finally {
    context.notifier.changed(job.importId);
  }
}

/** The life of an import in the worker: read, check, store, write, each watched and in its time. */
async function runImport(context: WatchedContext, row: ImportModel): Promise<ImportEnd> {
  const run = runningImport(context, row);
  const progress = new ImportProgressReport(context, run);
  const staging = new PackageStaging(context);
  try {
    const source = await context.step('reading', () => openUpload(context, row));
    const report = await context.step('checking', () => checkUpload(context, row, source, progress, staging));
    const { content, problems } = report;
    if (content === null) return await reject(context, run, report, staging, progress);
    if (run.validateOnly) return await validate(context, run, content, problems, progress);
    const stored = await context.step('storing', () => storeFiles(staging, progress));
    await progress.stop();
    return await context.step('writing', (commit) =>
      commit(() => registerModule(context.database, run, content, problems, stored)),
    );
  } catch (error) {
    await staging.discard();
    throw error;
  } finally {
    await progress.stop();
  }
}

async function openUpload({ storage }: WorkerContext, row: ImportModel): Promise<PackageSource> {
  if (row.uploadKey === null) throw new Error('the upload is no longer kept');
  return storageSource(storage, row.uploadKey, row.sizeBytes);
}

async function checkUpload(
  context: WatchedContext,
  row: ImportModel,
  source: PackageSource,
  progress: ImportProgressReport,
  staging: PackageStaging,
): Promise<PackageReport> {
  const sink = row.validateOnly ? undefined : staging;
  return checkPackage(source, context.checkSettings, sink, (completed, total) => {
    progress.report({ step: 'checking', completed, total });
  });
}

async function storeFiles(staging: PackageStaging, progress: ImportProgressReport): Promise<StoredContents> {
  return staging.keep((completed, total) => {
    progress.report({ step: 'storing', completed, total });
  });
}

/** The registry's problems are told beside the others, where the descriptor could be read. */
async function reject(
  context: WatchedContext,
  run: RunningImport,
  report: PackageReport,
  staging: PackageStaging,
  progress: ImportProgressReport,
): Promise<ImportEnd> {
  await staging.discard();
  const registry =
    report.subject === null ? [] : await registryProblems(context.database, run, report.subject);
  await progress.stop();
  const problems = [...report.problems, ...registry];
  return context.step('writing', (commit) =>
    commit(() => endRejected(context.database, run, report.subject, problems)),
  );
}

async function validate(
  context: WatchedContext,
  run: RunningImport,
  content: PackageContent,
  warnings: readonly Problem[],
  progress: ImportProgressReport,
): Promise<ImportEnd> {
  await progress.stop();
  return context.step('writing', (commit) =>
    commit(() => endValidation(context.database, run, content, warnings)),
  );
}

/** A package that was only to be judged is not kept. When this fails, collection makes up for it. */
async function removeUpload(context: WorkerContext, { id, uploadKey }: ImportModel): Promise<void> {
  if (uploadKey === null) return;
  await context.storage.remove(uploadKey);
  await forgetUploads(context.database, [id]);
}

function runningImport(context: WorkerContext, row: ImportModel): RunningImport {
  if (row.runId === null) throw new Error('a started import has no run');
  return {
    id: row.id,
    runId: row.runId,
    organizationId: row.organizationId,
    tenantId: row.tenantId,
    newModuleId: row.newModuleId,
    validateOnly: row.validateOnly,
    expectedRevisions: row.expectedRevisions,
    createdAt: row.createdAt,
    failedAt: row.failedAt,
    maxReportedProblems: context.config.limits.maxReportedProblems,
  };
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
