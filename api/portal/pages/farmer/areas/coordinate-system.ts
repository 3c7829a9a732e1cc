import proj4 from 'proj4';
import { FileIssueError, type ToWgs84 } from './area.ts';

/** The ellipsoid of WGS 84 and of the systems that follow it to within two metres, such as ETRS89. */
const MODERN_RADIUS_M = 6_378_137;
/** The datum of a system that does not say how it differs from WGS 84. */
const UNKNOWN_DATUM = 5;

/** Returns what converts from the system of a .prj file to WGS 84. @throws FileIssueError if the difference is not known */
export function describedSystem(wkt: string): ToWgs84 {
  // A local system has no place on Earth.
  const name = /^\s*(?:GEOG|PROJ)\w+\["([^"]{1,80})"/.exec(wkt)?.[1];
  if (name === undefined) throw new FileIssueError('coordinateSystem', '.prj');
  return converterOf(wkt, name);
}

const IN_DEGREES = new Set(['4326', '4258', '4979']);
const WEB_MERCATOR = new Set(['3857', '900913']);

/**
 * Returns what converts from a system that GeoJSON names to WGS 84: degrees, the zones of UTM on WGS 84 and ETRS89, and
 * web maps. Null: it is WGS 84. @throws FileIssueError for another system
 */
export function namedSystem(name: string | null): ToWgs84 {
  if (name === null || /CRS:?84$/.test(name)) return (position) => position;
  const code = /EPSG/i.test(name) ? (/\d{4,6}$/.exec(name)?.[0] ?? '') : '';
  if (IN_DEGREES.has(code)) return (position) => position;
  if (WEB_MERCATOR.has(code)) return converterOf('EPSG:3857', name);
  const [, kind, zone] = /^(326|327|258)(\d\d)$/.exec(code) ?? [];
  if (kind === undefined) throw new FileIssueError('coordinateSystem', name);
  return converterOf(`+proj=utm +zone=${Number(zone)} +datum=WGS84${kind === '327' ? ' +south' : ''}`, name);
}

function converterOf(definition: string, name: string): ToWgs84 {
  const refused = new FileIssueError('coordinateSystem', name);
  try {
    const converter = proj4(definition);
    const system = converter.oProj;
    if (system === undefined) throw refused;
    if (system.datum.datum_type === UNKNOWN_DATUM && system.a !== MODERN_RADIUS_M) throw refused;
    return (position) => converter.inverse(position);
  } catch {
    throw refused;
  }
}
