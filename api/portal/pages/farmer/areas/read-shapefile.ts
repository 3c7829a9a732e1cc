import { parseDbf, parseShp } from 'shpjs';
import { FileIssueError, type Layer, MAX_AREAS, type ToWgs84 } from './area.ts';
import { describedSystem, namedSystem } from './coordinate-system.ts';
import { nameOf } from './read-geojson.ts';

/** The parts of a shapefile, by the endings of their names; only `shp` must be there. */
export type ShapefileParts = Partial<Record<'shp' | 'dbf' | 'prj' | 'cpg', Uint8Array>>;

/** Reads a shapefile (ESRI Shapefile Technical Description, 1998). @throws FileIssueError; RangeError if it is cut off */
export function readShapefile({ shp, dbf, prj, cpg }: ShapefileParts): Layer {
  if (shp === undefined) throw new FileIssueError('damaged');
  const geometries = parseShp(shp);
  const rows = dbf === undefined ? [] : rowsOf(dbf, cpg);
  return {
    shapes: geometries.map((geometry, index) => ({ name: nameOf(rows[index]), geometry })),
    toWgs84: prj === undefined ? withoutSystem(shp) : describedSystem(new TextDecoder().decode(prj)),
  };
}

/** Without a .prj only the extent shows whether it is in degrees: four doubles after 36 bytes. */
function withoutSystem(shp: Uint8Array): ToWgs84 {
  const view = viewOf(shp);
  const [west = NaN, south = NaN, east = NaN, north = NaN] = [36, 44, 52, 60].map((offset) =>
    view.getFloat64(offset, true),
  );
  const isInDegrees = west >= -180 && east <= 180 && south >= -90 && north <= 90;
  if (!isInDegrees) throw new FileIssueError('noCoordinateSystem');
  return namedSystem(null);
}

const [RECORDS_AT, HEADER_LENGTH_AT, RECORD_LENGTH_AT] = [4, 8, 10];

/** The rows of a dBASE table. Its header may promise four thousand million of them. */
function rowsOf(dbf: Uint8Array, cpg: Uint8Array | undefined): readonly unknown[] {
  const view = viewOf(dbf);
  const records = view.getUint32(RECORDS_AT, true);
  if (records > MAX_AREAS) throw new FileIssueError('tooMany');
  const headerLength = view.getUint16(HEADER_LENGTH_AT, true);
  if (headerLength + records * view.getUint16(RECORD_LENGTH_AT, true) > dbf.length)
    throw new FileIssueError('damaged');
  return parseDbf(
    dbf,
    cpg === undefined ? encodingOf(dbf.subarray(headerLength)) : new TextDecoder().decode(cpg),
  );
}

/** Without a .cpg old programs wrote the code page of Windows, new ones UTF-8. */
function encodingOf(rows: Uint8Array): string {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(rows);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
