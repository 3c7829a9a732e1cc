import { Type, type TSchema } from 'typebox';
import { BLOCK_TYPES, LOCATION_TYPES, SURFACE_TYPES } from '../../shared/structures/check-geometry.ts';
import type { StructureKind } from '../../shared/structures/structure.ts';
import { NAME, listOf, namedObject, oneOfTypes, orNull } from '../http/schema.ts';

/** Members of a structure, by name. */
export type Members = Readonly<Record<string, TSchema>>;

const position = Type.Array(Type.Number(), {
  [NAME]: 'Position',
  minItems: 2,
  maxItems: 3,
  description: 'Longitude, latitude and, if known, metres above the ellipsoid.',
});
const ring = Type.Array(position, { minItems: 4, description: 'The last position equals the first.' });
const line = Type.Array(position, { minItems: 2, description: 'The positions of the line, in its order.' });
const rings = listOf(ring, 'The outer ring, and then the holes in it.');

function geometry(type: string, coordinates: TSchema): TSchema {
  const members = { type: Type.Literal(type, { description: 'The kind of the geometry.' }), coordinates };
  return namedObject(type, `A ${type} of RFC 7946, in WGS 84.`, members);
}

const GEOMETRIES = {
  Point: geometry('Point', position),
  LineString: geometry('LineString', line),
  Polygon: geometry('Polygon', rings),
  MultiPolygon: geometry('MultiPolygon', listOf(rings, 'The polygons.')),
};

type GeometryType = keyof typeof GEOMETRIES;

/** Geometries of these types, under this name. */
function geometries(name: string, description: string, types: readonly GeometryType[]): TSchema {
  return oneOfTypes(name, description, Object.fromEntries(types.map((type) => [type, GEOMETRIES[type]])));
}

const point = GEOMETRIES.Point;
const surface = geometries('Surface', 'A geometry that has an area.', SURFACE_TYPES);
/** The geometry of a block. */
export const blockGeometry = geometries(
  'BlockGeometry',
  'The place of a block: a point, line or area.',
  BLOCK_TYPES,
);
/** The geometry of a farm's Feature. */
export const farmGeometry = geometries('FarmGeometry', 'The place of a farm: its boundary or its location.', [
  ...LOCATION_TYPES,
  ...SURFACE_TYPES,
]);

/** The members of each kind that are geometries. */
export const GEOMETRY_MEMBERS: Readonly<Record<StructureKind, Members>> = {
  farm: {
    boundary: orNull(surface, 'The boundary of the farm; null if it is not known.'),
    location: orNull(point, 'Where the farm is, such as its yard; null if it is not known.'),
  },
  field: { boundary: orNull(surface, 'The boundary of the field; null if it is not known.') },
  block: { geometry: orNull(blockGeometry, 'Where the block is; null if it is not known.') },
  irrigationStation: { location: orNull(point, 'Where the station is; null if it is not known.') },
};
