import { shortened } from '../../parts/max-name.ts';
import type { Layer, Shape } from './area.ts';
import { namedSystem } from './coordinate-system.ts';

/** Reads a GeoJSON text, also of the time before RFC 7946, when it named its coordinate system. @throws SyntaxError */
export function readGeoJson(text: string): Layer {
  const value: unknown = JSON.parse(text);
  return { shapes: shapesOf(value), toWgs84: namedSystem(systemName(value)) };
}

/** The shapes of a GeoJSON object: of a Feature one, whatever it consists of. */
export function shapesOf(value: unknown): readonly Shape[] {
  if (!isObject(value)) return [];
  if (value['type'] === 'FeatureCollection' && Array.isArray(value['features']))
    return value['features'].flatMap(shapesOf);
  if (value['type'] !== 'Feature') return 'type' in value ? [{ name: null, geometry: joined(value) }] : [];
  return [{ name: nameOf(value['properties']), geometry: joined(value['geometry']) }];
}

/** The areas of a collection as one; points and lines in it, such as the labels of a map, are left out. */
function joined(geometry: unknown): unknown {
  if (!isObject(geometry) || !Array.isArray(geometry['geometries'])) return geometry;
  const polygons = geometry['geometries'].flatMap((each: unknown): readonly unknown[] => {
    const part = joined(each);
    if (!isObject(part) || !Array.isArray(part['coordinates'])) return [];
    if (part['type'] === 'Polygon') return [part['coordinates']];
    return part['type'] === 'MultiPolygon' ? part['coordinates'] : [];
  });
  if (polygons.length === 0) return geometry;
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] }
    : { type: 'MultiPolygon', coordinates: polygons };
}

/** The name of a crs as GeoJSON had it in 2008; null: WGS 84. */
function systemName(value: unknown): string | null {
  if (!isObject(value) || !isObject(value['crs'])) return null;
  const { crs } = value;
  const name = isObject(crs['properties']) ? crs['properties']['name'] : undefined;
  return typeof name === 'string' ? name : 'crs';
}

/** Members that farm software uses for the name of an area, most specific first. */
const NAMES = [
  'name',
  'fieldname',
  'field_name',
  'fld_name',
  'field',
  'bezeichnung',
  'schlagname',
  'schlag',
  'title',
  'label',
  'id',
];

/** The name among the properties of a shape; null: there is none. */
export function nameOf(properties: unknown): string | null {
  if (!isObject(properties)) return null;
  const members = Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const wanted of NAMES) {
    const value = members.find(([name]) => name === wanted)?.[1];
    const text = Number.isFinite(value) ? String(value) : typeof value === 'string' ? value.trim() : '';
    if (text !== '') return shortened(text);
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
