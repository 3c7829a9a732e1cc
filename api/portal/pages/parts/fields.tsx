import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface SelectProps {
  readonly label: string;
  /** Values and their texts. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly class?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
}

/** One of several values. */
export function Select({ label, options, onChange, class: kind, ...select }: SelectProps) {
  return (
    <label class={kind}>
      {label}
      <select {...select} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckboxProps {
  readonly checked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ComponentChildren;
}

/** Something that is on or off. */
export function Checkbox({ checked, onChange, children }: CheckboxProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {children}
    </label>
  );
}

interface TextFieldProps {
  readonly label: ComponentChildren;
  readonly hint?: string | null;
  readonly type: 'text' | 'number' | 'date' | 'datetime-local';
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly required?: boolean;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly maxLength?: number;
  readonly autocomplete?: 'off';
}

/** A text, a number, a date, or a date with a time. */
export function TextField({ label, hint = null, onInput, type, min, max, ...input }: TextFieldProps) {
  const hintId = useId();
  const common = {
    ...input,
    'aria-describedby': hint === null ? undefined : hintId,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onInput(currentTarget.value),
  };
  return (
    <label>
      {label}
      {type === 'number' && <input {...common} type="number" step="any" min={min} max={max} />}
      {type === 'date' && <input {...common} type="date" />}
      {type === 'datetime-local' && <input {...common} type="datetime-local" />}
      {type === 'text' && <input {...common} type="text" />}
      {hint !== null && <small id={hintId}>{hint}</small>}
    </label>
  );
}

interface LongTextFieldProps extends Pick<TextFieldProps, 'value' | 'onInput' | 'required' | 'maxLength'> {
  readonly label: string;
  readonly hint: string;
}

/** A text of several lines. */
export function LongTextField({ label, hint, onInput, ...input }: LongTextFieldProps) {
  const hintId = useId();
  return (
    <label>
      {label}
      <textarea
        {...input}
        rows={3}
        aria-describedby={hintId}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <small id={hintId}>{hint}</small>
    </label>
  );
}

interface NameFieldProps extends Pick<TextFieldProps, 'label' | 'value' | 'onInput'> {
  readonly hint: string;
}

const MAX_LENGTH = 200;

/** A name that may be empty. */
export function NameField(props: NameFieldProps) {
  return <TextField {...props} type="text" maxLength={MAX_LENGTH} autocomplete="off" />;
}
