import type { Schemas } from '../server/api-types.ts';
import { useTexts } from '../texts/language.ts';
import { DRAWING_HEIGHT, DRAWING_WIDTH, farmShapes } from './outline-geometry.ts';

const STATION_RADIUS = 6;

/** A farm drawn from its geometry alone: no map, so nothing is fetched from elsewhere. */
export function FarmOutline({ farm }: { readonly farm: Schemas['Farm'] }) {
  const { farmer } = useTexts();
  const shapes = farmShapes(farm);
  if (shapes.length === 0) return <p class="quiet">{farmer.farms.noGeometry}</p>;
  const kinds = [...new Set(shapes.map(({ kind }) => kind))];
  return (
    <figure class="outline">
      <svg
        viewBox={`0 0 ${DRAWING_WIDTH} ${DRAWING_HEIGHT}`}
        role="img"
        aria-label={farmer.farms.outline(farm.name)}
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
            {farmer.farms[kind]}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
