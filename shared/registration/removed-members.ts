import type { Database } from '../db/database.ts';
import { countActiveRules, type RegisteredModule } from '../db/modules/registry-state.ts';
import { DESCRIPTOR_PATH } from '../package/layout/layout.ts';
import type { PackageContent } from '../package/package-report.ts';
import { problem, type Problem, type ProblemLocation } from '../package/problem.ts';
import { isMembers } from '../package/schema/read-members.ts';
import { isGuid } from '../package/schema/schema-parts.ts';
import { describeValue } from '../package/text/quote-value.ts';

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

const MAX_SHOWN = 5;

/** Says what an update removes from the module's newest revision, beside whole folders. */
export async function removalWarnings(
  database: Database,
  moduleId: string,
  current: RegisteredModule | null,
  content: PackageContent,
): Promise<readonly Problem[]> {
  if (current === null || current.descriptor === null) return [];
  return [
    ...removedMembers(current.descriptor, content.descriptor),
    ...removedRoles(current, content),
    ...(await removedCriteria(database, moduleId, current, content)),
  ];
}

function removedMembers(before: object, after: object): Problem[] {
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

/** The values that make an item the same one. */
type Identity = readonly unknown[];

function identityOf(item: unknown, members: readonly string[]): Identity {
  return isMembers(item) ? members.map((name) => item[name] ?? null) : [item];
}

function shown(identity: Identity): string {
  return identity
    .filter((each) => each !== null)
    .map((each) => (isGuid(each) ? each : describeValue(each)))
    .join(' ');
}

function removedFrom(
  list: string,
  before: readonly Identity[],
  after: readonly Identity[],
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
function removedRoles({ roleNames }: RegisteredModule, { roles }: PackageContent): Problem[] {
  if (roles === null) return [];
  const location = { entry: 'ModuleSpecificRolesEntitiesDefinition/', pointer: '/roles' };
  return removedFrom(
    'roles',
    asIdentities(roleNames),
    asIdentities(roles.roles.map(({ name }) => name)),
    location,
  );
}

/** Farmers' rules of criteria that are removed are outdated. */
async function removedCriteria(
  database: Database,
  moduleId: string,
  { criteria }: RegisteredModule,
  { alertRules }: PackageContent,
): Promise<Problem[]> {
  const kept = Object.keys(alertRules?.criterias ?? {});
  const removed = criteria.filter((each) => !kept.includes(each));
  if (removed.length === 0) return [];
  const { count, isWhole } = await countActiveRules(database, moduleId, removed);
  // That the whole folder is removed has a warning already.
  if (alertRules === null && count === 0) return [];
  const location = { entry: 'AlertRuleDefinitionFile/', pointer: '/criterias' };
  const outdated = ` Alert rules of farmers that this outdates: ${isWhole ? '' : 'at least '}${count}.`;
  return removedFrom('criterias', asIdentities(criteria), asIdentities(kept), location).map((each) => ({
    ...each,
    detail: each.detail + outdated,
  }));
}

function asIdentities(names: readonly string[]): readonly Identity[] {
  return names.map((name) => [name]);
}
