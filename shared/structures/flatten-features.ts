import { pointerTo } from '../package/text/json-pointer.ts';
import { LOCATION_TYPES, SURFACE_TYPES } from './check-geometry.ts';
import type { IssueList } from './issue-list.ts';
import type { FlatStructure, FlatStructures } from './flat-structure.ts';
import {
  GEOMETRY_TYPES,
  readArray,
  readGeometry,
  readId,
  readMembers,
  readObject,
  readOwnId,
  type ReadMembers,
} from './read-structure.ts';
import type { Members } from '../package/schema/read-members.ts';
import { GEOMETRY_MEMBER, STRUCTURE_KINDS, type StructureKind } from './structure.ts';

/** `name` is what GIS programs add when they write a layer; like `bbox` it is ignored. */
const COLLECTION_MEMBERS: ReadonlySet<string> = new Set(['type', 'features', 'bbox', 'name']);
const FEATURE_MEMBERS: ReadonlySet<string> = new Set(['type', 'id', 'geometry', 'properties', 'bbox']);

/** Members that are read elsewhere; the organization is the path's, answers repeat it. */
const SKIPPED: ReadonlySet<string> = new Set(['structureType', 'organizationId', 'id', 'farmId', 'fieldId']);

const PARENTS: Readonly<Record<StructureKind, readonly ('farmId' | 'fieldId')[]>> = {
  farm: [],
  field: ['farmId'],
  // The farm follows from the field; answers have it nevertheless.
  block: ['fieldId', 'farmId'],
  irrigationStation: ['farmId'],
};

/** The structures of a FeatureCollection, in its order; each is read when it is consumed. */
export function* flattenFeatures(body: Members, issues: IssueList): FlatStructures {
  checkNames(body, COLLECTION_MEMBERS, '', issues);
  if (body['features'] === undefined) issues.add('/features', 'The member is missing.');
  for (const [index, each] of readArray(body, 'features', '', issues).entries()) {
    const pointer = `/features/${index}`;
    const feature = readObject(each, pointer, issues);
    yield feature && readFeature(feature, pointer, issues);
  }
}

function checkNames(source: Members, known: ReadonlySet<string>, pointer: string, issues: IssueList): void {
  for (const name of Object.keys(source)) {
    if (known.has(name)) continue;
    const detail =
      name === 'crs'
        ? 'GeoJSON is WGS 84 (RFC 7946 section 4); crs is not supported.'
        : `A ${pointer === '' ? 'FeatureCollection' : 'Feature'} has no such member here.`;
    issues.add(pointerTo(pointer, name), detail);
  }
}

function readFeature(feature: Members, pointer: string, issues: IssueList): FlatStructure | null {
  checkNames(feature, FEATURE_MEMBERS, pointer, issues);
  if (feature['type'] !== 'Feature') issues.add(`${pointer}/type`, 'The type must be Feature.');
  const id = readOwnId(feature, pointer, issues);
  const membersPointer = `${pointer}/properties`;
  const properties = readObject(feature['properties'], membersPointer, issues);
  if (properties === null) return null;
  checkSameId(properties, id, membersPointer, issues);
  const kind = STRUCTURE_KINDS.find((each) => each === properties['structureType']);
  if (kind === undefined) {
    issues.add(
      `${membersPointer}/structureType`,
      'structureType must be farm, field, block or irrigationStation.',
    );
    return null;
  }
  const parents = readParents(kind, properties, membersPointer, issues);
  const read = readFeatureMembers(kind, feature, properties, pointer, issues);
  return id === null ? null : { kind, id, ...parents, ...read, pointer, membersPointer };
}

/** Answers repeat the ID among the properties. */
function checkSameId(properties: Members, id: string | null, pointer: string, issues: IssueList): void {
  const repeated = readId(properties['id'], `${pointer}/id`, issues);
  if (typeof repeated === 'string' && id !== null && repeated !== id) {
    issues.add(`${pointer}/id`, 'The ID must be that of the Feature.');
  }
}

function readParents(
  kind: StructureKind,
  properties: Members,
  pointer: string,
  issues: IssueList,
): Pick<FlatStructure, 'farmId' | 'fieldId'> {
  const parents: Pick<FlatStructure, 'farmId' | 'fieldId'> = { farmId: undefined, fieldId: undefined };
  for (const name of ['farmId', 'fieldId'] as const) {
    const isParent = PARENTS[kind].includes(name);
    const at = `${pointer}/${name}`;
    if (isParent) Object.assign(parents, { [name]: readId(properties[name], at, issues) });
    else if (properties[name] !== undefined) issues.add(at, `A ${kind} has no such member.`);
  }
  return parents;
}

/** Members from the properties, and the Feature's geometry as the member that it is for the kind. */
function readFeatureMembers(
  kind: StructureKind,
  feature: Members,
  properties: Members,
  pointer: string,
  issues: IssueList,
): ReadMembers {
  const name = GEOMETRY_MEMBER[kind];
  const membersPointer = `${pointer}/properties`;
  if (name in properties) {
    issues.add(`${membersPointer}/${name}`, `The ${name} of a ${kind} is the geometry of its Feature.`);
  }
  const { members } = readMembers(kind, properties, new Set([...SKIPPED, name]), membersPointer, issues);
  const value = feature['geometry'];
  const at = `${pointer}/geometry`;
  if (value === undefined) return { members, geometry: undefined };
  if (kind === 'farm') return readFarmGeometry(members, value, at, issues);
  return { members, geometry: readGeometry(GEOMETRY_TYPES[kind], value, at, issues) };
}

/** A farm's Point is its location, its Polygon its boundary; `properties.location` may be the other. */
function readFarmGeometry(
  members: ReadMembers['members'],
  value: unknown,
  pointer: string,
  issues: IssueList,
): ReadMembers {
  const geometry = readGeometry([...LOCATION_TYPES, ...SURFACE_TYPES], value, pointer, issues);
  if (geometry?.type !== 'Point') return { members, geometry };
  const { location } = members;
  if ('location' in members && JSON.stringify(location) !== JSON.stringify(geometry)) {
    issues.add(pointer, 'The location is set twice: as the geometry and among the properties.');
  }
  return { members: { ...members, location: geometry }, geometry: undefined };
}
