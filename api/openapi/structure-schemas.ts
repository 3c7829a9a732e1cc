import { BLOCK_TYPES, LOCATION_TYPES, SURFACE_TYPES } from '../../shared/structures/check-geometry.ts';
import { STRUCTURE_SCHEMAS } from '../../shared/structures/structure.ts';
import { GEOMETRY_MEMBER, STORED_MEMBERS, STRUCTURE_KINDS } from '../../shared/structures/structure.ts';
import type { StructureKind } from '../../shared/structures/structure.ts';
import { memberOf, withMembers } from './normal-form.ts';
import { ref } from './operation.ts';
import type { Schema } from './operation.ts';
import { choice, count, guid, listOf, moment, NEXT_CURSOR, object, text } from './schema-parts.ts';

const position: Schema = {
  type: 'array',
  items: { type: 'number' },
  minItems: 2,
  maxItems: 3,
  description: 'Longitude, latitude and, if known, metres above the ellipsoid.',
};
const ring = {
  ...listOf(ref('Position')),
  minItems: 4,
  description: 'The last position is the first again.',
};

function geometry(type: string, coordinates: Schema): Schema {
  return object(`A ${type} of RFC 7946.`, { type: { type: 'string', const: type }, coordinates });
}

const GEOMETRIES: Readonly<Record<string, Schema>> = {
  Position: position,
  Point: geometry('Point', ref('Position')),
  LineString: geometry('LineString', { ...listOf(ref('Position')), minItems: 2 }),
  Polygon: geometry('Polygon', listOf(ring)),
  MultiPolygon: geometry('MultiPolygon', listOf(listOf(ring))),
};

/** One of these geometries, or null. */
function oneOf(types: readonly string[]): Schema {
  return { oneOf: [...types.map(ref), { type: 'null' }] };
}

const PLACES: Readonly<Record<StructureKind, Readonly<Record<string, Schema>>>> = {
  farm: { boundary: oneOf(SURFACE_TYPES), location: oneOf(LOCATION_TYPES) },
  field: { boundary: oneOf(SURFACE_TYPES) },
  block: { geometry: oneOf(BLOCK_TYPES) },
  irrigationStation: { location: oneOf(LOCATION_TYPES) },
};

const PARENTS: Readonly<Record<StructureKind, readonly string[]>> = {
  farm: [],
  field: ['farmId'],
  block: ['farmId', 'fieldId'],
  irrigationStation: ['farmId'],
};

/** The structures within, in answers and in bodies. */
function within(kind: StructureKind, prefix: string): Readonly<Record<string, Schema>> {
  if (kind === 'farm')
    return {
      fields: listOf(ref(`${prefix}Field`)),
      irrigationStations: listOf(ref(`${prefix}IrrigationStation`)),
    };
  return kind === 'field' ? { blocks: listOf(ref(`${prefix}Block`)) } : {};
}

/** A structure as bodies write it: the schema that its members are judged with, and what stands around them. */
function written(kind: StructureKind): Schema {
  const parents = Object.fromEntries(
    PARENTS[kind].map((name) => [name, guid('As the place in the body says.')]),
  );
  const times = { createdAt: text('Let pass: the service decides.'), updatedAt: text('Let pass.') };
  return withMembers(STRUCTURE_SCHEMAS[kind], {
    ...PLACES[kind],
    ...parents,
    ...times,
    ...within(kind, 'Written'),
  });
}

const LISTS: Readonly<Record<string, Schema>> = {
  externalIds: listOf(object('An ID of another system.', { source: text(), id: text() })),
  irrigationStationIds: listOf(guid()),
};
const TIMES: Readonly<Record<string, Schema>> = { createdAt: moment(), updatedAt: moment() };

function storedMembers(kind: StructureKind): Readonly<Record<string, Schema>> {
  const schema = STRUCTURE_SCHEMAS[kind];
  const others: Readonly<Record<string, Schema>> = { ...LISTS, ...TIMES, ...PLACES[kind] };
  const isId = (name: string) => name === 'id' || PARENTS[kind].includes(name);
  return Object.fromEntries(
    STORED_MEMBERS[kind].map((name) => [
      name,
      isId(name) ? guid() : (others[name] ?? memberOf(schema, name)),
    ]),
  );
}

