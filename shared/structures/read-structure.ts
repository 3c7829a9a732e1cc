import { pointerTo } from '../package/text/json-pointer.ts';
import { isGuid } from '../package/schema/schema-parts.ts';
import { BLOCK_TYPES, checkGeometry, LOCATION_TYPES, SURFACE_TYPES } from './check-geometry.ts';
import type { FaultList } from './fault-list.ts';
import { GEOMETRY_MEMBER } from './structure.ts';
import type { Geometry, StructureKind } from './structure.ts';
import { memberFault } from './structure-schemas.ts';
import { plantingTimeText } from './text-rules.ts';

/** An object of a body, its members not yet looked at. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** More members than any structure has; what is far over it is not looked at one by one. */
const MAX_MEMBERS = 100;

/** Members that answers have and the service decides: written back they are let pass. */
const READ_ONLY: ReadonlySet<string> = new Set(['createdAt', 'updatedAt']);

const GEOMETRY_TYPES: Readonly<Record<StructureKind, readonly Geometry['type'][]>> = {
  farm: SURFACE_TYPES,
  field: SURFACE_TYPES,
  block: BLOCK_TYPES,
  irrigationStation: LOCATION_TYPES,
};

/** The value as an object of a bearable number of members; null after a fault. */
export function readObject(value: unknown, pointer: string, faults: FaultList): JsonObject | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.add(pointer, 'There must be an object here.');
    return null;
  }
  if (Object.keys(value).length > MAX_MEMBERS) {
    faults.add(pointer, `The object has more than ${MAX_MEMBERS} members.`);
    return null;
  }
  return value as JsonObject;
}

/** The elements of an array; none where the member is left out or no array, which is a fault. */
export function readArray(
  source: JsonObject,
  name: string,
  pointer: string,
  faults: FaultList,
): readonly unknown[] {
  const value = source[name];
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  faults.add(pointerTo(pointer, name), 'There must be an array here.');
  return [];
}

/** An ID in lower case: undefined where it is left out, null after a fault. */
export function readId(value: unknown, pointer: string, faults: FaultList): string | null | undefined {
  if (value === undefined) return undefined;
  if (isGuid(value)) return value.toLowerCase();
  faults.add(pointer, 'The ID must be a GUID such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301.');
  return null;
}

/** The structure's own ID; null after a fault. */
export function readOwnId(source: JsonObject, pointer: string, faults: FaultList): string | null {
  const id = readId(source['id'], `${pointer}/id`, faults);
  if (id === undefined) faults.add(`${pointer}/id`, 'The ID is missing.');
  return id ?? null;
}

/** What a body says of one structure; geometry null clears it, undefined leaves it. */
export interface ReadMembers {
  readonly members: Readonly<Record<string, unknown>>;
  readonly geometry: Geometry | null | undefined;
}

/** The members of a structure that are written; `skipped` are those that are read elsewhere. */
export function readMembers(
  kind: StructureKind,
  source: JsonObject,
  skipped: ReadonlySet<string>,
  pointer: string,
  faults: FaultList,
): ReadMembers {
  const members: Record<string, unknown> = {};
  let geometry: Geometry | null | undefined;
  for (const [name, value] of Object.entries(source)) {
    if (skipped.has(name) || READ_ONLY.has(name)) continue;
    const place = pointerTo(pointer, name);
    if (name === GEOMETRY_MEMBER[kind]) geometry = readGeometry(kind, value, place, faults);
    else if (kind === 'farm' && name === 'location') members[name] = readLocation(value, place, faults);
    else members[name] = readMember(kind, name, value, { place, faults });
  }
  return { members, geometry };
}

/** The geometry that is stored beside the members: undefined after a fault. */
export function readGeometry(
  kind: StructureKind,
  value: unknown,
  pointer: string,
  faults: FaultList,
): Geometry | null | undefined {
  return value === null ? null : (checkGeometry(value, GEOMETRY_TYPES[kind], pointer, faults) ?? undefined);
}

/** The place of a farm: undefined after a fault. */
function readLocation(value: unknown, pointer: string, faults: FaultList): Geometry | null | undefined {
  return value === null ? null : (checkGeometry(value, LOCATION_TYPES, pointer, faults) ?? undefined);
}

function readMember(
  kind: StructureKind,
  name: string,
  value: unknown,
  { place, faults }: { readonly place: string; readonly faults: FaultList },
): unknown {
  const fault = memberFault(kind, name, value);
  if (fault === null) return normalValue(name, value);
  if (fault === undefined) faults.add(place, `A ${kind} has no such member.`);
  else faults.add(`${place}${fault.within}`, fault.detail);
  return undefined;
}

/** One form for what can be written in several, so that writing it another way is no change. */
function normalValue(name: string, value: unknown): unknown {
  switch (name) {
    case 'externalIds':
      return value === null ? [] : (value as JsonObject[]).map(({ source, id }) => ({ source, id }));
    case 'irrigationStationIds':
      return value === null ? [] : [...new Set((value as string[]).map((each) => each.toLowerCase()))];
    case 'plantedAt':
      return value === null ? null : plantingTimeText(value as string);
    default:
      return value;
  }
}
