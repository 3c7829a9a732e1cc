/** What a structure of a farm can be. */
export type StructureKind = 'farm' | 'field' | 'block' | 'irrigationStation';

/** Parents before children. */
export const STRUCTURE_KINDS: readonly StructureKind[] = ['farm', 'field', 'irrigationStation', 'block'];

export type StructureStatus = 'active' | 'archived';

/** Longitude, latitude and, if told, metres above the ellipsoid (RFC 7946 section 3.1.1). */
export type Position = readonly number[];

export interface PointGeometry {
  readonly type: 'Point';
  readonly coordinates: Position;
}

export interface LineGeometry {
  readonly type: 'LineString';
  readonly coordinates: readonly Position[];
}

export type Rings = readonly (readonly Position[])[];

export interface PolygonGeometry {
  readonly type: 'Polygon';
  readonly coordinates: Rings;
}

export interface MultiPolygonGeometry {
  readonly type: 'MultiPolygon';
  readonly coordinates: readonly Rings[];
}

export type Surface = PolygonGeometry | MultiPolygonGeometry;

/** A geometry as it is stored: RFC 7946, without bbox and foreign members. */
export type Geometry = PointGeometry | LineGeometry | Surface;

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

export type IrrigationStationKind = 'pump' | 'valve' | 'filter' | 'pivot' | 'controller';

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
