import { surfaceAreaM2 } from '../../../../../shared/structures/surface-area.ts';
import {
  type AreaIssue,
  FileIssueError,
  isArea,
  type Layer,
  MAX_AREAS,
  MAX_BYTES,
  type ReadArea,
  type Shape,
  type Surface,
  type ToWgs84,
} from './area.ts';
import { rounded } from './corners.ts';
import { readGeoJson } from './read-geojson.ts';
import type { ShapefileParts } from './read-shapefile.ts';
import { surfaceIssue } from './surface-issue.ts';
import type { ZippedFile } from './read-zip.ts';

/**
 * Reads the areas of a GeoJSON or KML file, a KMZ file or a ZIP with any of them and with shapefiles. Its content decides
 * what it is. Of a ZIP, a file that cannot be read is an entry with its issue. @throws FileIssueError
 */
export async function readAreas(file: File): Promise<readonly ReadArea[]> {
  if (file.size > MAX_BYTES) throw new FileIssueError('tooLarge');
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const areas = isStart(start, ZIP_START)
    ? await readZip(file)
    : areasOf(await readText(file, start), file.name);
  if (areas.length === 0) throw new FileIssueError('noAreas');
  if (areas.length > MAX_AREAS) throw new FileIssueError('tooMany');
  const checked = withDuplicates(areas);
  if (JSON.stringify(checked.filter(isArea)).length > MAX_BYTES) throw new FileIssueError('tooLarge');
  return checked;
}

const ZIP_START = [0x50, 0x4b];
const SHP_START = [0x00, 0x00, 0x27, 0x0a];

function isStart(bytes: Uint8Array, wanted: readonly number[]): boolean {
  return wanted.every((each, index) => bytes[index] === each);
}

async function readText(file: Blob, start: Uint8Array): Promise<Layer> {
  if (isStart(start, SHP_START)) throw new FileIssueError('shapefileAlone');
  const text = (await file.text()).trimStart();
  if (text.startsWith('<')) return readKmlText(text);
  if (text.startsWith('{')) return damagedUnlessRead(() => readGeoJson(text));
  throw new FileIssueError('unknownFormat');
}

async function readKmlText(text: string): Promise<Layer> {
  const { readKml } = await import('./read-kml.ts');
  return damagedUnlessRead(() => readKml(text));
}

/** What a parser throws on a hostile file, such as a stack overflow, is an issue of the file. */
function damagedUnlessRead(read: () => Layer): Layer {
  try {
    return read();
  } catch (error) {
    throw error instanceof FileIssueError ? error : new FileIssueError('damaged');
  }
}

async function readZip(file: Blob): Promise<readonly ReadArea[]> {
  const { listZip } = await import('./read-zip.ts');
  const files = await listZip(file).catch((error: unknown) => {
    throw error instanceof FileIssueError ? error : new FileIssueError('damaged');
  });
  const areas: ReadArea[] = [];
  for (const { path } of files) {
    const read = readerOf(path, files);
    if (read === null) continue;
    try {
      areas.push(...areasOf(await read(), path));
    } catch (error) {
      // A bomb ends the whole ZIP, and a script that cannot be loaded is no issue of the file.
      if (!(error instanceof FileIssueError) || error.kind === 'unpacksTooLarge') throw error;
      areas.push({ name: path, geometry: null, areaM2: null, issue: error });
    }
  }
  return areas;
}

/** How a file of a ZIP is read, by the ending of its name; null: it is not, or with another one. */
function readerOf(path: string, files: readonly ZippedFile[]): (() => Promise<Layer>) | null {
  const ending = endingOf(path);
  const textOf = async () =>
    new TextDecoder().decode(await files.find((each) => each.path === path)?.bytes());
  switch (ending) {
    case 'kml':
      return async () => readKmlText(await textOf());
    case 'json':
    case 'geojson':
      return async () => {
        const text = await textOf();
        return damagedUnlessRead(() => readGeoJson(text));
      };
    case 'shp':
      return () => readParts(path, files);
    case 'zip':
    case 'kmz':
      return () => Promise.reject(new FileIssueError('zipInZip'));
    default:
      return null;
  }
}

const SHAPEFILE_ENDINGS = ['shp', 'dbf', 'prj', 'cpg'] as const;

async function readParts(path: string, files: readonly ZippedFile[]): Promise<Layer> {
  const { readShapefile } = await import('./read-shapefile.ts');
  const parts: ShapefileParts = {};
  for (const ending of SHAPEFILE_ENDINGS) {
    const wanted = `${stemOf(path)}.${ending}`.toLowerCase();
    const found = files.find((each) => each.path.toLowerCase() === wanted);
    if (found !== undefined) parts[ending] = await found.bytes();
  }
  return damagedUnlessRead(() => readShapefile(parts));
}

function endingOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase();
}

function stemOf(path: string): string {
  return path.replace(/\.[^./]*$/, '');
}

/** Checks the shapes of a file. Its name is that of a single area that has none. */
function areasOf({ shapes, toWgs84 }: Layer, path: string): readonly ReadArea[] {
  const fileName = shapes.length === 1 ? stemOf(path).split('/').at(-1)?.trim() : '';
  return shapes.map(({ name, geometry }) => checked({ name: name ?? (fileName || null), geometry }, toWgs84));
}

/** Checks a shape by the rules of the API, as a geometry without heights. */
function checked({ name, geometry }: Shape, toWgs84: ToWgs84): ReadArea {
  const refused = (kind: AreaIssue['kind'], drawn: Surface | null = null) => ({
    name,
    geometry: drawn,
    areaM2: null,
    issue: { kind, about: '' },
  });
  if (!isSurface(geometry)) return refused('noArea');
  const depth = geometry.type === 'Polygon' ? 2 : 3;
  const surface = { type: geometry.type, coordinates: convert(geometry.coordinates, depth, toWgs84) };
  const kind = surfaceIssue(surface);
  // What crosses itself is drawn, because the drawing shows why.
  if (kind !== null || !isSurface(surface))
    return refused(kind ?? 'malformed', kind === 'crossingRings' && isSurface(surface) ? surface : null);
  return { name, geometry: surface, areaM2: surfaceAreaM2(surface), issue: null };
}

/** Its coordinates are checked later. */
function isSurface(value: unknown): value is Surface {
  if (typeof value !== 'object' || value === null || !('type' in value && 'coordinates' in value))
    return false;
  return (value.type === 'Polygon' || value.type === 'MultiPolygon') && Array.isArray(value.coordinates);
}

function convert(value: unknown, depth: number, toWgs84: ToWgs84): unknown {
  if (!Array.isArray(value)) return value;
  if (depth > 0) return value.map((each) => convert(each, depth - 1, toWgs84));
  const [x, y] = value as readonly unknown[];
  if (!isFiniteNumber(x) || !isFiniteNumber(y)) return value;
  return toWgs84([x, y]).map(rounded);
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** Of areas that are the same, only the first is accepted: a ZIP may have the same fields in two formats. */
function withDuplicates(areas: readonly ReadArea[]): readonly ReadArea[] {
  const names = new Map<string, string>();
  return areas.map((area) => {
    if (!isArea(area)) return area;
    const key = JSON.stringify(area.geometry.coordinates);
    const about = names.get(key);
    names.set(key, about ?? area.name ?? '');
    return about === undefined ? area : { ...area, issue: { kind: 'duplicate' as const, about } };
  });
}
