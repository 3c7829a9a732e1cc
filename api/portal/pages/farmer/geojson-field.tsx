import { useId, useState } from 'preact/hooks';
import { useTexts } from '../texts/language.ts';
import { readGeoJson, type Area, type GeoJsonIssue } from './read-geojson.ts';

interface GeoJsonFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly required?: boolean;
  /** The areas of the chosen file; none while no file is chosen or it cannot be used. */
  readonly onChange: (areas: readonly Area[]) => void;
}

/** Chooses a file with areas, and says what is wrong with it. */
export function GeoJsonField({ label, hint, required = false, onChange }: GeoJsonFieldProps) {
  const texts = useTexts().farmer.farms;
  const [issue, setIssue] = useState<GeoJsonIssue | null>(null);
  const hintId = useId();
  const choose = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    const read = file === undefined ? { areas: [] } : await readGeoJson(file);
    // Another file may have been chosen meanwhile.
    if (input.files?.[0] !== file) return;
    const found = 'issue' in read ? read.issue : null;
    setIssue(found);
    // The form cannot be submitted with a file that cannot be used.
    input.setCustomValidity(found === null ? '' : texts.geojson[found]);
    onChange('areas' in read ? read.areas : []);
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
