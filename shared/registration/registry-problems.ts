import type { RegisteredModule, RegistryState, RunningImport } from '../db/modules/registry-state.ts';
import type { NextRevision } from '../db/modules/write-revision.ts';
import type { PackageSubject } from '../package/package-report.ts';
import { DESCRIPTOR_PATH } from '../package/layout/layout.ts';
import { problem, type Problem } from '../package/problem.ts';

const ID_NOT_ALLOWED =
  'This moduleId cannot be used. Leave it out to get a new one, or use the ID of a module of your own.';

/** The module that a package uploaded for one module must name. */
function onlyModule(moduleId: string): string {
  return `The package was uploaded for the module ${moduleId} and names another one. Put "moduleId": "${moduleId}" into the descriptor, or leave it out.`;
}

/** The organization's own module as it is now; null where the package makes a new one. */
export function currentModule(run: RunningImport, { module }: RegistryState): RegisteredModule | null {
  return module === null || module.deletedAt !== null || isForeign(run, module) ? null : module;
}

/** The revision that has the content of this fingerprint: the newest, or the one that everyone has; null: neither has it. */
export function sameRevision(current: RegisteredModule | null, fingerprint: Buffer): number | null {
  if (current === null) return null;
  if (current.fingerprint.equals(fingerprint)) return current.revision;
  return current.liveFingerprint?.equals(fingerprint) === true ? current.currentRevision : null;
}

/** Why the registry rejects a package; none where it may replace the module's content. */
export function registryProblems(
  run: RunningImport,
  subject: PackageSubject,
  state: RegistryState,
): readonly Problem[] {
  const notAllowed = moduleIdProblems(run, subject, state);
  // Nothing else is reported about a module that the import may not change.
  return [
    ...notAllowed,
    ...renameProblems(run, subject, currentModule(run, state)),
    ...scopeProblems(run, subject, state),
    ...(notAllowed.length > 0 ? [] : revisionProblems(run, currentModule(run, state))),
    ...(notAllowed.length > 0 ? [] : orderProblems(state)),
  ];
}

/** What decides whether everyone gets the content of an import. */
export interface ReleaseState {
  readonly current: RegisteredModule | null;
  /** The revision that the package equals; null: it makes another one. */
  readonly same: number | null;
  /** Whether the vendor wants everyone to get the revision. */
  readonly releasesItself: boolean;
  readonly hasPlaceholders: boolean;
  readonly isReviewed: boolean;
  /** Whether an operator has declined to release the revision that the package equals. */
  readonly isDeclined: boolean;
}

/** Why everyone has not got the content of an import, and what gets it to them; none where they have, or where the vendor wants that. */
export function releaseWarnings(
  run: RunningImport,
  { moduleId, revision, isReleased }: NextRevision,
  state: ReleaseState,
): readonly Problem[] {
  const warn = (detail: string) => [problem('registry-revision-not-released', detail)];
  const call = (of: number) =>
    `send POST /api/v8.0/${run.organizationId}/modules/${moduleId}/revisions/${of}/release.`;
  const { same, current } = state;
  if (same === null ? !state.releasesItself || isReleased : same === current?.currentRevision) return [];
  // A package that is only validated makes no revision.
  const isWritten = same !== null || !run.validateOnly;
  const staged = `so revision ${same ?? revision} ${isWritten ? 'is' : 'would be'} staged.`;
  // Every release of a revision with placeholders is refused.
  if (state.hasPlaceholders)
    return warn(
      `The package has placeholders of modulectl init, ${staged} Replace what the warnings layout-placeholder name, and import the package again.`,
    );
  if (state.isDeclined)
    return warn(
      `The package equals revision ${same}, which an operator has declined to release: the reviews of the module have the reason. Import another package.`,
    );
  const purpose = state.isReviewed ? 'ask for its release' : 'release it';
  // It is not released by importing it again.
  if (same !== null)
    return warn(
      `The package equals revision ${same}, which is not what everyone has. To ${purpose}, ${call(same)}`,
    );
  const reason = state.isReviewed
    ? 'An operator has to approve the first release of the module'
    : 'A revision was released, or the module was put into quarantine, after this import was accepted';
  return warn(`${reason}, ${staged}${isWritten ? ` To ${purpose}, ${call(revision)}` : ''}`);
}

/** Nobody who may import the package stands behind it any more. */
export function unauthorizedProblem(): Problem {
  const detail =
    'Since this import was accepted, the person or trusted publisher that uploaded the package was removed, or lost the role that it needs. A member who may import can upload it again.';
  return problem('auth-withdrawn', detail);
}

