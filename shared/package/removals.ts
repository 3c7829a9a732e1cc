import { DESCRIPTOR_PATH } from './layout/layout.ts';
import type { PackageContent } from './package-report.ts';
import { problem, type Problem, type ProblemLocation } from './problem.ts';
import { isMembers } from './schema/read-members.ts';
import { isGuid } from './schema/schema-parts.ts';
import { describeValue } from './text/quote-value.ts';

/** Members that an update does not empty by leaving them out. */
const KEPT: ReadonlySet<string> = new Set(['moduleId', 'scope', 'translations']);

/** The members that make an item of a list the same item, whatever else of it changes. */
const IDENTITIES: Readonly<Record<string, readonly string[]>> = {
  subscriptionOptions: ['paymentCycleId', 'currencyId', 'regionId'],
  environmentVariables: ['key', 'appEnvironmentId'],
  moduleFiles: ['file'],
};

const CONSEQUENCES: Readonly<Record<string, string>> = {
  dataAreaIds: " The module's API keys can no longer read them.",
  environmentVariables: ' The module starts without them.',
};

/** The folder of the alert rule definitions. */
export const ALERT_RULES_FOLDER = 'AlertRuleDefinitionFile';
const ROLES_FOLDER = 'ModuleSpecificRolesEntitiesDefinition';

const MAX_SHOWN = 5;

/** What a package has that an update may take away. */
export interface RemovableParts {
  /** Null: there is none to compare with. */
  readonly descriptor: object | null;
  readonly roleNames: readonly string[];
  /** The criteria of its alert rule definitions. */
  readonly criteria: readonly string[];
  /** The folders in which it has files. */
  readonly folders: readonly string[];
}

/** The parts of a package without errors. */
export function removablePartsOf({ descriptor, roles, alertRules, files }: PackageContent): RemovableParts {
  return {
    descriptor,
    roleNames: roles?.roles.map(({ name }) => name) ?? [],
    criteria: Object.keys(alertRules?.criterias ?? {}),
    folders: [...foldersOf(files)],
  };
}

/** Says what of the descriptor and the roles an update removes, beside whole folders. */
export function removedMembers(before: RemovableParts, after: RemovableParts): readonly Problem[] {
  if (before.descriptor === null) return [];
  return [
    ...removedFromDescriptor(before.descriptor, after.descriptor ?? {}),
    ...removedRoles(before, after),
  ];
}

/** The warnings of a package with all that it removes from an earlier one, as far as the packages show it. */
export function withRemovals(
  warnings: readonly Problem[],
  before: RemovableParts,
  after: RemovableParts,
): readonly Problem[] {
  const criteria = after.folders.includes(ALERT_RULES_FOLDER) ? removedCriteria(before, after, '') : [];
  return [...withRemovedParts(warnings, before, after), ...removedMembers(before, after), ...criteria];
}

/**
 * The criteria that an update removes: a warning, or none, that ends with what the caller knows of the rules that it outdates.
 */
export function removedCriteria(before: RemovableParts, after: RemovableParts, outdated: string): Problem[] {
  const location = { entry: `${ALERT_RULES_FOLDER}/`, pointer: '/criterias' };
  const removed = removedFrom('criterias', before.criteria, after.criteria, location);
  return removed.map((each) => ({ ...each, detail: each.detail + outdated }));
}

/** The warnings of a package; a folder that the update removes is not also reported as missing. */
export function withRemovedParts(
  warnings: readonly Problem[],
  before: RemovableParts | null,
  after: RemovableParts,
): readonly Problem[] {
  const removed = removedParts(before?.folders ?? [], after.folders);
  const isRemoved = ({ code, entry }: Problem) =>
    code === 'layout-part-missing' && removed.some((each) => each.entry === entry);
  return [...warnings.filter((each) => !isRemoved(each)), ...removed];
}

function removedParts(before: readonly string[], after: readonly string[]): Problem[] {
  const removed = before.filter((folder) => !after.includes(folder));
  return removed.map((folder) =>
    problem(
      'layout-part-removed',
      `The module had files in ${folder}/, the package has none: the update removes them.`,
      { entry: `${folder}/` },
    ),
  );
}

/** Files of one folder stand together: a package of many files has few names to make. */
function foldersOf(files: PackageContent['files']): ReadonlySet<string> {
  const folders = new Set<string>();
  let start = '/';
  for (const { path } of files) {
    if (path.startsWith(start)) continue;
    const folder = path.slice(0, Math.max(path.indexOf('/'), 0));
    if (folder === '') continue;
    folders.add(folder);
    start = `${folder}/`;
  }
  return folders;
}

function removedFromDescriptor(before: object, after: object): Problem[] {
  const next = new Map<string, unknown>(Object.entries(after));
  return Object.entries(before).flatMap(([member, old]) => {
    if (KEPT.has(member)) return [];
    const now = next.get(member) ?? null;
    const location = { entry: DESCRIPTOR_PATH, pointer: `/${member}` };
    if (!Array.isArray(old))
      return old === null || now !== null
        ? []
        : [problem('registry-member-removed', `The update empties ${member}.`, location)];
    const items = (list: readonly unknown[]) =>
      list.map((item) => identityOf(item, IDENTITIES[member] ?? []));
    return removedFrom(member, items(old), Array.isArray(now) ? items(now) : [], location);
  });
}

/** The values that make an item the same one: an item without members is that itself. */
function identityOf(item: unknown, members: readonly string[]): unknown {
  return isMembers(item) ? members.map((name) => item[name] ?? null) : item;
}

function shown(identity: unknown): string {
  return [identity]
    .flat()
    .filter((each) => each !== null)
    .map((each) => (isGuid(each) ? each : describeValue(each)))
    .join(' ');
}

function removedFrom(
  list: string,
  before: readonly unknown[],
  after: readonly unknown[],
  location: ProblemLocation,
): Problem[] {
  const kept = new Set(after.map((each) => JSON.stringify(each)));
  const all = new Map(before.map((each) => [JSON.stringify(each), each]));
  const removed = [...all].filter(([key]) => !kept.has(key)).map(([, each]) => shown(each));
  if (removed.length === 0) return [];
  const listed = removed.slice(0, MAX_SHOWN).join(', ') + (removed.length > MAX_SHOWN ? ', …' : '');
  const detail = `The update removes ${removed.length} of ${all.size} from ${list}: ${listed}.`;
  return [problem('registry-member-removed', detail + (CONSEQUENCES[list] ?? ''), location)];
}

/** The roles of a file that is removed as a whole are those of its folder, which has a warning. */
function removedRoles(before: RemovableParts, after: RemovableParts): Problem[] {
  if (!after.folders.includes(ROLES_FOLDER)) return [];
  const location = { entry: `${ROLES_FOLDER}/`, pointer: '/roles' };
  return removedFrom('roles', before.roleNames, after.roleNames, location);
}
