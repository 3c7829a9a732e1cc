import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import { BLOCK_TYPES, LOCATION_TYPES, SURFACE_TYPES } from '../../shared/structures/check-geometry.ts';
import { STRUCTURE_MEMBERS } from '../../shared/structures/structure.ts';
import { GEOMETRY_MEMBER, STORED_MEMBERS, STRUCTURE_KINDS } from '../../shared/structures/structure.ts';
import type { StructureKind } from '../../shared/structures/structure.ts';
import { GUID_PATTERN } from '../../shared/package/schema/schema-parts.ts';
import {
  NAME,
  NEXT_CURSOR,
  dateTime,
  guid,
  inputObject,
  integer,
  listOf,
  namedObject,
  object,
  oneOf,
  text,
  withDescription,
} from '../http/schema.ts';

type Members = Readonly<Record<string, TSchema>>;

const position = Type.Array(Type.Number(), {
  [NAME]: 'Position',
  minItems: 2,
  maxItems: 3,
  description: 'Longitude, latitude and, if known, metres above the ellipsoid.',
});
const ring = Type.Array(position, { minItems: 4, description: 'The last position equals the first.' });

function geometry(type: string, coordinates: TSchema): TSchema {
  return namedObject(type, `A ${type} of RFC 7946.`, { type: Type.Literal(type), coordinates });
}

const GEOMETRIES = {
  Point: geometry('Point', position),
  LineString: geometry('LineString', Type.Array(position, { minItems: 2 })),
  Polygon: geometry('Polygon', listOf(ring)),
  MultiPolygon: geometry('MultiPolygon', listOf(listOf(ring))),
};

/** One of these geometries, or null. */
function geometryOf(types: readonly (keyof typeof GEOMETRIES)[]): TSchema {
  return Type.Unsafe({ oneOf: [...types.map((type) => GEOMETRIES[type]), { type: 'null' }] });
}

const GEOMETRY_MEMBERS: Readonly<Record<StructureKind, Members>> = {
  farm: { boundary: geometryOf(SURFACE_TYPES), location: geometryOf(LOCATION_TYPES) },
  field: { boundary: geometryOf(SURFACE_TYPES) },
  block: { geometry: geometryOf(BLOCK_TYPES) },
  irrigationStation: { location: geometryOf(LOCATION_TYPES) },
};

const PARENTS: Readonly<Record<StructureKind, readonly string[]>> = {
  farm: [],
  field: ['farmId'],
  block: ['farmId', 'fieldId'],
  irrigationStation: ['farmId'],
};

function titled(kind: StructureKind): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}

/** A structure in a request's body. */
function input(kind: StructureKind, within: Members = {}): TSchema {
  const parents = PARENTS[kind].map((name) => [name, guid('Must match the location in the body.')]);
  return Type.Object(
    {
      id: Type.String({ pattern: GUID_PATTERN }),
      ...STRUCTURE_MEMBERS[kind],
      ...GEOMETRY_MEMBERS[kind],
      ...Object.fromEntries(parents),
      createdAt: text('Ignored.'),
      updatedAt: text('Ignored.'),
      ...within,
    },
    { [NAME]: `${titled(kind)}Input`, required: ['id'], additionalProperties: false },
  );
}

const LISTS: Members = {
  externalIds: listOf(object('An ID in another system.', { source: text(), id: text() })),
  irrigationStationIds: listOf(guid()),
};

function storedMembers(kind: StructureKind): Members {
  const ids = Object.fromEntries(['id', ...PARENTS[kind]].map((name) => [name, guid()]));
  const members: Members = {
    ...STRUCTURE_MEMBERS[kind],
    ...GEOMETRY_MEMBERS[kind],
    ...LISTS,
    ...ids,
    createdAt: dateTime(),
    updatedAt: dateTime(),
  };
  return Object.fromEntries(STORED_MEMBERS[kind].map((name) => [name, members[name] ?? {}]));
}

