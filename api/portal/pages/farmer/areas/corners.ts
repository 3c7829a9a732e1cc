import type { components } from '../../../../../shared/client/openapi-types.ts';
import type { Surface } from './area.ts';

export type Position = components['schemas']['Position'];
type Rings = Position[][];

/** The corners of each ring of a surface; a ring of GeoJSON repeats its first position at its end, this does not. */
export function cornersOf(surface: Surface): readonly (readonly Position[])[] {
  const rings = surface.type === 'Polygon' ? surface.coordinates : surface.coordinates.flat();
  return rings.map((ring) => ring.slice(0, -1));
}

/** The surface with other corners in one of its rings. */
export function withCorners(
  surface: Surface,
  ring: number,
  change: (corners: readonly Position[]) => readonly Position[],
): Surface {
  let index = -1;
  const changed = (rings: Rings): Rings =>
    rings.map((each) => {
      index += 1;
      return index === ring ? closed(change(each.slice(0, -1))) : each;
    });
  return surface.type === 'Polygon'
    ? { ...surface, coordinates: changed(surface.coordinates) }
    : { ...surface, coordinates: surface.coordinates.map(changed) };
}

function closed(corners: readonly Position[]): Position[] {
  return [...corners, ...corners.slice(0, 1)];
}

/** The position in the middle between a corner and the next one of its ring. */
export function middleAfter(corners: readonly Position[], corner: number): Position {
  const [from = [], to = []] = [corners[corner], corners[(corner + 1) % corners.length]];
  return [0, 1].map((axis) => rounded(((from[axis] ?? 0) + (to[axis] ?? 0)) / 2));
}

/** Seven digits of a degree are a centimetre. */
const DIGITS = 1e7;

/** A degree as it is stored. */
export function rounded(degrees: number): number {
  return Math.round(degrees * DIGITS) / DIGITS;
}
