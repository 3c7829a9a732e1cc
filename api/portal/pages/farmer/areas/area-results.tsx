import { Table } from '../../parts/lists.tsx';
import type { Schemas } from '../../server/call-api.ts';
import { useFormats, useTexts } from '../../texts/language.ts';
import { type LocatedShape, Outline, shapesOf } from '../farm-outline.tsx';
import { isArea, type ReadArea, type Surface } from './area.ts';

/** An entry of a file, and what becomes of it. */
export interface AreaResult extends ReadArea {
  readonly id: string;
  readonly name: string;
  readonly result: string;
}

interface AreaResultsProps {
  /** The farm that the areas are for; null: a new one. */
  readonly farm: Schemas['Farm'] | null;
  readonly results: readonly AreaResult[];
}

/** The entries of a file on a map, beside what the farm has, and in a table with what becomes of each. */
export function AreaResults({ farm, results }: AreaResultsProps) {
  const { common, farms: texts } = useTexts();
  const format = useFormats();
  if (results.length === 0) return null;
  const accepted = results.filter(isArea).length;
  const areaOf = ({ areaM2 }: AreaResult) => (areaM2 === null ? '–' : format.hectares(areaM2));
  const resultOf = ({ issue, result }: AreaResult) =>
    issue === null ? result : <span class="not-accepted">{texts.areaIssues[issue.kind](issue.about)}</span>;
  return (
    <>
      <p role="status">{texts.accepted(accepted, results.length)}</p>
      <Outline
        label={texts.outlineOfFile}
        shapes={[...knownShapes(farm, results), ...results.flatMap(drawn)]}
      />
      <Table
        label={texts.entries}
        items={results}
        columns={[
          [common.name, ({ name }) => name, 'head'],
          [texts.area, areaOf, 'number'],
          [texts.result, resultOf],
        ]}
        sentence={(each) => (
          <p>
            <strong>{each.name}</strong>, {areaOf(each)}: {resultOf(each)}
          </p>
        )}
      />
    </>
  );
}

/** What the farm has and keeps: an area with the ID of a field replaces its boundary. */
function knownShapes(farm: Schemas['Farm'] | null, results: readonly AreaResult[]): readonly LocatedShape[] {
  const replaced = new Set(results.map(({ id }) => id));
  return farm === null
    ? []
    : shapesOf(farm)
        .filter(({ id, kind }) => !replaced.has(id) && (kind === 'boundary' || kind === 'field'))
        .map(asKnown);
}

/** A field as one that stays as it is. */
export function asKnown(shape: LocatedShape): LocatedShape {
  return shape.kind === 'field' ? { ...shape, kind: 'known' } : shape;
}

function drawn({ id, name, geometry, issue }: AreaResult): readonly LocatedShape[] {
  return geometry === null ? [] : [{ kind: issue === null ? 'field' : 'refused', id, name, geometry }];
}

/** One geometry that covers all areas. */
export function joined(areas: readonly Surface[]): Surface {
  const [first] = areas;
  if (first !== undefined && areas.length === 1) return first;
  const coordinates = areas.flatMap((area) =>
    area.type === 'Polygon' ? [area.coordinates] : area.coordinates,
  );
  return { type: 'MultiPolygon', coordinates };
}
