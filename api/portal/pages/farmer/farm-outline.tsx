import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

const STATION_RADIUS = 6;

/** A farm drawn from its geometry alone: no map, so nothing is fetched from elsewhere. */
export function FarmOutline({ farm }: { readonly farm: Schemas['Farm'] }) {
  const { farms: texts } = useTexts();
  const shapes = farmShapes(farm);
  if (shapes.length === 0) return <p class="quiet">{texts.noGeometry}</p>;
  const kinds = [...new Set(shapes.map(({ kind }) => kind))];
  return (
    <figure class="outline">
      <svg
        viewBox={`0 0 ${DRAWING_WIDTH} ${DRAWING_HEIGHT}`}
        role="img"
        aria-label={texts.outline(farm.name)}
      >
        {shapes.map((shape) =>
          'path' in shape ? (
            <path key={shape.id} class={`shape ${shape.kind}`} d={shape.path} fill-rule="evenodd">
              <title>{shape.name}</title>
            </path>
          ) : (
            <circle key={shape.id} class={`shape ${shape.kind}`} cx={shape.x} cy={shape.y} r={STATION_RADIUS}>
              <title>{shape.name}</title>
            </circle>
          ),
        )}
      </svg>
      <figcaption>
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

type ShapeKind = 'boundary' | 'field' | 'block' | 'station';

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Structure extends Named {
  readonly kind: ShapeKind;
}

/** One thing to draw, in the drawing's own units. */
type Shape = Structure & ({ readonly path: string } | { readonly x: number; readonly y: number });

const DRAWING_WIDTH = 480;
const DRAWING_HEIGHT = 300;
const MARGIN = 18;
/** About a hundred metres: a single point has no extent. */
const MIN_EXTENT_DEGREES = 0.001;

/** A farm's structures as shapes, larger ones first; empty if none has a geometry. */
function farmShapes(farm: Farm): readonly Shape[] {
  const located = locatedStructures(farm);
  const project = projection(located.flatMap(({ geometry }) => positionsOf(geometry)));
  return located.map(({ geometry, ...structure }) => {
    if (geometry.type === 'Point') {
      const [x, y] = project(geometry.coordinates);
      return { ...structure, x, y };
    }
    const end = geometry.type === 'LineString' ? '' : 'Z';
    const paths = linesOf(geometry).map(
      (line) => `M${line.map((each) => project(each).join(' ')).join('L')}${end}`,
    );
    return { ...structure, path: paths.join('') };
  });
}

function locatedStructures(farm: Farm): readonly (Structure & { readonly geometry: Geometry })[] {
  const locate = (kind: ShapeKind, { id, name }: Named, geometry: Geometry | null) =>
    geometry === null ? [] : [{ kind, id, name, geometry }];
  return [
    ...locate('boundary', farm, farm.boundary),
    ...farm.fields.flatMap((each) => locate('field', each, each.boundary)),
    ...farm.fields.flatMap(({ blocks }) => blocks.flatMap((each) => locate('block', each, each.geometry))),
    ...farm.irrigationStations.flatMap((each) => locate('station', each, each.location)),
  ];
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

/** The minimum and the maximum, at least a little apart. Not by spreading into a call: a farm may have 100,000 positions. */
function extent(values: readonly number[]): readonly [number, number] {
  const least = values.reduce((found, each) => Math.min(found, each), Infinity);
  const greatest = values.reduce((found, each) => Math.max(found, each), -Infinity);
  const missing = Math.max(0, MIN_EXTENT_DEGREES - (greatest - least)) / 2;
  return [least - missing, greatest + missing];
}
