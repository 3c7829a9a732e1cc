import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useTexts } from '../texts/language.ts';
import { MAX_NAME } from './max-name.ts';

/** A field of a form: its first value, and the input that shows and changes it. */
export interface Field<Value> {
  readonly initial: Value;
  readonly show: (value: Value, change: (value: Value) => void) => ComponentChildren;
}

interface SelectProps {
  readonly label: ComponentChildren;
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

interface ChoiceSpec<Value extends string> {
  readonly label: string;
  /** The values with their texts. */
  readonly options: Readonly<Record<Value, string>>;
  readonly value: NoInfer<Value>;
  /** Those that cannot be chosen. */
  readonly without?: readonly NoInfer<Value>[];
}

/** A field for one of several values. */
export function choiceField<Value extends string>(spec: ChoiceSpec<Value>): Field<Value> {
  const { label, options, value: initial, without = [] } = spec;
  const isOption = (key: string): key is Value => key in options;
  return {
    initial,
    show: (value, change) => (
      <Select
        {...{ label, value }}
        options={Object.entries<string>(options).filter(([key]) => !without.some((each) => each === key))}
        onChange={(key) => {
          if (isOption(key)) change(key);
        }}
      />
    ),
  };
}

/** For how long an old secret remains valid beside a new one. */
export const OVERLAP_SECONDS = { none: 0, hour: 3_600, day: 86_400, week: 604_800 } as const;

/** Returns a field for an overlap. */
export function useOverlapField(label: string): Field<keyof typeof OVERLAP_SECONDS> {
  const { common } = useTexts();
  return choiceField({ label, options: common.overlaps, value: 'day' });
}

interface CheckboxProps {
  readonly checked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly hint?: string;
  readonly children: ComponentChildren;
}

/** Something that is on or off. */
export function Checkbox({ checked, onChange, hint, children }: CheckboxProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>
        {children}
        {hint !== undefined && <small>{hint}</small>}
      </span>
    </label>
  );
}

interface TextSpec {
  readonly label: ComponentChildren;
  readonly hint?: string | null;
  /** One line of text if it is not given. */
  readonly type?: 'text' | 'lines' | 'number' | 'date' | 'datetime-local';
  readonly required?: boolean;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly maxLength?: number;
}

interface TextFieldProps extends TextSpec {
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** Browsers take years of six digits, which no ISO 8601 date has. */
const LAST_DAY = '9999-12-31';

/** A text, a number, a date, or a date with a time. */
export function TextField(props: TextFieldProps) {
  const { label, hint = null, onInput, type = 'text', min, max, ...input } = props;
  const hintId = useId();
  const common = {
    ...input,
    autocomplete: 'off',
    'aria-describedby': hint === null ? undefined : hintId,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onInput(currentTarget.value),
  } as const;
  return (
    <label>
      {label}
      {type === 'text' && <input {...common} type="text" />}
      {type === 'lines' && <textarea {...common} rows={3} />}
      {type === 'number' && <input {...common} type="number" step="any" {...{ min, max }} />}
      {type === 'date' && <input {...common} type="date" max={LAST_DAY} />}
      {type === 'datetime-local' && <input {...common} type="datetime-local" />}
      {hint !== null && <small id={hintId}>{hint}</small>}
    </label>
  );
}

/** A field for a text, a number, a date, or a date with a time; empty unless it has a first value. */
export function textField({
  value: initial = '',
  ...spec
}: TextSpec & { readonly value?: string }): Field<string> {
  return { initial, show: (value, onInput) => <TextField {...spec} {...{ value, onInput }} /> };
}

/** A field for a name, or a note as short. */
export function nameField(spec: Parameters<typeof textField>[0]): Field<string> {
  return textField({ ...spec, maxLength: MAX_NAME });
}

/** The longest reason, report or answer that the API takes. */
const MAX_REASON = 2_000;

/** A required text of some lines that somebody else reads. */
export function reasonField(
  spec: Pick<TextSpec, 'label' | 'hint'> & { readonly value?: string },
): Field<string> {
  return textField({ ...spec, type: 'lines', required: true, maxLength: MAX_REASON });
}
