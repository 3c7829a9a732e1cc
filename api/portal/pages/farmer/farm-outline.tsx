import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

/** A farm drawn from its geometry alone. */
export function FarmOutline({ farm }: { readonly farm: Schemas['Farm'] }) {
  const { farms: texts } = useTexts();
  const shapes = shapesOf(farm);
  if (shapes.length === 0) return <p class="quiet">{texts.noGeometry}</p>;
  return <Outline label={texts.outline(farm.name)} shapes={shapes} />;
}

interface OutlineProps {
  readonly label: string;
  readonly shapes: readonly LocatedShape[];
}

/** Shapes as a map without a background, so that nothing is fetched from elsewhere; nothing if there are none. */
export function Outline({ label, shapes }: OutlineProps) {
  const { farms: texts } = useTexts();
  if (shapes.length === 0) return null;
  const { project } = projection(shapes.flatMap(({ geometry }) => linesOf(geometry).flat()));
  const kinds = [...new Set(shapes.map(({ kind }) => kind))];
  return (
    <figure class="outline">
      <svg viewBox={`0 0 ${DRAWING_WIDTH} ${DRAWING_HEIGHT}`} role="img" aria-label={label}>
        {shapes.map(({ id, kind, name, geometry }) => (
          <path key={id} class={`shape ${kind}`} d={pathOf(geometry, project)} fill-rule="evenodd">
            <title>{name}</title>
          </path>
        ))}
      </svg>
      <figcaption class="row quiet">
        {kinds.map((kind) => (
          <span key={kind} class={`legend ${kind}`}>
            {texts[kind]}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

type Farm = Schemas['Farm'];
type Position = Schemas['Position'];
/** A block can have every kind. */
type Geometry = NonNullable<Schemas['Block']['geometry']>;

type Kind = 'boundary' | 'known' | 'field' | 'block' | 'station' | 'refused';

/** Something with a name and a geometry. */
export interface LocatedShape {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly geometry: Geometry;
}

export const DRAWING_WIDTH = 480;
export const DRAWING_HEIGHT = 300;
const MARGIN = 18;
/** About a hundred metres: a single point has no extent. */
const MIN_EXTENT_DEGREES = 0.001;

/** What has a geometry in a farm, larger things first. */
export function shapesOf(farm: Farm): readonly LocatedShape[] {
  const locate = (kind: Kind, { id, name }: Pick<Farm, 'id' | 'name'>, geometry: Geometry | null) =>
    geometry === null ? [] : [{ kind, id, name, geometry }];
  return [
    ...locate('boundary', farm, farm.boundary),
    ...farm.fields.flatMap((each) => locate('field', each, each.boundary)),
    ...farm.fields.flatMap(({ blocks }) => blocks.flatMap((each) => locate('block', each, each.geometry))),
    ...farm.irrigationStations.flatMap((each) => locate('station', each, each.location)),
  ];
}

/** The lines of a geometry: the rings of areas, or a single position. */
export function linesOf(geometry: Geometry): readonly (readonly Position[])[] {
  switch (geometry.type) {
    case 'Point':
      return [[geometry.coordinates]];
    case 'LineString':
      return [geometry.coordinates];
    case 'Polygon':
      return geometry.coordinates;
    case 'MultiPolygon':
      return geometry.coordinates.flat();
  }
}

/** A point of the drawing. */
export type Point = readonly [x: number, y: number];
type Project = (position: Position) => Point;

/** From positions to points of the drawing, and back. */
interface Projection {
  readonly project: Project;
  readonly unproject: (point: Point) => Position;
}

/** A line of no length is drawn as a dot. */
const ENDS = { Point: 'h0', LineString: '', Polygon: 'Z', MultiPolygon: 'Z' } as const;

/** A geometry as the path of a drawing. */
export function pathOf(geometry: Geometry, project: Project): string {
  const lines = linesOf(geometry).map((line) => line.map((each) => project(each).join(' ')).join('L'));
  return lines.map((line) => `M${line}${ENDS[geometry.type]}`).join('');
}

/** Fits positions into the drawing: plate carrée, true to scale at the middle latitude, north up. */
export function projection(positions: readonly Position[], margin = MARGIN): Projection {
  const [west, east] = extent(positions.map(([longitude = 0]) => longitude));
  const [south, north] = extent(positions.map(([, latitude = 0]) => latitude));
  const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const scale = Math.min(
    (DRAWING_WIDTH - 2 * margin) / ((east - west) * shrink),
    (DRAWING_HEIGHT - 2 * margin) / (north - south),
  );
  const round = (value: number) => Math.round(value * 10) / 10;
  const [meridian, parallel] = [(west + east) / 2, (south + north) / 2];
  return {
    project: ([longitude = 0, latitude = 0]) => [
      round(DRAWING_WIDTH / 2 + (longitude - meridian) * shrink * scale),
      round(DRAWING_HEIGHT / 2 - (latitude - parallel) * scale),
    ],
    unproject: ([x, y]) => [
      meridian + (x - DRAWING_WIDTH / 2) / (shrink * scale),
      parallel - (y - DRAWING_HEIGHT / 2) / scale,
    ],
  };
}

/** The minimum and the maximum, at least a little apart. Not by spreading into a call: a farm may have 100,000 positions. */
function extent(values: readonly number[]): readonly [number, number] {
  const least = values.reduce((found, each) => Math.min(found, each), Infinity);
  const greatest = values.reduce((found, each) => Math.max(found, each), -Infinity);
  const missing = Math.max(0, MIN_EXTENT_DEGREES - (greatest - least)) / 2;
  return [least - missing, greatest + missing];
}
