import { buildZip } from './zip-builder.ts';

/** A ring of positions; the last one is the first again. */
export type Ring = readonly (readonly number[])[];

/** A square, clockwise as shapefiles have outer rings. */
export function squareRing(west: number, south: number, size: number): Ring {
  const [east, north] = [west + size, south + size];
  return [
    [west, south],
    [west, north],
    [east, north],
    [east, south],
    [west, south],
  ];
}

/** A ZIP with files by their paths. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  return buildZip(Object.entries(files).map(([path, content]) => ({ path, content })));
}

const [POLYGON, POLYGON_Z] = [5, 15];
const HEADER_BYTES = 100;

/** A .shp file: each record has its rings; positions with a third number make it PolygonZ. */
export function shpOf(records: readonly (readonly Ring[])[]): Buffer {
  const isZ = records.flat(2).some((position) => position.length > 2);
  const type = isZ ? POLYGON_Z : POLYGON;
  const contents = records.map((rings) => recordOf(type, rings));
  const header = headerOf(type, records.flat(2));
  const parts = contents.flatMap((content, index) => {
    const before = Buffer.alloc(8);
    before.writeInt32BE(index + 1, 0);
    before.writeInt32BE(content.length / 2, 4);
    return [before, content];
  });
  const file = Buffer.concat([header, ...parts]);
  file.writeInt32BE(file.length / 2, 24);
  return file;
}

function headerOf(type: number, positions: Ring): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32BE(9994, 0);
  header.writeInt32LE(1000, 28);
  header.writeInt32LE(type, 32);
  for (const [index, value] of extentOf(positions).entries()) header.writeDoubleLE(value, 36 + index * 8);
  return header;
}

function extentOf(positions: Ring): readonly number[] {
  const xs = positions.map(([x = 0]) => x);
  const ys = positions.map(([, y = 0]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function recordOf(type: number, rings: readonly Ring[]): Buffer {
  const positions = rings.flat();
  const head = Buffer.alloc(44 + rings.length * 4);
  head.writeInt32LE(type, 0);
  for (const [index, value] of extentOf(positions).entries()) head.writeDoubleLE(value, 4 + index * 8);
  head.writeInt32LE(rings.length, 36);
  head.writeInt32LE(positions.length, 40);
  let first = 0;
  for (const [index, ring] of rings.entries()) {
    head.writeInt32LE(first, 44 + index * 4);
    first += ring.length;
  }
  const heights = positions.map(([, , z = 0]) => z);
  return Buffer.concat([
    head,
    doubles(positions.flatMap(([x = 0, y = 0]) => [x, y])),
    ...(type === POLYGON_Z ? [doubles([Math.min(...heights), Math.max(...heights), ...heights])] : []),
  ]);
}

function doubles(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) bytes.writeDoubleLE(value, index * 8);
  return bytes;
}

const NAME_BYTES = 40;

/** A .dbf file with one column, NAME. */
export function dbfOf(names: readonly string[], encoding: 'utf8' | 'latin1' = 'utf8'): Buffer {
  const header = Buffer.alloc(65);
  header.writeUInt8(3, 0);
  header.writeUInt32LE(names.length, 4);
  header.writeUInt16LE(header.length, 8);
  header.writeUInt16LE(NAME_BYTES + 1, 10);
  header.write('NAME', 32, 'latin1');
  header.write('C', 43, 'latin1');
  header.writeUInt8(NAME_BYTES, 48);
  header.writeUInt8(13, 64);
  const rows = names.map((name) => {
    const row = Buffer.alloc(NAME_BYTES + 1, ' ');
    row.write(name, 1, encoding);
    return row;
  });
  return Buffer.concat([header, ...rows]);
}

const DEGREES = 'UNIT["Degree",0.0174532925199433]';
const GREENWICH = 'PRIMEM["Greenwich",0.0]';

/** A .prj file in degrees of WGS 84. */
export const WGS_84 = `GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],${GREENWICH},${DEGREES}]`;

const etrs89 = `GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",SPHEROID["GRS_1980",6378137.0,298.257222101]],${GREENWICH},${DEGREES}]`;
const dhdn = `GEOGCS["GCS_Deutsches_Hauptdreiecksnetz",DATUM["D_Deutsches_Hauptdreiecksnetz",SPHEROID["Bessel_1841",6377397.155,299.1528128]],${GREENWICH},${DEGREES}]`;

function transverseMercator(name: string, system: string, easting: number, scale: number): string {
  return `PROJCS["${name}",${system},PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",${easting}],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",${scale}],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]`;
}

/** A .prj file in metres, as German authorities use it. */
export const UTM_32 = transverseMercator('ETRS_1989_UTM_Zone_32N', etrs89, 500_000, 0.9996);

/** A .prj file of an old datum; it does not say how it differs from WGS 84. */
export const GAUSS_KRUEGER = transverseMercator('DHDN_3_Degree_Gauss_Zone_3', dhdn, 3_500_000, 1);

/** A KML text with placemarks: their names, and what else is in them. */
export function kmlOf(placemarks: readonly (readonly [name: string, content: string])[]): string {
  const texts = placemarks.map(([name, content]) => `<Placemark><name>${name}</name>${content}</Placemark>`);
  return `<?xml version="1.0" encoding="UTF-8"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>${texts.join('')}</Document></kml>`;
}

/** A polygon of KML with an outer ring and holes. */
export function kmlPolygon(outer: Ring, ...holes: readonly Ring[]): string {
  const ring = (positions: Ring) =>
    `<LinearRing><coordinates>${positions.map((each) => each.join(',')).join(' ')}</coordinates></LinearRing>`;
  const inner = holes.map((hole) => `<innerBoundaryIs>${ring(hole)}</innerBoundaryIs>`).join('');
  return `<Polygon><outerBoundaryIs>${ring(outer)}</outerBoundaryIs>${inner}</Polygon>`;
}

/** A Feature of GeoJSON with a polygon. */
export function featureOf(properties: object, ...coordinates: readonly Ring[]) {
  return { type: 'Feature', properties, geometry: { type: 'Polygon', coordinates } };
}

/** A GeoJSON text with features, and other members such as `crs`. */
export function geoJsonOf(features: readonly object[], others: object = {}): string {
  return JSON.stringify({ type: 'FeatureCollection', ...others, features });
}
