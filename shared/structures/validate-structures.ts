import { pointerTo } from '../package/text/json-pointer.ts';
import type { IssueList } from './issue-list.ts';
import type { FlatStructure } from './flat-structure.ts';
import { STRUCTURE_KINDS, type StructureKind } from './structure.ts';

/** The fixed parents of a structure; those of a farm and of a field include its own ID. */
export interface StructureLocation {
  readonly farmId: string;
  readonly fieldId: string | null;
}

/** The fixed members of a structure. */
export interface KnownStructure extends StructureLocation {
  readonly kind: StructureKind;
}

/** The IDs that decide about these structures: their own, of parents, and of irrigation stations. */
export function referencedIds(structures: readonly FlatStructure[]): readonly string[] {
  const ids = new Set<string>();
  for (const { id, farmId, fieldId, members } of structures) {
    for (const each of [id, farmId, fieldId, ...stationIdsOf(members)]) {
      if (typeof each === 'string') ids.add(each);
    }
  }
  return [...ids];
}

function stationIdsOf(members: FlatStructure['members']): readonly string[] {
  const ids = members['irrigationStationIds'];
  return Array.isArray(ids) ? ids.filter((each) => typeof each === 'string') : [];
}

/**
 * Validates how the structures of a body relate to each other and to those that are stored, and says where
 * each lies, by its ID. Kind and parents never change.
 */
export function validateStructures(
  structures: readonly FlatStructure[],
  stored: ReadonlyMap<string, KnownStructure>,
  issues: IssueList,
): ReadonlyMap<string, StructureLocation> {
  return new Validation(structures, stored, issues).run();
}

class Validation {
  readonly #structures: readonly FlatStructure[];
  readonly #stored: ReadonlyMap<string, KnownStructure>;
  readonly #issues: IssueList;
  readonly #first = new Map<string, FlatStructure>();
  readonly #locations = new Map<string, StructureLocation>();

  constructor(
    structures: readonly FlatStructure[],
    stored: ReadonlyMap<string, KnownStructure>,
    issues: IssueList,
  ) {
    this.#structures = structures;
    this.#stored = stored;
    this.#issues = issues;
  }

  run(): ReadonlyMap<string, StructureLocation> {
    for (const structure of this.#structures) this.#validateId(structure);
    const first = [...this.#first.values()];
    for (const kind of STRUCTURE_KINDS) {
      for (const structure of first) if (structure.kind === kind) this.#locate(structure);
    }
    for (const structure of first) {
      this.#validateName(structure);
      this.#validateStations(structure);
    }
    return this.#locations;
  }

  #validateId(structure: FlatStructure): void {
    const { id, kind, pointer } = structure;
    const before = this.#first.get(id);
    const stored = this.#stored.get(id);
    if (before === undefined) this.#first.set(id, structure);
    else this.#issues.add(`${pointer}/id`, `The ID is a duplicate: it is also at ${before.pointer}.`);
    if (before === undefined && stored !== undefined && stored.kind !== kind) {
      this.#issues.add(`${pointer}/id`, `The ID is that of a ${stored.kind}; a kind never changes.`);
    }
  }

  #locate(structure: FlatStructure): void {
    const stored = this.#stored.get(structure.id);
    if (stored !== undefined && stored.kind !== structure.kind) return;
    const location = stored ?? this.#newLocation(structure);
    if (location === null) return;
    this.#locations.set(structure.id, { farmId: location.farmId, fieldId: location.fieldId });
    for (const name of ['farmId', 'fieldId'] as const) {
      const input = structure[name];
      if (typeof input !== 'string' || input === location[name]) continue;
      const detail =
        stored === undefined
          ? `The field lies in the farm ${location.farmId}.`
          : `The ${structure.kind} ${structure.id} lies elsewhere: its ${name} is ${location[name] ?? 'none'}, and never changes.`;
      this.#issues.add(pointerTo(structure.membersPointer, this.#isNested(structure) ? 'id' : name), detail);
    }
  }

  /** In the nested form the ID is in the wrong location: its parents are not in the body. */
  #isNested(structure: FlatStructure): boolean {
    return structure.pointer === structure.membersPointer;
  }

  #newLocation(structure: FlatStructure): StructureLocation | null {
    const { kind, id } = structure;
    if (kind === 'farm') return { farmId: id, fieldId: null };
    if (kind === 'block') return this.#parent(structure, 'fieldId', 'field');
    const farm = this.#parent(structure, 'farmId', 'farm');
    return farm && { farmId: farm.farmId, fieldId: kind === 'field' ? id : null };
  }

  #parent(
    structure: FlatStructure,
    name: 'farmId' | 'fieldId',
    kind: StructureKind,
  ): StructureLocation | null {
    const parentId = structure[name];
    const location = `${structure.membersPointer}/${name}`;
    if (parentId === null) return null;
    if (parentId === undefined) {
      this.#issues.add(location, `A new ${structure.kind} needs its ${name}.`);
      return null;
    }
    const parent = this.#known(parentId);
    if (parent?.kind === kind) return parent;
    // A parent of this kind in the body has no location when it has an issue of its own.
    if (this.#first.get(parentId)?.kind !== kind) {
      this.#issues.add(location, `The ${kind} ${parentId} is neither in the body nor stored.`);
    }
    return null;
  }

  /** A structure that the body or the database has, with its location. */
  #known(id: string): KnownStructure | undefined {
    const input = this.#first.get(id);
    if (input === undefined) return this.#stored.get(id);
    const location = this.#locations.get(id);
    return location && { ...location, kind: input.kind };
  }

  #validateName({ id, members, membersPointer, kind }: FlatStructure): void {
    if (this.#stored.has(id) || 'name' in members) return;
    this.#issues.add(`${membersPointer}/name`, `A new ${kind} needs a name.`);
  }

  #validateStations({ id, members, membersPointer }: FlatStructure): void {
    const location = this.#locations.get(id);
    if (location === undefined) return;
    for (const [index, stationId] of stationIdsOf(members).entries()) {
      const station = this.#known(stationId);
      if (station?.kind === 'irrigationStation' && station.farmId === location.farmId) continue;
      this.#issues.add(
        `${membersPointer}/irrigationStationIds/${index}`,
        `The farm has no irrigation station ${stationId}, neither in the body nor stored.`,
      );
    }
  }
}
