import type { FlatStructure } from './flat-structure.ts';
import type { KnownStructure, StructureLocation } from './validate-structures.ts';
import { STORED_MEMBERS, type Geometry, type StructureStatus } from './structure.ts';
import { surfaceAreaM2 } from './surface-area.ts';
import { dateTimeText } from './text-rules.ts';

export interface StoredStructure extends KnownStructure {
  readonly id: string;
  /** Every member but the geometry, as JSON without the outer braces. */
  readonly members: string;
  readonly geometry: string | null;
}

export interface MergedStructure extends StoredStructure {
  readonly status: StructureStatus;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The structure after the members of a body have replaced those that are stored; null
 * where nothing changes. Both must have been validated without an issue.
 */
export function mergeStructure(
  structure: FlatStructure,
  stored: StoredStructure | undefined,
  location: StructureLocation,
  now: Date,
): MergedStructure | null {
  const { kind, id } = structure;
  const before: Members = stored === undefined ? { createdAt: dateTimeText(now) } : parseMembers(stored);
  const geometry = mergeGeometry(structure, stored);
  const merged: Members = {
    status: 'active',
    externalIds: [],
    irrigationStationIds: [],
    ...before,
    ...structure.members,
    ...location,
    id,
    ...mergeArea(structure, stored, before, geometry),
  };
  const same = membersText(structure, merged);
  if (same === stored?.members && geometry === stored.geometry) return null;
  const members = membersText(structure, { ...merged, updatedAt: dateTimeText(now) });
  return {
    id,
    kind,
    ...location,
    status: merged['status'] === 'archived' ? 'archived' : 'active',
    members,
    geometry,
  };
}

function parseMembers({ members }: StoredStructure): Members {
  return JSON.parse(`{${members}}`) as Members;
}

/** Every member in its order, null where it has no value; without the braces. */
function membersText({ kind }: FlatStructure, members: Members): string {
  const ordered = STORED_MEMBERS[kind].map((name) => [name, members[name] ?? null]);
  return JSON.stringify(Object.fromEntries(ordered)).slice(1, -1);
}

function mergeGeometry({ geometry }: FlatStructure, stored: StoredStructure | undefined): string | null {
  if (geometry === undefined) return stored?.geometry ?? null;
  return geometry && JSON.stringify(geometry);
}

/** An area that is input is kept until the geometry changes; without one it is what the geometry has. */
function mergeArea(
  { members, geometry: input }: FlatStructure,
  stored: StoredStructure | undefined,
  before: Members,
  geometry: string | null,
): Members {
  if (typeof members['areaM2'] === 'number') return {};
  const isCleared = members['areaM2'] === null;
  const isChanged = geometry !== (stored?.geometry ?? null);
  if (!isCleared && !isChanged) return {};
  const areaM2 = input === undefined ? areaOf(geometry) : surfaceAreaM2(input);
  // A point or a row has no area: one that was input, not computed, is kept.
  if (areaM2 !== null || isCleared) return { areaM2 };
  const isInput = before['areaM2'] !== areaOf(stored?.geometry ?? null);
  return isInput ? {} : { areaM2 };
}

function areaOf(geometry: string | null): number | null {
  return geometry === null ? null : surfaceAreaM2(JSON.parse(geometry) as Geometry);
}
