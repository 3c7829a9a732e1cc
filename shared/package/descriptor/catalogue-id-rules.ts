import type { PackageCatalogue } from '../package-report.ts';
import type { Problem } from '../problem.ts';
import { isMembers, rootMember } from '../schema/read-members.ts';
import { isGuid, SET, type SchemaPart } from '../schema/schema-parts.ts';
import { descriptorForm } from './module-schema.ts';
import { problemAt, type LocatedText } from '../text/located-text.ts';

function setsOf({ [SET]: set, properties = {}, items }: SchemaPart): readonly string[] {
  const below = [...Object.values(properties), ...(items === undefined ? [] : [items])].flatMap(setsOf);
  return set === undefined ? below : [set, ...below];
}

/** The sets whose IDs are distinguished, for the catalogue of a validation. */
export const ID_SETS = setsOf(descriptorForm);

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
  readonly id: string;
  readonly set: string;
}

function* namedIds(schema: SchemaPart, value: unknown, pointer: string): Generator<NamedId> {
  const { [SET]: set, properties = {}, items = {} } = schema;
  if (set !== undefined && isGuid(value)) yield { pointer, id: value.toLowerCase(), set };
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* namedIds(items, item, `${pointer}/${index}`);
  else if (isMembers(value))
    for (const [name, member] of Object.entries(properties))
      yield* namedIds(member, value[name], `${pointer}/${name}`);
}

/** IDs that the catalogue knows in another set. Those that it does not know at all may be the platform's. */
export function otherSetProblems(text: LocatedText, { setsOfIds }: PackageCatalogue): Problem[] {
  const problems: Problem[] = [];
  for (const { pointer, id, set } of namedIds(descriptorForm, text.value, '')) {
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
