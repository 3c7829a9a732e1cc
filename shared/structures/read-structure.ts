import { pointerTo } from '../package/text/json-pointer.ts';
import { isMembers, type Members } from '../package/schema/read-members.ts';
import { isGuid } from '../package/schema/schema-parts.ts';
import { BLOCK_TYPES, checkGeometry, LOCATION_TYPES, SURFACE_TYPES } from './check-geometry.ts';
import type { IssueList } from './issue-list.ts';
import {
  GEOMETRY_MEMBER,
  type Geometry,
  type StructureKind,
  STRUCTURE_MEMBERS,
  type MemberSchema,
} from './structure.ts';
import { plantingTimeText, isCountry, isPlantingTime, isTimeZone } from './text-rules.ts';
import { Ajv, type ValidateFunction } from 'ajv';

// One issue for each member: with all of them a list of a million wrong elements would fill the memory.
const ajv = new Ajv({
  allowUnionTypes: true,
  formats: { country: isCountry, 'time-zone': isTimeZone, planting: isPlantingTime },
});

interface MemberRule {
  readonly schema: MemberSchema;
  readonly fits: ValidateFunction;
}

const RULES: ReadonlyMap<string, MemberRule> = new Map(
  Object.entries(STRUCTURE_MEMBERS).flatMap(([kind, members]) =>
    Object.entries<MemberSchema>(members).map(([name, schema]) => [
      `${kind}.${name}`,
      { schema, fits: ajv.compile(schema) },
    ]),
  ),
);

/** More members than any structure has; what is far over it is not looked at one by one. */
const MAX_MEMBERS = 100;

/** Members that the service sets in answers: a body may repeat them, and they are ignored. */
const READ_ONLY: ReadonlySet<string> = new Set(['createdAt', 'updatedAt']);

/** The kinds of geometries that a structure may have. */
export const GEOMETRY_TYPES: Readonly<Record<StructureKind, readonly Geometry['type'][]>> = {
  farm: SURFACE_TYPES,
  field: SURFACE_TYPES,
  block: BLOCK_TYPES,
  irrigationStation: LOCATION_TYPES,
};

/** The value as an object of a bearable number of members; null after an issue. */
export function readObject(value: unknown, pointer: string, issues: IssueList): Members | null {
  if (!isMembers(value)) {
    issues.add(pointer, 'There must be an object here.');
    return null;
  }
  if (Object.keys(value).length > MAX_MEMBERS) {
    issues.add(pointer, `The object has more than ${MAX_MEMBERS} members.`);
    return null;
  }
  return value;
}

/** The elements of an array; none where the member is left out or no array, which is an issue. */
export function readArray(
  source: Members,
  name: string,
  pointer: string,
  issues: IssueList,
): readonly unknown[] {
  const value = source[name];
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  issues.add(pointerTo(pointer, name), 'There must be an array here.');
  return [];
}

/** An ID in lower case: undefined where it is left out, null after an issue. */
export function readId(value: unknown, pointer: string, issues: IssueList): string | null | undefined {
  if (value === undefined) return undefined;
  if (isGuid(value)) return value.toLowerCase();
  issues.add(pointer, 'The ID must be a GUID such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301.');
  return null;
}

export function readOwnId(source: Members, pointer: string, issues: IssueList): string | null {
  const id = readId(source['id'], `${pointer}/id`, issues);
  if (id === undefined) issues.add(`${pointer}/id`, 'The ID is missing.');
  return id ?? null;
}

/** The input of one structure; geometry null clears it, undefined keeps it. */
export interface ReadMembers {
  readonly members: Readonly<Record<string, unknown>>;
  readonly geometry: Geometry | null | undefined;
}

/** The input members of a structure; `skipped` are those that are read elsewhere. */
export function readMembers(
  kind: StructureKind,
  source: Members,
  skipped: ReadonlySet<string>,
  pointer: string,
  issues: IssueList,
): ReadMembers {
  const members: Record<string, unknown> = {};
  let geometry: Geometry | null | undefined;
  for (const [name, value] of Object.entries(source)) {
    if (skipped.has(name) || READ_ONLY.has(name)) continue;
    const at = pointerTo(pointer, name);
    if (name === GEOMETRY_MEMBER[kind]) geometry = readGeometry(GEOMETRY_TYPES[kind], value, at, issues);
    else if (kind === 'farm' && name === 'location')
      members[name] = readGeometry(LOCATION_TYPES, value, at, issues);
    else members[name] = readMember(kind, name, value, { pointer: at, issues });
  }
  return { members, geometry };
}

/** A geometry of one of the types: null clears it, undefined after an issue. */
export function readGeometry(
  types: readonly Geometry['type'][],
  value: unknown,
  pointer: string,
  issues: IssueList,
): Geometry | null | undefined {
  return value === null ? null : (checkGeometry(value, types, pointer, issues) ?? undefined);
}

function readMember(
  kind: StructureKind,
  name: string,
  value: unknown,
  { pointer, issues }: { readonly pointer: string; readonly issues: IssueList },
): unknown {
  const rule = RULES.get(`${kind}.${name}`);
  if (rule?.fits(value) === true) return normalValue(name, value);
  if (rule === undefined) issues.add(pointer, `A ${kind} has no such member.`);
  else {
    const within = rule.fits.errors?.[0]?.instancePath ?? '';
    issues.add(`${pointer}${within}`, `${name} must be ${rule.schema.description}.`);
  }
  return undefined;
}

/** The canonical form of a value, so that another notation is not a change. */
function normalValue(name: string, value: unknown): unknown {
  switch (name) {
    case 'externalIds':
      return elementsOf(value)
        .filter(isMembers)
        .map(({ source, id }) => ({ source, id }));
    case 'irrigationStationIds':
      return [...new Set(elementsOf(value).map((each) => String(each).toLowerCase()))];
    case 'plantedAt':
      return typeof value === 'string' ? plantingTimeText(value) : value;
    default:
      return value;
  }
}

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
