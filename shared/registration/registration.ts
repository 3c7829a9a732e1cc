import { isUniqueViolation, type Database } from '../db/database.ts';
import type { EncryptionKeys } from '../encryption/encryption-keys.ts';
import { lostBy } from '../db/access/authority.ts';
import { findOrganization } from '../db/access/organizations.ts';
import { endImport, type ImportEnd, type RejectedImport } from '../db/imports/attempts.ts';
import {
  findUnknownModules,
  lockModule,
  readRegistryState,
  type RegisteredModule,
  type RegistryState,
  type RunningImport,
} from '../db/modules/registry-state.ts';
import { deleteOldestRevisions } from '../db/modules/old-revisions.ts';
import { isDeclined } from '../db/modules/reviews.ts';
import { ReleaseDecidedError } from '../db/modules/models.ts';
import {
  revisionWrite,
  writeRevisions,
  type NextRevision,
  type RevisionWrite,
} from '../db/modules/write-revision.ts';
import { Pacer } from '../package/archive/pacer.ts';
import type { PackageContent, PackageReport, PackageSubject } from '../package/package-report.ts';
import type { Descriptor } from '../package/descriptor/descriptor.ts';
import { mergeTranslations } from '../package/descriptor/normal-descriptor.ts';
import { placeholdersOf } from '../package/placeholders.ts';
import { removablePartsOf, withRemovedParts } from '../package/removals.ts';
import { passedChecks } from '../package/rule-versions.ts';
import { listProblems, type CodeCounts, type Problem } from '../package/problem.ts';
import { recheckAfterRelease } from './recheck-module.ts';
import type { ModuleQuota } from './module-quota.ts';
import type { NewModules } from './new-modules.ts';
import { fingerprintOf, packingOf } from './fingerprint.ts';
import { removalWarnings } from './removal-warnings.ts';
import {
  dependencyWarnings,
  currentModule,
  sameRevision,
  keptScopeWarnings,
  quotaProblem,
  registryProblems,
  releaseWarnings,
  unauthorizedProblem,
} from './registry-problems.ts';

/** Another attempt has taken the import over: this one must write nothing more. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';

  constructor() {
    super('another attempt runs this import');
  }
}

/** The state for a package that names no module. The primary key of the scopes checks its scope. */
const NOTHING: RegistryState = { module: null, scopeHolder: null, laterImportId: null };

/** A scope can be freed and taken again between two queries. */
const MAX_TRIES = 3;

/** The report of a package with errors. */
type Rejected = Pick<PackageReport, 'subject' | 'problems' | 'omittedErrors'>;

/** The database, the keys of its sealed values, and its quotas. */
export interface RegistryContext {
  readonly database: Database;
  readonly encryptionKeys: EncryptionKeys;
  readonly moduleQuota: ModuleQuota;
  readonly newModules: NewModules;
}

/** What a deployment and an organization allow. */
export interface RegistryLimits {
  readonly maxReportedProblems: number;
  readonly maxModulesPerOrganization: number;
  /** The oldest revisions beyond this number are deleted. */
  readonly maxRevisionsPerModule: number;
  /** Whether operators approve the first release of a module whose vendor is not verified. */
  readonly reviewFirstReleases: boolean;
}

/** The organization of an import is suspended: the import waits. */
export class SuspendedError extends Error {
  override readonly name = 'SuspendedError';
}

/** Applies one import's package to the registry. Each method ends the import. */
export class Registration {
  readonly #context: RegistryContext;
  readonly #database: Database;
  readonly #run: RunningImport;
  readonly #limits: RegistryLimits;

  constructor(context: RegistryContext, run: RunningImport, limits: RegistryLimits) {
    this.#context = context;
    this.#database = context.database;
    this.#run = run;
    this.#limits = limits;
  }

