import { useId, useState } from 'preact/hooks';
import type { Field } from '../../parts/fields.tsx';
import { useTexts } from '../../texts/language.ts';
import { FileIssueError, type ReadArea } from './area.ts';

interface FileSpec {
  readonly label: string;
  readonly hint: string;
  readonly required?: boolean;
}

/** A field for a file with areas, and what becomes of them. */
export function areaFileField<Item>(
  spec: FileSpec,
  itemsOf: (areas: readonly ReadArea[]) => readonly Item[],
): Field<readonly Item[]> {
  return {
    initial: [],
    show: (_items, change) => <AreaFileField {...spec} onChange={(areas) => change(itemsOf(areas))} />,
  };
}

interface AreaFileFieldProps extends FileSpec {
  /** The entries of the chosen file; none while no file is chosen or it cannot be read. */
  readonly onChange: (areas: readonly ReadArea[]) => void;
}

/** Chooses a file with areas, reads it in the browser, and says what is wrong with it. */
function AreaFileField({ label, hint, required = false, onChange }: AreaFileFieldProps) {
  const { common, farms: texts } = useTexts();
  const [state, setState] = useState<{ readonly text: string; readonly isWrong: boolean } | null>(null);
  const hintId = useId();
  const choose = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    const show = (text: string | null, isWrong: boolean, areas: readonly ReadArea[] = []) => {
      // Another file may have been chosen meanwhile.
      if (input.files?.[0] !== file) return;
      setState(text === null ? null : { text, isWrong });
      // The form cannot be submitted with a file that is being read or cannot be used.
      input.setCustomValidity(text ?? '');
      onChange(areas);
    };
    if (file === undefined) {
      show(null, false);
      return;
    }
    show(texts.reading, false);
    try {
      // The parsers are loaded by those who need them.
      const { readAreas } = await import('./read-areas.ts');
      show(null, false, await readAreas(file));
    } catch (error) {
      const isIssue = error instanceof FileIssueError;
      show(isIssue ? texts.areaIssues[error.kind](error.about) : common.unreachable, true);
    }
  };
  return (
    <label>
      {label}
      <input
        type="file"
        accept=".geojson,.json,.kml,.kmz,.zip"
        required={required}
        aria-describedby={hintId}
        aria-invalid={state?.isWrong === true ? 'true' : undefined}
        aria-busy={state?.isWrong === false}
        onChange={({ currentTarget }) => void choose(currentTarget)}
      />
      <small id={hintId} role="status">
        {state?.text ?? hint}
      </small>
    </label>
  );
}
