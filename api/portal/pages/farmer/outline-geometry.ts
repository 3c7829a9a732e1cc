import type { Geometry, Position } from '../../../../shared/structures/structure.ts';
import type { FarmTree } from '../server/answers.ts';

export type ShapeKind = 'boundary' | 'field' | 'block' | 'station';

/** One thing to draw, in the drawing's own units. */
export type Shape = { readonly kind: ShapeKind; readonly name: string; readonly id: string } & (
  { readonly path: string } | { readonly x: number; readonly y: number }
);

interface Placed {
  readonly kind: ShapeKind;
  readonly name: string;
  readonly id: string;
  readonly geometry: Geometry;
}

export const DRAWING_WIDTH = 480;
export const DRAWING_HEIGHT = 300;
const MARGIN = 18;
/** About a hundred metres: a lone point has no extent. */
const MIN_EXTENT_DEGREES = 0.001;

/** A farm's structures as shapes, larger ones first; empty where none has a geometry. */
export function farmShapes(farm: FarmTree): readonly Shape[] {
  const placed = placedStructures(farm);
  const project = projection(placed.flatMap(({ geometry }) => positionsOf(geometry)));
  return placed.map(({ kind, name, id, geometry }) => {
    if (geometry.type === 'Point') {
      const [x, y] = project(geometry.coordinates);
      return { kind, name, id, x, y };
    }
    const path = linesOf(geometry)
      .map(
        (line) =>
          `M${line.map((each) => project(each).join(' ')).join('L')}${geometry.type === 'LineString' ? '' : 'Z'}`,
      )
      .join('');
    return { kind, name, id, path };
  });
}

function placedStructures({ id, name, boundary, fields, irrigationStations }: FarmTree): readonly Placed[] {
  return [
    ...place('boundary', { id, name }, boundary),
    ...fields.flatMap((each) => place('field', each, each.boundary)),
    ...fields.flatMap(({ blocks }) => blocks.flatMap((each) => place('block', each, each.geometry))),
    ...irrigationStations.flatMap((each) => place('station', each, each.location)),
  ];
}

/** What has no geometry has no place. */
function place(
  kind: ShapeKind,
  { id, name }: { readonly id: string; readonly name: string },
  geometry: Geometry | null | undefined,
): readonly Placed[] {
  return geometry === null || geometry === undefined ? [] : [{ kind, id, name, geometry }];
}

function linesOf(geometry: Exclude<Geometry, { type: 'Point' }>): readonly (readonly Position[])[] {
  switch (geometry.type) {
    case 'LineString':
      return [geometry.coordinates];
    case 'Polygon':
      return geometry.coordinates;
    case 'MultiPolygon':
      return geometry.coordinates.flat();
  }
}

function positionsOf(geometry: Geometry): readonly Position[] {
  return geometry.type === 'Point' ? [geometry.coordinates] : linesOf(geometry).flat();
}

/** Fits positions into the drawing: plate carrée, true to scale at the middle latitude, north up. */
function projection(positions: readonly Position[]): (position: Position) => readonly [number, number] {
  const [west, east] = extent(positions.map(([longitude = 0]) => longitude));
  const [south, north] = extent(positions.map(([, latitude = 0]) => latitude));
  const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const scale = Math.min(
    (DRAWING_WIDTH - 2 * MARGIN) / ((east - west) * shrink),
    (DRAWING_HEIGHT - 2 * MARGIN) / (north - south),
  );
  const round = (value: number) => Math.round(value * 10) / 10;
  return ([longitude = 0, latitude = 0]) => [
    round(DRAWING_WIDTH / 2 + (longitude - (west + east) / 2) * shrink * scale),
    round(DRAWING_HEIGHT / 2 - (latitude - (south + north) / 2) * scale),
  ];
}

/** Least and greatest, apart at least a little. No spreading into a call: a farm may have 100,000 positions. */
function extent(values: readonly number[]): readonly [number, number] {
  const least = values.reduce((found, each) => Math.min(found, each), Infinity);
  const greatest = values.reduce((found, each) => Math.max(found, each), -Infinity);
  const missing = Math.max(0, MIN_EXTENT_DEGREES - (greatest - least)) / 2;
  return [least - missing, greatest + missing];
}
