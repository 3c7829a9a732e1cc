/** What a structure of a farm can be. */
export type StructureKind = 'farm' | 'field' | 'block' | 'irrigationStation';

/** Parents before children. */
export const STRUCTURE_KINDS: readonly StructureKind[] = ['farm', 'field', 'irrigationStation', 'block'];

/** Archived structures are kept, and told to those who ask for them. */
export type StructureStatus = 'active' | 'archived';

/** Longitude, latitude and, if told, metres above the ellipsoid (RFC 7946 section 3.1.1). */
export type Position = readonly number[];

/** A point of GeoJSON (RFC 7946). */
export interface PointGeometry {
  readonly type: 'Point';
  readonly coordinates: Position;
}

/** A line of GeoJSON. */
export interface LineGeometry {
  readonly type: 'LineString';
  readonly coordinates: readonly Position[];
}

/** The outer ring of a polygon and then its holes. */
export type Rings = readonly (readonly Position[])[];

/** A polygon of GeoJSON. */
export interface PolygonGeometry {
  readonly type: 'Polygon';
  readonly coordinates: Rings;
}

/** Several polygons as one geometry of GeoJSON. */
export interface MultiPolygonGeometry {
  readonly type: 'MultiPolygon';
  readonly coordinates: readonly Rings[];
}

/** A geometry that has an area. */
export type Surface = PolygonGeometry | MultiPolygonGeometry;

/** A geometry as it is stored: RFC 7946, without bbox and foreign members. */
export type Geometry = PointGeometry | LineGeometry | Surface;

/** The ID of a structure in another system. */
export interface ExternalId {
  readonly source: string;
  readonly id: string;
}

interface Structure {
  readonly id: string;
  readonly name: string;
  readonly code: string | null;
  readonly status: StructureStatus;
  readonly externalIds: readonly ExternalId[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A farm, without its fields and irrigation stations. */
export interface Farm extends Structure {
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string | null;
  /** A name of the IANA time zone database. */
  readonly timeZone: string | null;
  readonly location: PointGeometry | null;
  readonly boundary: Surface | null;
  readonly areaM2: number | null;
}

/** A field, without its blocks. */
export interface Field extends Structure {
  readonly farmId: string;
  readonly boundary: Surface | null;
  readonly areaM2: number | null;
  readonly arableAreaM2: number | null;
  readonly soilTextureType: string | null;
}

/** A block: what is planted and irrigated as one within a field. */
export interface Block extends Structure {
  readonly fieldId: string;
  readonly farmId: string;
  readonly geometry: Geometry | null;
  readonly areaM2: number | null;
  readonly cropId: string | null;
  /** A day, YYYY-MM-DD, or a timestamp. */
  readonly plantedAt: string | null;
  readonly rowSpacingM: number | null;
  readonly plantSpacingM: number | null;
  readonly irrigationSystemType: string | null;
  /** Stations of the same farm. */
  readonly irrigationStationIds: readonly string[];
}

/** What an irrigation station is. */
export type IrrigationStationKind = 'pump' | 'valve' | 'filter' | 'pivot' | 'controller';

/** A device of a farm's irrigation. */
export interface IrrigationStation extends Structure {
  readonly farmId: string;
  readonly kind: IrrigationStationKind | null;
  readonly location: PointGeometry | null;
  readonly waterSource: string | null;
  readonly maxFlowM3PerHour: number | null;
  readonly nominalPressureKPa: number | null;
}

/** The member that is stored beside the others, as a geometry of its own. */
export const GEOMETRY_MEMBER: Readonly<Record<StructureKind, string>> = {
  farm: 'boundary',
  field: 'boundary',
  block: 'geometry',
  irrigationStation: 'location',
};

const COMMON = ['name', 'code', 'status', 'externalIds'] as const;
const TIMES = ['createdAt', 'updatedAt'] as const;

/** The other members in the order in which they are stored and answered. */
export const STORED_MEMBERS: Readonly<Record<StructureKind, readonly string[]>> = {
  farm: ['id', ...COMMON, 'countryCode', 'timeZone', 'location', 'areaM2', ...TIMES],
  field: ['id', 'farmId', ...COMMON, 'areaM2', 'arableAreaM2', 'soilTextureType', ...TIMES],
  block: [
    ...[
      'id',
      'fieldId',
      'farmId',
      ...COMMON,
      'areaM2',
      'cropId',
      'plantedAt',
      'rowSpacingM',
      'plantSpacingM',
    ],
    ...['irrigationSystemType', 'irrigationStationIds', ...TIMES],
  ],
  irrigationStation: [
    ...['id', 'farmId', ...COMMON, 'kind', 'waterSource', 'maxFlowM3PerHour', 'nominalPressureKPa', ...TIMES],
  ],
};