/** A structure as answers tell it. */
function told(kind: StructureKind): Schema {
  return object(`A ${kind}, with what lies in it.`, {
    ...storedMembers(kind),
    ...PLACES[kind],
    ...within(kind, ''),
  });
}

/** A structure as a Feature of an answer. */
function feature(kind: StructureKind): Schema {
  const place = GEOMETRY_MEMBER[kind];
  return object(`A ${kind}; its geometry is its ${place}.`, {
    type: { type: 'string', const: 'Feature' },
    id: guid(),
    geometry: kind === 'farm' ? oneOf([...LOCATION_TYPES, ...SURFACE_TYPES]) : (PLACES[kind][place] ?? {}),
    properties: object('The other members.', {
      structureType: { type: 'string', const: kind },
      organizationId: guid(),
      ...storedMembers(kind),
    }),
  });
}

const collectionMembers = {
  type: { type: 'string', const: 'FeatureCollection' },
  features: listOf({ anyOf: STRUCTURE_KINDS.map((kind) => ref(`${titled(kind)}Feature`)) }),
};
const COLLECTION = 'Structures as GeoJSON (RFC 7946), parents before what lies in them.';

const writtenFeature: Schema = {
  type: 'object',
  required: ['type', 'id', 'properties'],
  properties: {
    type: { type: 'string', const: 'Feature' },
    id: guid(),
    geometry: { oneOf: [...BLOCK_TYPES.map(ref), { type: 'null' }] },
    properties: {
      type: 'object',
      description: 'The members of the structure, without its geometry.',
      required: ['structureType'],
      properties: { structureType: choice(STRUCTURE_KINDS), farmId: guid(), fieldId: guid() },
    },
  },
};

function titled(kind: StructureKind): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}

function ofEach(prefix: string, suffix: string, schema: (kind: StructureKind) => Schema) {
  return Object.fromEntries(
    STRUCTURE_KINDS.map((kind) => [`${prefix}${titled(kind)}${suffix}`, schema(kind)]),
  );
}

const organization = object("An organization's farms.", {
  organizationId: guid(),
  organizationName: text(),
  farms: listOf(ref('Farm'), 'By ID.'),
});

/** Schemas of farm structures, by name. */
export const STRUCTURE_DOCUMENT_SCHEMAS: Readonly<Record<string, Schema>> = {
  ...GEOMETRIES,
  ...ofEach('', '', told),
  ...ofEach('', 'Feature', feature),
  ...ofEach('Written', '', written),
  FeatureCollection: object(COLLECTION, collectionMembers),
  ModuleFeatureCollection: object(COLLECTION, { ...collectionMembers, nextCursor: NEXT_CURSOR }),
  WrittenFarms: {
    type: 'object',
    description: 'Farms, with what lies in them. A member left out stays as it is, null clears it.',
    additionalProperties: false,
    required: ['farms'],
    properties: { farms: listOf(ref('WrittenFarm')) },
  },
  WrittenFeatureCollection: {
    type: 'object',
    description: 'The same as GeoJSON: each Feature with its structureType and the IDs of its parents.',
    required: ['type', 'features'],
    properties: { type: { type: 'string', const: 'FeatureCollection' }, features: listOf(writtenFeature) },
  },
  OwnStructures: object("A farmer's own farms.", { farms: listOf(ref('Farm'), 'By ID.') }),
  OrganizationStructures: organization,
  ModuleStructures: object('The farms that a module may read.', {
    moduleId: guid(),
    organizations: listOf(ref('OrganizationStructures'), 'By ID.'),
    nextCursor: NEXT_CURSOR,
  }),
  WrittenResult: object('What became of the structures of the body.', {
    created: count(),
    updated: count(),
    unchanged: count(),
  }),
};
