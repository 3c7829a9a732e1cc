import { pointerTo } from '../package/text/json-pointer.ts';
import type { FaultList } from './fault-list.ts';
import type { FlatStructure } from './flat-structure.ts';
import { STRUCTURE_KINDS } from './structure.ts';
import type { StructureKind } from './structure.ts';

/** What a structure lies in for good; of a farm and of a field its own ID is one of them. */
export interface Place {
  readonly farmId: string;
  readonly fieldId: string | null;
}

/** What of a structure never changes. */
export interface KnownStructure extends Place {
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
  return (members['irrigationStationIds'] as readonly string[] | undefined) ?? [];
}

/**
 * Judges how the structures of a body stand to each other and to those that are stored, and says where
 * each lies, by its ID. Kind and parents never change.
 */
export function judgeStructures(
  structures: readonly FlatStructure[],
  stored: ReadonlyMap<string, KnownStructure>,
  faults: FaultList,
): ReadonlyMap<string, Place> {
  return new Judge(structures, stored, faults).judge();
}

class Judge {
  readonly #structures: readonly FlatStructure[];
  readonly #stored: ReadonlyMap<string, KnownStructure>;
  readonly #faults: FaultList;
  readonly #first = new Map<string, FlatStructure>();
  readonly #places = new Map<string, Place>();

  constructor(
    structures: readonly FlatStructure[],
    stored: ReadonlyMap<string, KnownStructure>,
    faults: FaultList,
  ) {
    this.#structures = structures;
    this.#stored = stored;
    this.#faults = faults;
  }

  judge(): ReadonlyMap<string, Place> {
    for (const structure of this.#structures) this.#judgeId(structure);
    const first = [...this.#first.values()];
    for (const kind of STRUCTURE_KINDS) {
      for (const structure of first) if (structure.kind === kind) this.#judgePlace(structure);
    }
    for (const structure of first) {
      this.#judgeName(structure);
      this.#judgeStations(structure);
    }
    return this.#places;
  }

  #judgeId(structure: FlatStructure): void {
    const { id, kind, pointer } = structure;
    const before = this.#first.get(id);
    const stored = this.#stored.get(id);
    if (before === undefined) this.#first.set(id, structure);
    else this.#faults.add(`${pointer}/id`, `The ID is in the body twice: also at ${before.pointer}.`);
    if (before === undefined && stored !== undefined && stored.kind !== kind) {
      this.#faults.add(`${pointer}/id`, `The ID is that of a ${stored.kind}; a kind never changes.`);
    }
  }

  #judgePlace(structure: FlatStructure): void {
    const stored = this.#stored.get(structure.id);
    if (stored !== undefined && stored.kind !== structure.kind) return;
    const place = stored ?? this.#newPlace(structure);
    if (place === null) return;
    this.#places.set(structure.id, { farmId: place.farmId, fieldId: place.fieldId });
    for (const name of ['farmId', 'fieldId'] as const) {
      const told = structure[name];
      if (typeof told !== 'string' || told === place[name]) continue;
      const detail =
        stored === undefined
          ? `The field lies in the farm ${place.farmId}.`
          : `The ${structure.kind} ${structure.id} lies elsewhere: its ${name} is ${place[name] ?? 'none'}, and never changes.`;
      this.#faults.add(pointerTo(structure.membersPointer, this.#isNested(structure) ? 'id' : name), detail);
    }
  }

  /** In the nested form it is the ID that stands in the wrong place: its parents are not written. */
  #isNested(structure: FlatStructure): boolean {
    return structure.pointer === structure.membersPointer;
  }

  #newPlace(structure: FlatStructure): Place | null {
    const { kind, id } = structure;
    if (kind === 'farm') return { farmId: id, fieldId: null };
    if (kind === 'block') return this.#parent(structure, 'fieldId', 'field');
    const farm = this.#parent(structure, 'farmId', 'farm');
    return farm && { farmId: farm.farmId, fieldId: kind === 'field' ? id : null };
  }

  #parent(structure: FlatStructure, name: 'farmId' | 'fieldId', kind: StructureKind): Place | null {
    const parentId = structure[name];
    const place = `${structure.membersPointer}/${name}`;
    if (parentId === null) return null;
    if (parentId === undefined) {
      this.#faults.add(place, `A new ${structure.kind} needs its ${name}.`);
      return null;
    }
    const parent = this.#known(parentId);
    if (parent?.kind === kind) return parent;
    // A parent of this kind in the body has no place when it has a fault of its own.
    if (this.#first.get(parentId)?.kind !== kind) {
      this.#faults.add(place, `There is no ${kind} ${parentId}, neither in the body nor stored.`);
    }
    return null;
  }

  /** A structure that the body or the database has, with its place. */
  #known(id: string): KnownStructure | undefined {
    const written = this.#first.get(id);
    if (written === undefined) return this.#stored.get(id);
    const place = this.#places.get(id);
    return place && { ...place, kind: written.kind };
  }

  #judgeName({ id, members, membersPointer, kind }: FlatStructure): void {
    if (this.#stored.has(id) || 'name' in members) return;
    this.#faults.add(`${membersPointer}/name`, `A new ${kind} needs a name.`);
  }

  #judgeStations({ id, members, membersPointer }: FlatStructure): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    for (const [index, stationId] of stationIdsOf(members).entries()) {
      const station = this.#known(stationId);
      if (station?.kind === 'irrigationStation' && station.farmId === place.farmId) continue;
      this.#faults.add(
        `${membersPointer}/irrigationStationIds/${index}`,
        `The farm has no irrigation station ${stationId}, neither in the body nor stored.`,
      );
    }
  }
}
