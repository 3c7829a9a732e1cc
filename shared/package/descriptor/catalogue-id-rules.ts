import type { NamedEntry, PackageCatalogue } from '../package-report.ts';
import type { PackageProblemCode } from '../problem-codes.ts';
import type { Problem } from '../problem.ts';
import { isMembers, rootMember } from '../schema/read-members.ts';
import { EMPTY_GUID, isGuid, SET, type SchemaPart } from '../schema/schema-parts.ts';
import { descriptorForm } from './module-schema.ts';
import { nearestName } from '../text/nearest-name.ts';
import { pathLabel } from '../text/json-pointer.ts';
import { problemAt, type LocatedText } from '../text/located-text.ts';

function setsOf({ [SET]: set, properties = {}, items }: SchemaPart): readonly string[] {
  const below = [...Object.values(properties), ...(items === undefined ? [] : [items])].flatMap(setsOf);
  return set === undefined ? below : [set, ...below];
}

/** The sets whose IDs are distinguished, for the catalogue of a validation. */
export const ID_SETS = [...new Set(setsOf(descriptorForm))];

/** Sets of which the service uses the entries itself: an ID that they lack is an error. */
const CODES_OF_UNKNOWN: Readonly<Record<string, PackageProblemCode>> = {
  languages: 'descriptor-language-unknown',
  dataAreas: 'descriptor-data-area-unknown',
};

/**
 * Values that are no IDs of a set are looked up until this number was found: no report lists more. Each set has its own
 * number, so that unknown IDs of a set that only warns hide no error.
 */
const MAX_UNKNOWN = 1_000;

/** The digits in which an ID may differ from the one that was probably meant: one typed wrong, or two exchanged. */
const MAX_DIFFERING_DIGITS = 2;

/** A longer value is no misspelt name. */
const MAX_NAME_LENGTH = 100;

/** A value of the descriptor, and the set of which it should be an ID. */
interface IdOfSet {
  readonly pointer: string;
  readonly value: string;
  readonly set: string;
}

function* idsOfSets(schema: SchemaPart, value: unknown, pointer: string): Generator<IdOfSet> {
  const { [SET]: set, properties = {}, items = {} } = schema;
  if (set !== undefined && typeof value === 'string') yield { pointer, value: value.toLowerCase(), set };
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* idsOfSets(items, item, `${pointer}/${index}`);
  else if (isMembers(value))
    for (const [name, member] of Object.entries(properties))
      yield* idsOfSets(member, value[name], `${pointer}/${name}`);
}

/** IDs that the catalogue does not know, or in another set, and keys in place of IDs. */
export function catalogueIdProblems(text: LocatedText, catalogue: PackageCatalogue): Problem[] {
  const problems: Problem[] = [];
  const unknown = new Map<string, number>();
  for (const named of idsOfSets(descriptorForm, text.value, '')) {
    if (named.value === EMPTY_GUID || catalogue.sets.get(named.set)?.has(named.value) === true) continue;
    const ofSet = (unknown.get(named.set) ?? 0) + 1;
    if (ofSet > MAX_UNKNOWN) continue;
    unknown.set(named.set, ofSet);
    const found = isGuid(named.value) ? unknownId(named, catalogue) : keyForId(named, catalogue);
    if (found !== null) problems.push(problemAt(text, found.code, named.pointer, found.detail));
  }
  return problems;
}

interface Finding {
  readonly code: PackageProblemCode;
  readonly detail: string;
}

function unknownId({ pointer, value, set }: IdOfSet, { sets }: PackageCatalogue): Finding | null {
  const others = [...sets].filter(([, entries]) => entries.has(value)).map(([other]) => other);
  if (others.length > 0) {
    const detail = `${value} is an ID of ${others.join(' and ')}, not of ${set}.`;
    return { code: CODES_OF_UNKNOWN[set] ?? 'descriptor-id-of-other-set', detail };
  }
  const entries = sets.get(set) ?? new Map<string, NamedEntry>();
  if (entries.size === 0) return null;
  const meant = [...entries].find(([id]) => isNearly(id, value));
  const hint = meant === undefined ? '' : ` Did you mean ${meant[0]}, the ID of ${meant[1].value}?`;
  // The value is not repeated: in an environment variable it may be a secret in the wrong member.
  const detail = `${pathLabel(pointer)} is not an ID of ${set}.${hint} The IDs are at /api/v8.0/CommonData/${set}; modulectl catalogue ${set} lists them.`;
  return { code: CODES_OF_UNKNOWN[set] ?? 'descriptor-id-unknown', detail };
}

/** A key or a name of the set in place of the ID, perhaps misspelt; the schema refuses any other text. */
function keyForId({ pointer, value, set }: IdOfSet, { sets }: PackageCatalogue): Finding | null {
  if (value.length > MAX_NAME_LENGTH) return null;
  const entries = [...(sets.get(set) ?? [])];
  const name = nearestName(
    value,
    entries.flatMap(([, { key, value: shown }]) => [key.toLowerCase(), shown.toLowerCase()]),
  );
  const meant = entries.find(
    ([, { key, value: shown }]) => key.toLowerCase() === name || shown.toLowerCase() === name,
  );
  if (name === undefined || meant === undefined) return null;
  const [id, { key }] = meant;
  const advice = name === value ? `use ${id}, the ID of ${key}.` : `did you mean ${id}, the ID of ${key}?`;
  return { code: 'descriptor-invalid', detail: `${pathLabel(pointer)} must be an ID: ${advice}` };
}

function isNearly(id: string, other: string): boolean {
  let differing = 0;
  for (let index = 0; index < id.length && differing <= MAX_DIFFERING_DIGITS; index += 1)
    if (id[index] !== other[index]) differing += 1;
  return differing <= MAX_DIFFERING_DIGITS;
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
