import { useId } from 'preact/hooks';

interface HintedFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly isDate?: boolean;
}

const MAX_LENGTH = 200;

/** A field that may stay empty, with a hint at what then happens. */
export function HintedField({ label, hint, value, onInput, isDate = false }: HintedFieldProps) {
  const hintId = useId();
  const common = {
    value,
    'aria-describedby': hintId,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      onInput(currentTarget.value);
    },
  };
  return (
    <label>
      {label}
      {isDate ? (
        <input {...common} type="date" />
      ) : (
        <input {...common} type="text" maxLength={MAX_LENGTH} autocomplete="off" />
      )}
      <small id={hintId}>{hint}</small>
    </label>
  );
}
