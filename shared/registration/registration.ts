import { createHash } from 'node:crypto';
import { isUniqueViolation } from '../db/database.ts';
import type { Database } from '../db/database.ts';
import type { EncryptionKeys } from '../encryption/encryption-keys.ts';
import { endImport } from '../db/imports/imports.ts';
import type { ImportEnd } from '../db/imports/imports.ts';
import { outdateAlertRules } from '../db/alerts/outdate-alert-rules.ts';
import { lockModule, readRegistryState } from '../db/modules/registry-state.ts';
import type { RegisteredModule, RegistryState, RunningImport } from '../db/modules/registry-state.ts';
import { deleteOldestRevisions } from '../db/modules/old-revisions.ts';
import { writeRevision } from '../db/modules/write-revision.ts';
import type { NextRevision } from '../db/modules/write-revision.ts';
import { canonicalJson } from '../package/text/canonical-json.ts';
import type { PackageContent, PackageSubject } from '../package/package-report.ts';
import type { Descriptor } from '../package/descriptor/descriptor.ts';
import { mergeTranslations } from '../package/descriptor/normal-descriptor.ts';
import { listProblems, problem } from '../package/problem.ts';
import type { Problem } from '../package/problem.ts';
import type { ModuleQuota } from './module-quota.ts';
import { currentModule, quotaProblem, registryProblems } from './registry-problems.ts';

/** Another attempt has taken the import over: this one must write nothing more. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';

  constructor() {
    super('another attempt runs this import');
  }
}

/** The state for a package that names no module. The unique index of the database checks its scope. */
const NOTHING: RegistryState = { module: null, scopeHolder: null, laterImportId: null };

/** A scope can be freed and taken again between two queries. */
const MAX_TRIES = 3;

/** The database, the keys of what it must not show, and how much it may keep. */
export interface RegistryContext {
  readonly database: Database;
  readonly encryptionKeys: EncryptionKeys;
  readonly moduleQuota: ModuleQuota;
}

/** How much a report lists, and a module keeps. */
export interface RegistryLimits {
  readonly maxReportedProblems: number;
  /** The oldest revisions beyond so many are deleted. */
  readonly maxRevisionsPerModule: number;
}

/** Applies one import's package to the registry. Each method ends the import. */
export class Registration {
  readonly #database: Database;
  readonly #keys: EncryptionKeys;
  readonly #run: RunningImport;
  readonly #quota: ModuleQuota;
  readonly #limits: RegistryLimits;

  constructor(
    { database, encryptionKeys, moduleQuota }: RegistryContext,
    run: RunningImport,
    limits: RegistryLimits,
  ) {
    this.#database = database;
    this.#keys = encryptionKeys;
    this.#run = run;
    this.#quota = moduleQuota;
    this.#limits = limits;
  }

