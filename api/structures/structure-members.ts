import { Type, type TSchema } from 'typebox';
import type { StructureKind } from '../../shared/structures/structure.ts';
import { BLOCK_TYPES, LOCATION_TYPES, SURFACE_TYPES } from '../../shared/structures/check-geometry.ts';
import { NAME, listOf, namedObject, oneOfTypes, orNull } from '../http/schema.ts';

/** The descriptions of structures' members, for the document. */
const MEMBER_TEXTS: Readonly<Record<string, string>> = {
  id: 'The ID of the structure, unique in the organization.',
  farmId: 'The farm that the structure belongs to.',
  fieldId: 'The field that the block belongs to.',
  name: 'The name of the structure.',
  code: 'A short code that the farmer uses for the structure; null if there is none.',
  status: 'Whether the structure is in use. An archived one is kept, and returned only on request.',
  externalIds: 'The IDs of the structure in other systems.',
  countryCode:
    'The country, as an ISO 3166-1 alpha-2 code in upper case such as NL; null if it is not known.',
  timeZone:
    'The time zone, as a name of the IANA database such as Europe/Amsterdam; null if it is not known.',
  areaM2:
    'The area, in square metres, computed from the geometry unless it is given; null if it is not known.',
  arableAreaM2: 'The part of the area that can be planted, in square metres; null if it is not known.',
  soilTextureType: 'The texture of the soil, as the farmer names it; null if it is not known.',
  cropId: 'The crop, as the farmer identifies it; null if there is none or it is not known.',
  plantedAt: 'The day of planting as YYYY-MM-DD, or a time with its offset; null if it is not known.',
  rowSpacingM: 'The distance between rows, in metres; null if it is not known.',
  plantSpacingM: 'The distance between plants in a row, in metres; null if it is not known.',
  irrigationSystemType: 'How the block is irrigated, as the farmer names it; null if it is not known.',
  irrigationStationIds: 'The irrigation stations that supply the block.',
  kind: 'The kind of station; null if it is not known.',
  waterSource: 'Where the water comes from, as the farmer names it; null if it is not known.',
  maxFlowM3PerHour: 'The largest flow, in cubic metres per hour; null if it is not known.',
  nominalPressureKPa: 'The design pressure of the station, in kilopascals; null if it is not known.',
  createdAt: 'When the structure was created.',
  updatedAt: 'When the structure last changed.',
};

/** The description of a member. @throws Error for a member without a text. */
export function textOf(name: string): string {
  const text = MEMBER_TEXTS[name];
  if (text === undefined) throw new Error(`the member ${name} of structures is not described`);
  return text;
}

/** Members with their meanings in place of the ends of error messages, which their schemas have. */
export function described(
  members: Readonly<Record<string, object>>,
  meaningOf: (name: string) => string = textOf,
): Readonly<Record<string, TSchema>> {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [
      name,
      Type.Unsafe({ ...schema, description: meaningOf(name) }),
    ]),
  );
}

/** The descriptions of the members of an ID in another system. */
export function externalIdText(name: string): string {
  return name === 'source' ? 'The name of the other system.' : 'The ID in that system.';
}

/** A kind of structure in words, with its article. */
export function kindText(kind: StructureKind): string {
  return kind === 'irrigationStation' ? 'an irrigation station' : `a ${kind}`;
}

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