  /**
   * Writes a module's next revision and the end of its import in one transaction, or the rejection. If two imports
   * race for one scope, the primary key of the scopes lets one of them through.
   * @throws TakenOverError when another attempt runs the import.
   */
  async register(content: PackageContent, found: readonly Problem[]): Promise<ImportEnd> {
    const warnings = await this.#withDependencies(content, found);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#register(content, warnings);
      } catch (error) {
        const isRace = isUniqueViolation(error, 'scopes_pkey') || error instanceof ReleaseDecidedError;
        if (!isRace) throw error;
        const problems = await this.#problems(content.subject);
        if (problems.length > 0)
          return this.#end(this.#database, this.#rejection(content.subject, [...warnings, ...problems]));
        if (attempt === MAX_TRIES) throw error;
      }
    }
  }

  /** Ends an import that only validates its package: nothing else is written. */
  async validate(content: PackageContent, found: readonly Problem[]): Promise<ImportEnd> {
    const warnings = await this.#withDependencies(content, found);
    const state = await this.#readState(this.#database, content.descriptor);
    const { end } = await this.#decide(this.#database, content, warnings, state);
    return this.#end(this.#database, await this.#withinQuota(this.#database, end, content, warnings));
  }

  /** Ends an import as rejected; where the descriptor could be read, the registry's problems are listed too. */
  async reject({ subject, problems, omittedErrors }: Rejected): Promise<ImportEnd> {
    const others = subject === null ? [] : await this.#problems(subject);
    return this.#end(this.#database, this.#rejection(subject, [...problems, ...others], omittedErrors));
  }

  /** The warnings, and those about modules that the package depends on. */
  async #withDependencies(
    { descriptor }: PackageContent,
    warnings: readonly Problem[],
  ): Promise<readonly Problem[]> {
    const { dependencies } = descriptor;
    if (dependencies.length === 0) return warnings;
    const unknown = await findUnknownModules(this.#database, this.#run.tenantId, dependencies);
    return [...warnings, ...dependencyWarnings(unknown)];
  }

  async #problems(subject: PackageSubject): Promise<readonly Problem[]> {
    return registryProblems(this.#run, subject, await this.#readState(this.#database, subject));
  }

  async #readState(database: Database, named: Pick<PackageSubject, 'moduleId' | 'scope'>) {
    return readRegistryState(database, this.#context.encryptionKeys, this.#run, named);
  }

  async #register(content: PackageContent, warnings: readonly Problem[]): Promise<ImportEnd> {
    const { moduleId } = content.descriptor;
    // A module with a new ID needs no lock: the one statement that writes it is a transaction.
    if (moduleId === null)
      return this.#write(this.#database, content, warnings, NOTHING, async (write) =>
        this.#context.newModules.add(write),
      );
    const end = await this.#database.transaction(async (transaction) => {
      await lockModule(transaction, moduleId);
      const state = await this.#readState(transaction, content.descriptor);
      return this.#write(transaction, content, warnings, state, async (write) => {
        const [isWritten = false] = await writeRevisions(transaction, [write]);
        return isWritten;
      });
    });
    const isVisible = end.status === 'succeeded' && end.outcome !== 'unchanged' && end.released;
    // Nothing depends on a new module: this saves most imports a round trip.
    if (isVisible && end.revision > 1) await recheckAfterRelease(this.#database, moduleId);
    return end;
  }

  async #write(
    transaction: Database,
    content: PackageContent,
    warnings: readonly Problem[],
    state: RegistryState,
    writeRevision: (write: RevisionWrite) => Promise<boolean>,
  ): Promise<ImportEnd> {
    const { end: decided, next } = await this.#decide(transaction, content, warnings, state);
    const end = await this.#withinQuota(transaction, decided, content, warnings);
    if (end.status !== 'succeeded' || end.outcome === 'unchanged') return this.#end(transaction, end);
    const ended = { ...end, runId: this.#run.runId };
    const { encryptionKeys } = this.#context;
    if (!(await writeRevision(revisionWrite(encryptionKeys, { next, files: content.files, end: ended }))))
      return this.#endUnauthorized(transaction, content.subject);
    const tooOld = next.revision - this.#limits.maxRevisionsPerModule;
    if (tooOld > 0) await deleteOldestRevisions(transaction, next.moduleId, tooOld);
    return end;
  }

  /**
   * Nothing was written: the authority for the import was withdrawn, its organization is suspended, or another attempt
   * has taken it over.
   */
  async #endUnauthorized(database: Database, subject: PackageSubject): Promise<ImportEnd> {
    const lost = await lostBy(database, this.#run.authority);
    if (lost === null) throw new TakenOverError();
    if (lost === 'suspension') throw new SuspendedError('the organization is suspended');
    return this.#end(database, {
      ...this.#rejection(subject, [unauthorizedProblem()]),
      isUnauthorized: true,
    });
  }

  /** The end as decided, or a rejection if the organization has as many modules as it may. */
  async #withinQuota(
    database: Database,
    end: ImportEnd,
    { subject }: PackageContent,
    warnings: readonly Problem[],
  ): Promise<ImportEnd> {
    if (end.status !== 'succeeded' || end.outcome !== 'created') return end;
    const { maxModulesPerOrganization: max } = this.#limits;
    if (!(await this.#context.moduleQuota.isUsedUp(database, this.#run.organizationId, max))) return end;
    return this.#rejection(subject, [...warnings, quotaProblem(max)]);
  }

  /** How the import ends in this state of the registry, and the revision that it writes where it changes the module. */
  async #decide(
    database: Database,
    content: PackageContent,
    warnings: readonly Problem[],
    state: RegistryState,
  ) {
    const run = this.#run;
    const current = currentModule(run, state);
    const isReviewed = await this.#isReviewed(database, current);
    const { next, hasPlaceholders } = await nextRevision(
      { ...run, staged: run.staged || isReviewed },
      content,
      state.module,
      current,
    );
    const same = sameRevision(current, next.fingerprint);
    const isUnchanged = current !== null && same !== null;
    // An import that changes nothing replaces nothing, whenever it was accepted, and renames nothing.
    const problems = isUnchanged
      ? registryProblems({ ...run, renameScope: true }, content.subject, { ...state, laterImportId: null })
      : registryProblems(run, content.subject, state);
    const parts = removablePartsOf(content);
    const allWarnings = [
      ...withRemovedParts(warnings, current, parts),
      ...keptScopeWarnings(content.subject, current),
      ...(isUnchanged ? [] : await removalWarnings(database, next.moduleId, current, parts)),
      ...releaseWarnings(run, next, {
        ...{ current, same, hasPlaceholders, isReviewed },
        releasesItself: releasesItself(run, current),
        isDeclined: isUnchanged && isReviewed && (await isDeclined(database, next.moduleId, same)),
      }),
    ];
    const end: ImportEnd =
      problems.length > 0
        ? this.#rejection(content.subject, [...warnings, ...problems])
        : {
            status: 'succeeded',
            outcome: isUnchanged ? 'unchanged' : current === null ? 'created' : 'updated',
            // An ID that validateOnly would have generated is not reserved.
            moduleId: run.validateOnly && content.descriptor.moduleId === null ? null : next.moduleId,
            revision: isUnchanged ? same : next.revision,
            released: isUnchanged ? same === current.currentRevision : next.isReleased,
            lists: listProblems(allWarnings, this.#limits.maxReportedProblems),
          };
    return { end, next };
  }

  /** Whether an operator has to approve the release of the revision: it is the module's first, and nobody knows its vendor. */
  async #isReviewed(database: Database, current: RegisteredModule | null): Promise<boolean> {
    if (!this.#limits.reviewFirstReleases || (current?.currentRevision ?? null) !== null) return false;
    return (await findOrganization(database, this.#run.organizationId))?.verified !== true;
  }

  #rejection(
    subject: PackageSubject | null,
    problems: readonly Problem[],
    omittedErrors?: CodeCounts,
  ): RejectedImport {
    return {
      status: 'rejected',
      namedModuleId: subject?.moduleId ?? null,
      lists: listProblems(problems, this.#limits.maxReportedProblems, omittedErrors),
    };
  }

  async #end(database: Database, end: ImportEnd): Promise<ImportEnd> {
    if (!(await endImport(database, this.#run, end))) throw new TakenOverError();
    return end;
  }
}

async function nextRevision(
  run: RunningImport,
  content: PackageContent,
  module: RegisteredModule | null,
  current: RegisteredModule | null,
): Promise<{ readonly next: NextRevision; readonly hasPlaceholders: boolean }> {
  if (run.archiveKey === null) throw new Error('the archive of the import is no longer kept');
  const moduleId = content.descriptor.moduleId ?? run.newModuleId;
  // A placeholder is not kept: its author may have deleted the translation, and no later package could.
  const kept =
    current?.descriptor?.translations.filter((each) => placeholdersOf([each], []).length === 0) ?? [];
  const translations = mergeTranslations(kept, content.descriptor.translations);
  const scope = content.descriptor.scope ?? current?.scope ?? null;
  const descriptor: Descriptor = { ...content.descriptor, moduleId, scope, translations };
  const pacer = new Pacer();
  const hasPlaceholders = placeholdersOf(descriptor.translations, content.files).length > 0;
  const next: NextRevision = {
    moduleId,
    revision: (module?.lastRevision ?? 0) + 1,
    organizationId: run.organizationId,
    tenantId: run.tenantId,
    importId: run.id,
    descriptor,
    roles: content.roles,
    alertRules: content.alertRules,
    fingerprint: await fingerprintOf(descriptor, content.files, pacer),
    packing: await packingOf(content.files, pacer),
    archiveKey: run.archiveKey,
    archiveBytes: run.sizeBytes,
    archiveSha256: run.sha256,
    checks: passedChecks(content),
    isReleased: releasesItself(run, current) && current?.isReleaseDecided !== true && !hasPlaceholders,
  };
  return { next, hasPlaceholders };
}

/** Whether an import releases its revision, unless somebody has decided about releases since it was accepted. */
function releasesItself({ staged }: RunningImport, current: RegisteredModule | null): boolean {
  return !staged && current?.releasePolicy !== 'manual';
}
