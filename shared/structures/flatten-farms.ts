import type { IssueList } from './issue-list.ts';
import type { FlatStructure, FlatStructures } from './flat-structure.ts';
import { readArray, readId, readMembers, readObject, readOwnId } from './read-structure.ts';
import type { Members } from '../package/schema/read-members.ts';
import type { StructureKind } from './structure.ts';
import { pointerTo } from '../package/text/json-pointer.ts';

/** Members that are read elsewhere: IDs, and the structures within. */
const SKIPPED: Readonly<Record<StructureKind, ReadonlySet<string>>> = {
  farm: new Set(['id', 'fields', 'irrigationStations']),
  field: new Set(['id', 'farmId', 'blocks']),
  block: new Set(['id', 'farmId', 'fieldId']),
  irrigationStation: new Set(['id', 'farmId']),
};

/** A structure in the body, and what it lies in. */
interface NestedStructure {
  readonly kind: StructureKind;
  readonly source: Members;
  readonly pointer: string;
  readonly farmId?: string | null;
  readonly fieldId?: string | null;
}

/** The structures of `{ farms: [ … ] }`, in the order of the body; each is read when it is consumed. */
export function* flattenFarms(body: Members, issues: IssueList): FlatStructures {
  for (const name of Object.keys(body)) {
    if (name !== 'farms') issues.add(pointerTo('', name), 'The body has no such member.');
  }
  if (body['farms'] === undefined) {
    issues.add('/farms', 'The member is missing. A body has farms, or is a GeoJSON FeatureCollection.');
  }
  for (const [source, pointer] of objectsOf(body, 'farms', '', issues)) {
    yield* source === null ? NOTHING : readFarm(source, pointer, issues);
  }
}

const NOTHING = [null] as const;

function* readFarm(source: Members, pointer: string, issues: IssueList): FlatStructures {
  const farmId = readOwnId(source, pointer, issues);
  yield flatten({ kind: 'farm', source, pointer }, farmId, issues);
  for (const [field, at] of objectsOf(source, 'fields', pointer, issues)) {
    yield* field === null ? NOTHING : readField(field, farmId, at, issues);
  }
  for (const [station, at] of objectsOf(source, 'irrigationStations', pointer, issues)) {
    const nested = station && { kind: 'irrigationStation' as const, source: station, pointer: at, farmId };
    yield nested && flatten(nested, readOwnId(nested.source, at, issues), issues);
  }
}

function* readField(
  source: Members,
  farmId: string | null,
  pointer: string,
  issues: IssueList,
): FlatStructures {
  const fieldId = readOwnId(source, pointer, issues);
  yield flatten({ kind: 'field', source, pointer, farmId }, fieldId, issues);
  for (const [block, at] of objectsOf(source, 'blocks', pointer, issues)) {
    const nested = block && { kind: 'block' as const, source: block, pointer: at, farmId, fieldId };
    yield nested && flatten(nested, readOwnId(nested.source, at, issues), issues);
  }
}

/** The objects of a list with their pointers; null for an element that is not an object. */
function* objectsOf(
  source: Members,
  name: string,
  pointer: string,
  issues: IssueList,
): Generator<readonly [Members | null, string]> {
  for (const [index, each] of readArray(source, name, pointer, issues).entries()) {
    const at = `${pointer}/${name}/${index}`;
    yield [readObject(each, at, issues), at];
  }
}

function flatten(nested: NestedStructure, id: string | null, issues: IssueList): FlatStructure | null {
  const { kind, source, pointer, farmId, fieldId } = nested;
  const read = readMembers(kind, source, SKIPPED[kind], pointer, issues);
  if (farmId !== undefined) checkParent('farmId', farmId, nested, issues);
  if (fieldId !== undefined) checkParent('fieldId', fieldId, nested, issues);
  return id === null ? null : { kind, id, farmId, fieldId, ...read, pointer, membersPointer: pointer };
}

/** A body may repeat a parent's ID as answers do, but only that of the parent in which the structure is nested. */
function checkParent(
  name: 'farmId' | 'fieldId',
  expected: string | null,
  { source, pointer }: NestedStructure,
  issues: IssueList,
): void {
  const input = readId(source[name], `${pointer}/${name}`, issues);
  if (typeof input === 'string' && expected !== null && input !== expected) {
    issues.add(
      `${pointer}/${name}`,
      `The structure is nested in another one: ${name} must be ${expected} here.`,
    );
  }
}
