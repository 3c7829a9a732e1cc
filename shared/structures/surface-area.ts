import { area } from '@turf/area';
import type { Geometry } from './structure.ts';

/** Square metres on the globe, to a hundredth; null for what is not a surface. */
export function surfaceAreaM2(geometry: Geometry | null): number | null {
  if (geometry?.type !== 'Polygon' && geometry?.type !== 'MultiPolygon') return null;
  return Math.round(area(geometry as Parameters<typeof area>[0]) * 100) / 100;
}
