import type { NormalForm } from '../package/schema/normal-form.ts';
import { GUID_PATTERN } from '../package/schema/schema-parts.ts';

export type StructureKind = 'farm' | 'field' | 'block' | 'irrigationStation';

/** Parents before children. */
export const STRUCTURE_KINDS: readonly StructureKind[] = ['farm', 'field', 'irrigationStation', 'block'];

/** Archived structures are kept, and returned on request. */
export type StructureStatus = 'active' | 'archived';

/** Longitude, latitude and, optionally, metres above the ellipsoid (RFC 7946 section 3.1.1). */
export type Position = readonly number[];

/** The outer ring of a polygon and then its holes. */
export type Rings = readonly (readonly Position[])[];

/** A geometry of GeoJSON (RFC 7946). */
interface GeoJson<Type extends string, Coordinates> {
  readonly type: Type;
  readonly coordinates: Coordinates;
}

type Point = GeoJson<'Point', Position>;

/** A geometry that has an area. */
export type Surface = GeoJson<'Polygon', Rings> | GeoJson<'MultiPolygon', readonly Rings[]>;

/** A geometry as it is stored: RFC 7946, without bbox and foreign members. */
export type Geometry = Point | GeoJson<'LineString', readonly Position[]> | Surface;

/** The member that is stored separately, as a geometry of its own. */
export const GEOMETRY_MEMBER: Readonly<Record<StructureKind, string>> = {
  farm: 'boundary',
  field: 'boundary',
  block: 'geometry',
  irrigationStation: 'location',
};

/** A schema whose description ends the sentence “… must be”. */
export interface MemberSchema {
  readonly description: string;
}

const MAX_TEXT = 200;

const givenText = { type: 'string', minLength: 1, maxLength: MAX_TEXT, pattern: '\\S' } as const;
const text = {
  ...givenText,
  type: ['string', 'null'],
  description: `text of 1 to ${MAX_TEXT} characters that is not blank, or null`,
} as const;

/** Limits far above anything on Earth: they catch a wrong unit, and numbers that lose their digits. */
function amount(maximum: number) {
  return {
    type: ['number', 'null'],
    minimum: 0,
    maximum,
    description: `a number from 0 to ${maximum}, or null`,
  } as const;
}

function oneOf<const Value extends string>(...values: readonly Value[]) {
  return { enum: [...values, null], description: `one of ${values.join(', ')}, or null` } as const;
}

function formatted(format: string, description: string) {
  return { type: ['string', 'null'], format, description: `${description}, or null` } as const;
}

function list<const Items>(maxItems: number, items: Items, description: string) {
  return {
    type: ['array', 'null'],
    maxItems,
    items,
    description: `${description}, at most ${maxItems}`,
  } as const;
}

const area = amount(1e14);

const COMMON = {
  name: { ...givenText, description: `text of 1 to ${MAX_TEXT} characters that is not blank` },
  code: text,
  status: { enum: ['active', 'archived'], description: 'active or archived' },
  externalIds: list(
    50,
    {
      type: 'object',
      required: ['source', 'id'],
      additionalProperties: false,
      properties: { source: givenText, id: givenText },
    },
    'an array of objects with source and id',
  ),
} as const;

/** The input members of each kind, besides its ID, its parents and its geometry. */
export const STRUCTURE_MEMBERS = {
  farm: {
    ...COMMON,
    countryCode: formatted('country', 'an ISO 3166-1 alpha-2 code in upper case, such as NL'),
    timeZone: formatted('time-zone', 'a name of the IANA time zone database, such as Europe/Amsterdam'),
    areaM2: area,
  },
  field: { ...COMMON, areaM2: area, arableAreaM2: area, soilTextureType: text },
  block: {
    ...COMMON,
    areaM2: area,
    cropId: text,
    plantedAt: formatted('planting', 'a day as YYYY-MM-DD or a timestamp with its offset'),
    rowSpacingM: amount(1e5),
    plantSpacingM: amount(1e5),
    irrigationSystemType: text,
    irrigationStationIds: list(1_000, { type: 'string', pattern: GUID_PATTERN }, 'an array of GUIDs'),
  },
  irrigationStation: {
    ...COMMON,
    kind: oneOf('pump', 'valve', 'filter', 'pivot', 'controller'),
    waterSource: text,
    maxFlowM3PerHour: amount(1e9),
    nominalPressureKPa: amount(1e9),
  },
} as const satisfies Record<StructureKind, Readonly<Record<string, MemberSchema>>>;

type Members<Kind extends StructureKind> = NormalForm<{
  readonly type: 'object';
  readonly properties: (typeof STRUCTURE_MEMBERS)[Kind];
}>;

type Structure<Kind extends StructureKind> = Omit<Members<Kind>, 'name' | 'status'> & {
  readonly id: string;
  readonly name: string;
  readonly status: StructureStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** A farm, without its fields and irrigation stations. */
export type Farm = Structure<'farm'> & {
  readonly location: Point | null;
  readonly boundary: Surface | null;
};

/** A field, without its blocks. */
export type Field = Structure<'field'> & { readonly farmId: string; readonly boundary: Surface | null };

/** A block: what is planted and irrigated as one within a field. */
export type Block = Structure<'block'> & {
  readonly fieldId: string;
  readonly farmId: string;
  readonly geometry: Geometry | null;
};

const TIMES = ['createdAt', 'updatedAt'];

/** The other members in the order in which they are stored and answered. */
export const STORED_MEMBERS: Readonly<Record<StructureKind, readonly string[]>> = {
  farm: ['id', ...Object.keys(COMMON), 'countryCode', 'timeZone', 'location', 'areaM2', ...TIMES],
  field: ['id', 'farmId', ...Object.keys(STRUCTURE_MEMBERS.field), ...TIMES],
  block: ['id', 'fieldId', 'farmId', ...Object.keys(STRUCTURE_MEMBERS.block), ...TIMES],
  irrigationStation: ['id', 'farmId', ...Object.keys(STRUCTURE_MEMBERS.irrigationStation), ...TIMES],
};
