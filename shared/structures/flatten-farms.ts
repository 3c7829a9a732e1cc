import type { FaultList } from './fault-list.ts';
import type { FlatStructure, FlatStructures } from './flat-structure.ts';
import { readArray, readId, readMembers, readObject, readOwnId } from './read-structure.ts';
import type { JsonObject } from './read-structure.ts';
import type { StructureKind } from './structure.ts';
import { pointerTo } from '../package/text/json-pointer.ts';

/** What is read elsewhere than with the members: IDs, and the structures within. */
const SKIPPED: Readonly<Record<StructureKind, ReadonlySet<string>>> = {
  farm: new Set(['id', 'fields', 'irrigationStations']),
  field: new Set(['id', 'farmId', 'blocks']),
  block: new Set(['id', 'farmId', 'fieldId']),
  irrigationStation: new Set(['id', 'farmId']),
};

/** A structure where it stands in the body, and what it stands within. */
interface Placed {
  readonly kind: StructureKind;
  readonly source: JsonObject;
  readonly pointer: string;
  readonly farmId?: string | null;
  readonly fieldId?: string | null;
}

/** The structures of `{ farms: [ … ] }`, in the order of the body; reading goes on as they are taken. */
export function* flattenFarms(body: JsonObject, faults: FaultList): FlatStructures {
  for (const name of Object.keys(body)) {
    if (name !== 'farms') faults.add(pointerTo('', name), 'The body has no such member.');
  }
  if (body['farms'] === undefined) {
    faults.add('/farms', 'The member is missing. A body has farms, or is a GeoJSON FeatureCollection.');
  }
  for (const [source, pointer] of objectsOf(body, 'farms', '', faults)) {
    yield* source === null ? NOTHING : readFarm(source, pointer, faults);
  }
}

const NOTHING = [null] as const;

function* readFarm(source: JsonObject, pointer: string, faults: FaultList): FlatStructures {
  const farmId = readOwnId(source, pointer, faults);
  yield flatten({ kind: 'farm', source, pointer }, farmId, faults);
  for (const [field, place] of objectsOf(source, 'fields', pointer, faults)) {
    yield* field === null ? NOTHING : readField(field, farmId, place, faults);
  }
  for (const [station, place] of objectsOf(source, 'irrigationStations', pointer, faults)) {
    const placed = station && { kind: 'irrigationStation' as const, source: station, pointer: place, farmId };
    yield placed && flatten(placed, readOwnId(placed.source, place, faults), faults);
  }
}

function* readField(
  source: JsonObject,
  farmId: string | null,
  pointer: string,
  faults: FaultList,
): FlatStructures {
  const fieldId = readOwnId(source, pointer, faults);
  yield flatten({ kind: 'field', source, pointer, farmId }, fieldId, faults);
  for (const [block, place] of objectsOf(source, 'blocks', pointer, faults)) {
    const placed = block && { kind: 'block' as const, source: block, pointer: place, farmId, fieldId };
    yield placed && flatten(placed, readOwnId(placed.source, place, faults), faults);
  }
}

/** The objects of a list with their places; null for an element that is none. */
function* objectsOf(
  source: JsonObject,
  name: string,
  pointer: string,
  faults: FaultList,
): Generator<readonly [JsonObject | null, string]> {
  for (const [index, each] of readArray(source, name, pointer, faults).entries()) {
    const place = `${pointer}/${name}/${index}`;
    yield [readObject(each, place, faults), place];
  }
}

function flatten(placed: Placed, id: string | null, faults: FaultList): FlatStructure | null {
  const { kind, source, pointer, farmId, fieldId } = placed;
  const read = readMembers(kind, source, SKIPPED[kind], pointer, faults);
  if (farmId !== undefined) checkParent('farmId', farmId, placed, faults);
  if (fieldId !== undefined) checkParent('fieldId', fieldId, placed, faults);
  return id === null ? null : { kind, id, farmId, fieldId, ...read, pointer, membersPointer: pointer };
}

/** A parent's ID may be written as answers have it, but only the one that the structure stands within. */
function checkParent(
  name: 'farmId' | 'fieldId',
  expected: string | null,
  { source, pointer }: Placed,
  faults: FaultList,
): void {
  const written = readId(source[name], `${pointer}/${name}`, faults);
  if (typeof written === 'string' && expected !== null && written !== expected) {
    faults.add(`${pointer}/${name}`, `The structure stands within another one: ${name} is ${expected} here.`);
  }
}