  /**
   * Writes a module's next revision and the end of its import in one transaction, or the rejection. If two imports
   * race for one scope, the database's unique index lets one of them through.
   * @throws TakenOverError when another attempt runs the import.
   */
  async register(content: PackageContent, warnings: readonly Problem[]): Promise<ImportEnd> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#register(content, warnings);
      } catch (error) {
        if (!isUniqueViolation(error, 'modules_scope')) throw error;
        const problems = await this.#problems(this.#database, content.subject);
        if (problems.length > 0)
          return this.#reject(this.#database, content.subject, [...warnings, ...problems]);
        if (attempt === MAX_TRIES) throw error;
      }
    }
  }

  /** Ends an import that only validates its package: nothing else is written. */
  async validate(content: PackageContent, warnings: readonly Problem[]): Promise<ImportEnd> {
    const state = await readRegistryState(this.#database, this.#keys, this.#run, content.descriptor);
    const { end } = this.#decide(content, warnings, state);
    return this.#end(this.#database, end);
  }

  /** Ends an import as rejected; where the descriptor could be read, the registry's problems are listed too. */
  async reject(subject: PackageSubject | null, problems: readonly Problem[]): Promise<ImportEnd> {
    const others = subject === null ? [] : await this.#problems(this.#database, subject);
    return this.#reject(this.#database, subject, [...problems, ...others]);
  }

  async #problems(database: Database, subject: PackageSubject): Promise<readonly Problem[]> {
    return registryProblems(
      this.#run,
      subject,
      await readRegistryState(database, this.#keys, this.#run, subject),
    );
  }

  async #register(content: PackageContent, warnings: readonly Problem[]): Promise<ImportEnd> {
    const { moduleId } = content.descriptor;
    // A module with a new ID needs no lock: the one statement that writes it is a transaction.
    if (moduleId === null) return this.#write(this.#database, content, warnings, NOTHING);
    return this.#database.transaction(async (transaction) => {
      await lockModule(transaction, moduleId);
      const state = await readRegistryState(transaction, this.#keys, this.#run, content.descriptor);
      return this.#write(transaction, content, warnings, state);
    });
  }

  async #write(
    transaction: Database,
    content: PackageContent,
    warnings: readonly Problem[],
    state: RegistryState,
  ): Promise<ImportEnd> {
    const { end, next, lastRevision } = this.#decide(content, warnings, state);
    if (end.status !== 'succeeded' || end.outcome === 'unchanged') return this.#end(transaction, end);
    if (end.outcome === 'created' && (await this.#quota.isUsedUp(transaction, next.organizationId)))
      return this.#reject(transaction, content.subject, [...warnings, quotaProblem(this.#quota.max)]);
    const isWritten = await writeRevision(transaction, this.#keys, next, content.files, {
      runId: this.#run.runId,
      outcome: end.outcome,
      warnings: end.lists.warnings,
    });
    if (!isWritten) throw new TakenOverError();
    await outdateAlertRules(transaction, next, lastRevision);
    const tooOld = next.revision - this.#limits.maxRevisionsPerModule;
    if (tooOld > 0) await deleteOldestRevisions(transaction, next.moduleId, tooOld);
    return end;
  }

  /** How the import ends in this state of the registry, and the revision that it writes where it changes the module. */
  #decide(content: PackageContent, warnings: readonly Problem[], state: RegistryState) {
    const run = this.#run;
    const current = currentModule(run, state);
    const lastRevision = state.module?.revision ?? 0;
    const next = nextRevision(run, content, current, lastRevision);
    const isUnchanged = current?.fingerprint.equals(next.fingerprint) === true;
    // An import that changes nothing replaces nothing, whenever it was accepted.
    const relevant = isUnchanged ? { ...state, laterImportId: null } : state;
    const problems = registryProblems(run, content.subject, relevant);
    const allWarnings = withRemovedParts(warnings, current, content);
    const end: ImportEnd =
      problems.length > 0
        ? this.#rejection(content.subject, [...warnings, ...problems])
        : {
            status: 'succeeded',
            outcome: isUnchanged ? 'unchanged' : current === null ? 'created' : 'updated',
            // An ID that validateOnly would have generated is not reserved.
            moduleId: run.validateOnly && content.descriptor.moduleId === null ? null : next.moduleId,
            revision: isUnchanged ? current.revision : next.revision,
            lists: listProblems(allWarnings, this.#limits.maxReportedProblems),
          };
    return { end, next, lastRevision };
  }

  #rejection(subject: PackageSubject | null, problems: readonly Problem[]): ImportEnd {
    return {
      status: 'rejected',
      namedModuleId: subject?.moduleId ?? null,
      lists: listProblems(problems, this.#limits.maxReportedProblems),
    };
  }

  async #reject(
    database: Database,
    subject: PackageSubject | null,
    problems: readonly Problem[],
  ): Promise<ImportEnd> {
    return this.#end(database, this.#rejection(subject, problems));
  }

  async #end(database: Database, end: ImportEnd): Promise<ImportEnd> {
    if (!(await endImport(database, this.#run, end))) throw new TakenOverError();
    return end;
  }
}

function nextRevision(
  run: RunningImport,
  content: PackageContent,
  current: RegisteredModule | null,
  lastRevision: number,
): NextRevision {
  if (run.archiveKey === null) throw new Error('the archive of the import is no longer kept');
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
    packing: packingOf(content.files),
    archiveKey: run.archiveKey,
    archiveBytes: run.sizeBytes,
    archiveSha256: run.sha256,
  };
}

/** SHA-256 of the descriptor's normal form and of each file: equal means that nothing changed. */
function fingerprintOf(descriptor: Descriptor, files: PackageContent['files']): Buffer {
  const hash = createHash('sha256').update(canonicalJson(descriptor));
  for (const { path, sha256 } of files) hash.update(`\0${path}\0${sha256}`);
  return hash.digest();
}

/** SHA-256 of how each file is compressed: equal contents that are packed alike make equal exports. */
function packingOf(files: PackageContent['files']): Buffer {
  const hash = createHash('sha256');
  for (const { method, packedBytes, packedCrc32 } of files)
    hash.update(`${method} ${packedBytes} ${packedCrc32}\n`);
  return hash.digest();
}

/** The warnings of an import; a folder that the update removes is not also reported as missing. */
function withRemovedParts(
  warnings: readonly Problem[],
  current: RegisteredModule | null,
  content: PackageContent,
): readonly Problem[] {
  const removed = removedParts(current, content);
  const isRemoved = ({ code, entry }: Problem) =>
    code === 'layout-part-missing' && removed.some((each) => each.entry === entry);
  return [...warnings.filter((each) => !isRemoved(each)), ...removed];
}

function removedParts(current: RegisteredModule | null, content: PackageContent): Problem[] {
  const present = new Set(content.files.map((file) => file.path.split('/', 1)[0]));
  const removed = (current?.folders ?? []).filter((folder) => !present.has(folder));
  return removed.map((folder) =>
    problem(
      'layout-part-removed',
      `The module had files in ${folder}/, the package has none: the update removes them.`,
      { entry: `${folder}/` },
    ),
  );
}
