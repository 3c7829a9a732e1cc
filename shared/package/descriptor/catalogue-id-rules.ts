import type { PackageCatalogue } from '../package-report.ts';
import type { Problem } from '../problem.ts';
import { isMembers, rootItems, rootMember } from '../schema/read-members.ts';
import { isGuid } from '../schema/schema-parts.ts';
import { pointerTo } from '../text/json-pointer.ts';
import { problemAt, type LocatedText } from '../text/located-text.ts';

/** The sets of the catalogue that the members of the root are of. */
const SET_OF_MEMBER = {
  hostingTypeId: 'hostingTypes',
  typeId: 'types',
  categoryId: 'categories',
  federationTypeId: 'federationTypes',
} as const;

/** The sets of the lists of IDs. */
const SET_OF_LIST = {
  paymentOptionIds: 'paymentOptions',
  cropIds: 'crops',
  environmentIds: 'environments',
  requirementIds: 'requirements',
} as const;

/** The sets of members of the items of lists. */
const SET_OF_ITEM_MEMBER = {
  subscriptionOptions: { paymentCycleId: 'paymentCycles', currencyId: 'currencies', regionId: 'regions' },
  environmentVariables: { appEnvironmentId: 'appEnvironments' },
} as const;

/** The sets whose IDs are distinguished, for the catalogue of a validation. */
export const ID_SETS: readonly string[] = [
  ...Object.values(SET_OF_MEMBER),
  ...Object.values(SET_OF_LIST),
  ...Object.values(SET_OF_ITEM_MEMBER).flatMap((sets) => Object.values(sets)),
];

/** The sets of each ID, from the IDs of each set. */
export function setsOfIds(
  sets: Iterable<readonly [set: string, ids: readonly string[]]>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [set, ids] of sets) for (const id of ids) found.set(id, [...(found.get(id) ?? []), set]);
  return found;
}

/** An ID of the descriptor, and the set that it should be of. */
interface NamedId {
  readonly pointer: string;
  readonly value: unknown;
  readonly set: string;
}

function* namedIds(text: LocatedText): Generator<NamedId> {
  for (const [member, set] of Object.entries(SET_OF_MEMBER))
    yield { pointer: `/${member}`, value: rootMember(text, member), set };
  for (const [list, set] of Object.entries(SET_OF_LIST))
    for (const { pointer, item } of rootItems(text, list, isGuid)) yield { pointer, value: item, set };
  for (const [list, sets] of Object.entries(SET_OF_ITEM_MEMBER))
    for (const { pointer, item } of rootItems(text, list, isMembers))
      for (const [member, set] of Object.entries(sets))
        yield { pointer: pointerTo(pointer, member), value: item[member], set };
}

/** IDs that the catalogue knows in another set. Those that it does not know at all may be the platform's. */
export function otherSetProblems(text: LocatedText, { setsOfIds }: PackageCatalogue): Problem[] {
  const problems: Problem[] = [];
  for (const { pointer, value, set } of namedIds(text)) {
    if (!isGuid(value)) continue;
    const id = value.toLowerCase();
    const known = setsOfIds.get(id);
    if (known === undefined || known.includes(set)) continue;
    const detail = `${id} is an ID of ${known.join(' and ')}, not of ${set}.`;
    problems.push(problemAt(text, 'descriptor-id-of-other-set', pointer, detail));
  }
  return problems;
}

/** Deployment types are those of the catalogue, by key, if it has any. */
export function deploymentTypeProblems(text: LocatedText, { deploymentTypes }: PackageCatalogue): Problem[] {
  const value = rootMember(text, 'deploymentType');
  // The schema rejects what is no integer of 32 bits.
  if (typeof value !== 'number' || (value | 0) !== value) return [];
  if (deploymentTypes.size === 0 || deploymentTypes.has(String(value))) return [];
  const known = [...deploymentTypes].slice(0, 20).join(', ');
  const detail = `The deployment type ${value} is not in the catalogue, which has ${known}. It is kept as it is.`;
  return [problemAt(text, 'descriptor-deployment-type-unknown', '/deploymentType', detail)];
}
