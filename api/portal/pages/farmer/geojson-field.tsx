import { useId, useState } from 'preact/hooks';
import { MAX_NAME } from '../parts/fields.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

interface GeoJsonFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly required?: boolean;
  /** The areas of the chosen file; none while no file is chosen or it cannot be used. */
  readonly onChange: (areas: readonly Area[]) => void;
}

/** Chooses a file with areas, and says what is wrong with it. */
export function GeoJsonField({ label, hint, required = false, onChange }: GeoJsonFieldProps) {
  const texts = useTexts().farms;
  const [issue, setIssue] = useState<GeoJsonIssue | null>(null);
  const hintId = useId();
  const choose = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    const read = file === undefined ? [] : await readGeoJson(file);
    // Another file may have been chosen meanwhile.
    if (input.files?.[0] !== file) return;
    const found = typeof read === 'string' ? read : null;
    setIssue(found);
    // The form cannot be submitted with a file that cannot be used.
    input.setCustomValidity(found === null ? '' : texts.geojson[found]);
    onChange(typeof read === 'string' ? [] : read);
  };
  return (
    <label>
      {label}
      <input
        type="file"
        accept=".geojson,.json,application/geo+json,application/json"
        required={required}
        aria-describedby={hintId}
        aria-invalid={issue === null ? undefined : 'true'}
        onChange={({ currentTarget }) => void choose(currentTarget)}
      />
      <small id={hintId} role="status">
        {issue === null ? hint : texts.geojson[issue]}
      </small>
    </label>
  );
}

type Surface = NonNullable<Schemas['Field']['boundary']>;

/** An area of a file. */
export interface Area {
  /** Its name in the file; null: none. */
  readonly name: string | null;
  readonly geometry: Surface;
}

/** Why a file cannot be used. */
type GeoJsonIssue = 'notJson' | 'noAreas' | 'tooLarge';

/** What the API takes in one body. */
const MAX_BYTES = 10_000_000;
/** Members that farm software uses for the name of an area, most specific first. */
const NAMES = ['name', 'fieldname', 'field_name', 'field', 'bezeichnung', 'schlag', 'title', 'label', 'id'];

/** Reads the areas of a GeoJSON file; what has no area is left out. The API checks their coordinates. */
async function readGeoJson(file: File): Promise<readonly Area[] | GeoJsonIssue> {
  if (file.size > MAX_BYTES) return 'tooLarge';
  try {
    const areas = areasOf(JSON.parse(await file.text()), null);
    return areas.length === 0 ? 'noAreas' : areas;
  } catch {
    return 'notJson';
  }
}

function areasOf(value: unknown, name: string | null): readonly Area[] {
  if (typeof value !== 'object' || value === null || !('type' in value)) return [];
  if (value.type === 'FeatureCollection' && 'features' in value && Array.isArray(value.features))
    return value.features.flatMap((each) => areasOf(each, null));
  if (value.type === 'Feature' && 'geometry' in value)
    return areasOf(value.geometry, 'properties' in value ? nameOf(value.properties) : null);
  if (value.type === 'GeometryCollection' && 'geometries' in value && Array.isArray(value.geometries))
    return value.geometries.flatMap((each) => areasOf(each, name));
  return isSurface(value) ? [{ name, geometry: { ...value } }] : [];
}

function isSurface(value: object): value is Surface {
  return (
    'type' in value &&
    (value.type === 'Polygon' || value.type === 'MultiPolygon') &&
    'coordinates' in value &&
    Array.isArray(value.coordinates)
  );
}

function nameOf(properties: unknown): string | null {
  if (typeof properties !== 'object' || properties === null) return null;
  const members = Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const wanted of NAMES) {
    const value: unknown = members.find(([name]) => name === wanted)?.[1];
    const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
    if (text !== '') return text.slice(0, MAX_NAME);
  }
  return null;
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
