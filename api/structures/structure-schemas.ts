import { Type, type TSchema } from 'typebox';
import {
  STRUCTURE_MEMBERS,
  GEOMETRY_MEMBER,
  STORED_MEMBERS,
  STRUCTURE_KINDS,
  type StructureKind,
} from '../../shared/structures/structure.ts';
import {
  NAME,
  NEXT_CURSOR,
  dateTime,
  guid,
  integer,
  listOf,
  namedObject,
  orNull,
  text,
} from '../http/schema.ts';
import {
  GEOMETRY_MEMBERS,
  farmGeometry,
  type Members,
  described,
  externalIdText,
  kindText,
  textOf,
} from './structure-members.ts';

/** The structures that a structure is in, by kind: the names of members with their IDs. */
export const PARENTS: Readonly<Record<StructureKind, readonly string[]>> = {
  farm: [],
  field: ['farmId'],
  block: ['farmId', 'fieldId'],
  irrigationStation: ['farmId'],
};

/** A kind as the start of a name. */
export function titled(kind: StructureKind): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}

const externalId = namedObject('ExternalId', 'The ID of a structure in another system.', {
  source: text(externalIdText('source')),
  id: text(externalIdText('id')),
});

/** The schema of an item of `irrigationStationIds`. */
export const stationId = guid('The ID of an irrigation station of the farm.');

function storedMembers(kind: StructureKind): Members {
  const ids = ['id', ...PARENTS[kind]].map((name) => [name, guid(textOf(name))] as const);
  const members: Members = {
    ...described(STRUCTURE_MEMBERS[kind]),
    ...GEOMETRY_MEMBERS[kind],
    externalIds: listOf(externalId, textOf('externalIds')),
    irrigationStationIds: listOf(stationId, textOf('irrigationStationIds')),
    ...Object.fromEntries(ids),
    createdAt: dateTime(textOf('createdAt')),
    updatedAt: dateTime(textOf('updatedAt')),
  };
  return Object.fromEntries(STORED_MEMBERS[kind].map((name) => [name, members[name] ?? {}]));
}

/** A structure in an answer. */
function stored(kind: StructureKind, within: Members = {}): TSchema {
  const members = { ...storedMembers(kind), ...GEOMETRY_MEMBERS[kind], ...within };
  return namedObject(titled(kind), `The members of ${kindText(kind)}, with the structures in it.`, members);
}

/** The `type` of a Feature. */
export const featureType = Type.Literal('Feature', { description: 'As GeoJSON requires it.' });
/** The `type` of a collection. */
export const collectionType = Type.Literal('FeatureCollection', { description: 'As GeoJSON requires it.' });

/** A structure as a Feature in an answer. */
function feature(kind: StructureKind): TSchema {
  const member = GEOMETRY_MEMBER[kind];
  return namedObject(
    `${titled(kind)}Feature`,
    `A Feature that is ${kindText(kind)}; its geometry is its ${member}.`,
    {
      type: featureType,
      id: guid(textOf('id')),
      geometry:
        kind === 'farm'
          ? orNull(farmGeometry, 'The boundary of the farm, or its location; null if neither is known.')
          : (GEOMETRY_MEMBERS[kind][member] ?? {}),
      properties: namedObject(`${titled(kind)}Properties`, `The members of ${kindText(kind)}.`, {
        structureType: Type.Literal(kind, { description: 'The kind of the structure.' }),
        organizationId: guid('The organization of the farmer.'),
        ...storedMembers(kind),
      }),
    },
  );
}

const farms = listOf(
  stored('farm', {
    fields: listOf(
      stored('field', { blocks: listOf(stored('block'), 'The blocks of the field, by ID.') }),
      'The fields of the farm, by ID.',
    ),
    irrigationStations: listOf(stored('irrigationStation'), 'The irrigation stations of the farm, by ID.'),
  }),
  'The farms, by ID.',
);

/** A farmer's own structures as JSON. */
export const ownStructures = namedObject('OwnStructures', "A farmer's own farms.", { farms });

/** The structures of one organization; one line of NDJSON. */
export const organizationStructures = namedObject('OrganizationStructures', "An organization's farms.", {
  organizationId: guid('The organization of the farmer.'),
  organizationName: text('The name of the organization.'),
  farms,
});

/** The structures that a module may read, as JSON. */
export const moduleStructures = namedObject('ModuleStructures', 'The farms that a module may read.', {
  moduleId: guid('The module of the key.'),
  organizations: listOf(organizationStructures, 'The organizations and their farms, by ID.'),
  nextCursor: NEXT_CURSOR,
});

const COLLECTION = 'Structures as GeoJSON (RFC 7946), parents before children.';
const structureFeature = Type.Unsafe({
  [NAME]: 'StructureFeature',
  description: 'A structure as a Feature; `properties.structureType` says which kind it is.',
  anyOf: STRUCTURE_KINDS.map(feature),
});
const collectionMembers = {
  type: collectionType,
  features: listOf(structureFeature, 'The structures, parents before children.'),
};

/** A farmer's own structures as GeoJSON. */
export const featureCollection = namedObject('FeatureCollection', COLLECTION, collectionMembers);

/** The structures that a module may read, as GeoJSON. */
export const moduleFeatureCollection = namedObject('ModuleFeatureCollection', COLLECTION, {
  ...collectionMembers,
  nextCursor: NEXT_CURSOR,
});

/** The result of a write. */
export const writeResult = namedObject('WriteResult', 'The result of a write: numbers of structures.', {
  created: integer('The number of new structures.'),
  updated: integer('The number of structures that changed.'),
  unchanged: integer('The number of structures that did not change.'),
});