/** A structure in an answer. */
function stored(kind: StructureKind, within: Members = {}): TSchema {
  const members = { ...storedMembers(kind), ...GEOMETRY_MEMBERS[kind], ...within };
  return namedObject(titled(kind), `A ${kind}, with the structures in it.`, members);
}

/** A structure as a Feature in an answer. */
function feature(kind: StructureKind): TSchema {
  const member = GEOMETRY_MEMBER[kind];
  return namedObject(`${titled(kind)}Feature`, `A ${kind}; its geometry is its ${member}.`, {
    type: Type.Literal('Feature'),
    id: guid(),
    geometry:
      kind === 'farm'
        ? geometryOf([...LOCATION_TYPES, ...SURFACE_TYPES])
        : (GEOMETRY_MEMBERS[kind][member] ?? {}),
    properties: object('The other members of the structure.', {
      structureType: Type.Literal(kind),
      organizationId: guid(),
      ...storedMembers(kind),
    }),
  });
}

const farms = listOf(
  stored('farm', {
    fields: listOf(stored('field', { blocks: listOf(stored('block')) })),
    irrigationStations: listOf(stored('irrigationStation')),
  }),
  'By ID.',
);

/** A farmer's own structures as JSON. */
export const ownStructures = namedObject('OwnStructures', "A farmer's own farms.", { farms });

/** The structures of one organization; one line of NDJSON. */
export const organizationStructures = namedObject('OrganizationStructures', "An organization's farms.", {
  organizationId: guid(),
  organizationName: text(),
  farms,
});

/** The structures that a module may read, as JSON. */
export const moduleStructures = namedObject('ModuleStructures', 'The farms that a module may read.', {
  moduleId: guid(),
  organizations: listOf(organizationStructures, 'By ID.'),
  nextCursor: NEXT_CURSOR,
});

const COLLECTION = 'Structures as GeoJSON (RFC 7946), parents before children.';
const collectionMembers = {
  type: Type.Literal('FeatureCollection'),
  features: listOf(Type.Unsafe({ anyOf: STRUCTURE_KINDS.map(feature) })),
};

/** A farmer's own structures as GeoJSON. */
export const featureCollection = namedObject('FeatureCollection', COLLECTION, collectionMembers);

/** The structures that a module may read, as GeoJSON. */
export const moduleFeatureCollection = namedObject('ModuleFeatureCollection', COLLECTION, {
  ...collectionMembers,
  nextCursor: NEXT_CURSOR,
});

const inputFeature = Type.Object({
  type: Type.Literal('Feature'),
  id: guid(),
  geometry: Type.Optional(geometryOf(BLOCK_TYPES)),
  properties: Type.Object(
    {
      structureType: oneOf(STRUCTURE_KINDS),
      farmId: Type.Optional(guid()),
      fieldId: Type.Optional(guid()),
    },
    { description: 'The members of the structure, without its geometry.' },
  ),
});

const inputFarms = withDescription(
  inputObject('FarmsInput', {
    farms: listOf(
      input('farm', {
        fields: listOf(input('field', { blocks: listOf(input('block')) })),
        irrigationStations: listOf(input('irrigationStation')),
      }),
    ),
  }),
  'Farms, with the structures in them. An omitted member keeps its value; null clears it.',
);

const inputFeatureCollection = Type.Object(
  { type: Type.Literal('FeatureCollection'), features: listOf(inputFeature) },
  {
    [NAME]: 'FeatureCollectionInput',
    description: 'Farms as GeoJSON: each Feature with its structureType and the IDs of its parents.',
  },
);

/** The body of a write, in either form. */
export const inputStructures = Type.Unsafe({ anyOf: [inputFarms, inputFeatureCollection] });

/** The result of a write. */
export const writeResult = namedObject('WriteResult', 'The result of a write: numbers of structures.', {
  created: integer(),
  updated: integer(),
  unchanged: integer(),
});
