import { createHash } from 'node:crypto';
import { canonicalJson } from '../package/canonical-json.ts';
import type { PackageContent, PackageSubject } from '../package/check-package.ts';
import type { Descriptor } from '../package/descriptor.ts';
import { mergeTranslations } from '../package/merge-translations.ts';
import { listProblems, problem } from '../package/problem.ts';
import type { Problem } from '../package/problem.ts';
import { isUniqueViolation } from './database.ts';
import type { Database } from './database.ts';
import { endImport } from './imports.ts';
import type { ImportEnd } from './imports.ts';
import { judgeRegistration, lockModule, SCOPE_TAKEN } from './judge-registration.ts';
import type { ModuleState, RunningImport } from './judge-registration.ts';
import { outdateAlertRules } from './outdate-alert-rules.ts';
import { writeRevision } from './write-revision.ts';
import type { NextRevision } from './write-revision.ts';

/** Another attempt has taken the import over: this one must write nothing more. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';
}

const TAKEN_OVER = 'another attempt runs this import';

/** Where the files of a package are stored, by SHA-256. */
export type StoredContents = ReadonlyMap<string, string>;

/**
 * Writes a module and the end of its import in one transaction, or the rejection. Of two imports that
 * race for one scope the database's index decides.
 * @throws TakenOverError when another attempt runs the import.
 */
export async function registerModule(
  database: Database,
  run: RunningImport,
  content: PackageContent,
  warnings: readonly Problem[],
  stored: StoredContents,
): Promise<ImportEnd> {
  const write = (transaction: Database) => register(transaction, run, content, warnings, stored);
  try {
    // Nothing is serialised for a module that gets a new ID: its one writing statement is a transaction.
    return await (content.descriptor.moduleId === null ? write(database) : database.transaction(write));
  } catch (error) {
    if (!isUniqueViolation(error, 'modules_scope')) throw error;
    return endRejected(database, run, content.descriptor, [...warnings, SCOPE_TAKEN]);
  }
}

async function register(
  transaction: Database,
  run: RunningImport,
  content: PackageContent,
  warnings: readonly Problem[],
  stored: StoredContents,
): Promise<ImportEnd> {
  const { moduleId } = content.descriptor;
  if (moduleId !== null) await lockModule(transaction, moduleId);
  const { problems, current, lastRevision } = await judgeRegistration(transaction, run, content.descriptor);
  if (problems.length > 0)
    return endRejected(transaction, run, content.descriptor, [...warnings, ...problems]);
  const next = nextRevision(run, content, current, lastRevision);
  const allWarnings = [...warnings, ...removedParts(current, content)];
  if (current?.fingerprint.equals(next.fingerprint) === true)
    return endSucceeded(transaction, run, current, next, allWarnings);
  const importEnd = succeeded(run, current, next, allWarnings);
  const isWritten = await writeRevision(transaction, next, content.files, stored, {
    runId: run.runId,
    outcome: current === null ? 'created' : 'updated',
    warnings: importEnd.lists.warnings,
  });
  if (!isWritten) throw new TakenOverError(TAKEN_OVER);
  await outdateAlertRules(transaction, next, lastRevision);
  return importEnd;
}

/** Judges a package by the registry's rules alone, beside what else is wrong with it; writes nothing. */
export async function registryProblems(
  database: Database,
  run: RunningImport,
  subject: PackageSubject,
): Promise<readonly Problem[]> {
  return (await judgeRegistration(database, run, subject)).problems;
}

/** Ends an import that only asked whether its package would pass: nothing is written but that. */
export async function endValidation(
  database: Database,
  run: RunningImport,
  content: PackageContent,
  warnings: readonly Problem[],
): Promise<ImportEnd> {
  const { problems, current, lastRevision } = await judgeRegistration(database, run, content.descriptor);
  if (problems.length > 0) return endRejected(database, run, content.descriptor, [...warnings, ...problems]);
  const next = nextRevision(run, content, current, lastRevision);
  return endSucceeded(database, run, current, next, [...warnings, ...removedParts(current, content)]);
}

/** Ends an import as rejected with these problems; the subject is null where the descriptor could not be read. */
export async function endRejected(
  database: Database,
  run: RunningImport,
  subject: PackageSubject | null,
  problems: readonly Problem[],
): Promise<ImportEnd> {
  return end(database, run, {
    status: 'rejected',
    namedModuleId: subject?.moduleId ?? null,
    lists: listProblems(problems, run.maxReportedProblems),
  });
}

async function endSucceeded(
  database: Database,
  run: RunningImport,
  current: ModuleState | null,
  next: NextRevision,
  warnings: readonly Problem[],
): Promise<ImportEnd> {
  return end(database, run, succeeded(run, current, next, warnings));
}

function succeeded(
  run: RunningImport,
  current: ModuleState | null,
  next: NextRevision,
  warnings: readonly Problem[],
): ImportEnd {
  const isUnchanged = current?.fingerprint.equals(next.fingerprint) === true;
  const outcome = isUnchanged ? 'unchanged' : current === null ? 'created' : 'updated';
  const isNewId = current === null && next.descriptor.moduleId === run.newModuleId;
  return {
    status: 'succeeded',
    outcome,
    moduleId: run.validateOnly && isNewId ? null : next.moduleId,
    revision: isUnchanged ? current.revision : next.revision,
    lists: listProblems(warnings, run.maxReportedProblems),
  };
}

async function end(database: Database, run: RunningImport, importEnd: ImportEnd): Promise<ImportEnd> {
  if (!(await endImport(database, run, importEnd))) throw new TakenOverError(TAKEN_OVER);
  return importEnd;
}

function nextRevision(
  run: RunningImport,
  content: PackageContent,
  current: ModuleState | null,
  lastRevision: number,
): NextRevision {
  const moduleId = content.descriptor.moduleId ?? run.newModuleId;
  const translations = mergeTranslations(current?.translations ?? [], content.descriptor.translations);
  const descriptor: Descriptor = { ...content.descriptor, moduleId, translations };
  return {
    moduleId,
    revision: lastRevision + 1,
    organizationId: run.organizationId,
    tenantId: run.tenantId,
    importId: run.id,
    descriptor,
    roles: content.roles,
    alertRules: content.alertRules,
    fingerprint: fingerprintOf(descriptor, content.files),
  };
}

/** SHA-256 of the descriptor's normal form and of each file: equal means that nothing changed. */
function fingerprintOf(descriptor: Descriptor, files: PackageContent['files']): Buffer {
  const hash = createHash('sha256').update(canonicalJson(descriptor));
  for (const { path, sha256 } of files) hash.update(`\0${path}\0${sha256}`);
  return hash.digest();
}

function removedParts(current: ModuleState | null, content: PackageContent): Problem[] {
  const present = new Set(content.files.map((file) => file.path.split('/', 1)[0]));
  const removed = (current?.folders ?? []).filter((folder) => !present.has(folder));
  return removed.map((folder) =>
    problem(
      'layout-part-removed',
      `The module had files in ${folder}/, the package has none: the update removes them.`,
      {
        entry: `${folder}/`,
      },
    ),
  );
}