/** The organization has as many modules as it may. */
export function quotaProblem(max: number): Problem {
  const detail = `The organization has ${max} modules, the most that it may have. Delete one that is no longer needed, or put the moduleId of the module that this package updates into the descriptor.`;
  return problem('registry-quota-exceeded', detail, { entry: DESCRIPTOR_PATH });
}

/** The module depends on others that farmers cannot install. */
export function dependencyWarnings(unknownIds: readonly string[]): readonly Problem[] {
  return unknownIds.map((id) =>
    problem(
      'registry-dependency-unknown',
      `No module of the tenant has the ID ${id}. Farmers cannot install this module until there is one.`,
      { entry: DESCRIPTOR_PATH, pointer: '/dependencies' },
    ),
  );
}

function moduleIdProblems(
  run: RunningImport,
  { moduleId, moduleIdLocation }: PackageSubject,
  { module }: RegistryState,
): Problem[] {
  const { onlyModuleId } = run;
  if (onlyModuleId !== null && moduleId !== onlyModuleId)
    return [problem('registry-module-id-not-allowed', onlyModule(onlyModuleId), moduleIdLocation)];
  if (!isForeign(run, module)) return [];
  return [problem('registry-module-id-not-allowed', ID_NOT_ALLOWED, moduleIdLocation)];
}

function isForeign({ organizationId }: RunningImport, module: RegisteredModule | null): boolean {
  return module !== null && module.organizationId !== organizationId;
}

function scopeProblems(
  { organizationId }: RunningImport,
  { scope, scopeLocation }: PackageSubject,
  { scopeHolder }: RegistryState,
): Problem[] {
  if (scopeHolder === null) return [];
  const detail =
    scopeHolder.organizationId === organizationId
      ? `The scope ${JSON.stringify(scope)} is that of your own module ${scopeHolder.id}. To update it, put "moduleId": "${scopeHolder.id}" into the descriptor; for another module choose another scope.`
      : 'The scope is taken by another organization. Choose another one.';
  return [problem('registry-scope-taken', detail, scopeLocation)];
}

/** Hosts load a module by its scope: a typing error must not give it another one. */
function renameProblems(
  { renameScope }: RunningImport,
  { scope, scopeLocation }: PackageSubject,
  current: RegisteredModule | null,
): Problem[] {
  const old = current?.scope ?? null;
  if (renameScope || scope === null || old === null || scope === old) return [];
  const detail = `The module's scope is ${JSON.stringify(old)}, and the package has ${JSON.stringify(scope)}. Hosts load the module by its scope. To keep it, put "scope": ${JSON.stringify(old)} into the descriptor, or leave it out. To rename the module, import the package with ?renameScope=true (modulectl import --rename-scope).`;
  return [problem('registry-scope-changed', detail, scopeLocation)];
}

/** An update that names no scope keeps the module's. */
export function keptScopeWarnings(
  { scope, scopeLocation }: PackageSubject,
  current: RegisteredModule | null,
): readonly Problem[] {
  const kept = current?.scope ?? null;
  if (scope !== null || kept === null) return [];
  const detail = `The package has no scope, so the module keeps ${JSON.stringify(kept)}. Put "scope": ${JSON.stringify(kept)} into the descriptor.`;
  return [problem('registry-scope-kept', detail, scopeLocation)];
}

function revisionProblems({ expectedRevisions }: RunningImport, current: RegisteredModule | null): Problem[] {
  if (expectedRevisions === null) return [];
  // An empty list is `If-Match: *`: the module must be there, in whatever revision.
  if (current !== null && (expectedRevisions.length === 0 || expectedRevisions.includes(current.revision)))
    return [];
  const found =
    current === null ? 'there is no such module' : `the module is at revision ${current.revision}`;
  return [problem('registry-revision-changed', `If-Match names another revision: ${found}.`)];
}

/** An import does not undo what happened to the module after the import was accepted. */
function orderProblems({ module, laterImportId }: RegistryState): Problem[] {
  const again = 'Upload the package again if it is still wanted.';
  if (laterImportId !== null) {
    const detail = `The import ${laterImportId} of this module was accepted after this one and has succeeded already.`;
    return [problem('registry-superseded', `${detail} ${again}`)];
  }
  if (module?.isDeletedSince !== true) return [];
  return [problem('registry-superseded', `The module was deleted after this import was accepted. ${again}`)];
}
