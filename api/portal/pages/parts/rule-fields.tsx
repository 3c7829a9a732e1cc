import { useId } from 'preact/hooks';
import type { AlertCriterion, AlertPart } from '../../../../shared/package/alert-rules/alert-rules.ts';
import { formatNumber } from '../texts/formats.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { useLocalText } from './local-text.ts';

/** What stands in the fields: text of inputs, or whether a box is ticked. */
export type FieldValues = Readonly<Record<string, string | boolean>>;

interface RuleFieldsProps {
  readonly criterion: AlertCriterion;
  readonly values: FieldValues;
  readonly onChange: (values: FieldValues) => void;
}

/** The inputs that a criterion's definition asks for. */
export function RuleFields({ criterion, values, onChange }: RuleFieldsProps) {
  return (
    <div class="fields">
      {Object.entries(criterion.parts).map(([name, part]) => (
        <Field
          key={name}
          part={part}
          value={values[name] ?? (part.field === 'boolean' ? false : '')}
          onChange={(value) => {
            onChange({ ...values, [name]: value });
          }}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly part: AlertPart;
  readonly value: string | boolean;
  readonly onChange: (value: string | boolean) => void;
}

function Field({ part, value, onChange }: FieldProps) {
  const localText = useLocalText();
  const title = localText(part.title);
  if (part.field === 'boolean')
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.checked);
          }}
        />
        {title}
      </label>
    );
  const text = typeof value === 'string' ? value : '';
  return part.field === 'select' ? (
    <SelectField part={part} title={title} value={text} onChange={onChange} />
  ) : (
    <InputField part={part} title={title} value={text} onChange={onChange} />
  );
}

interface TextFieldProps {
  readonly part: AlertPart;
  readonly title: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function SelectField({ part, title, value, onChange }: TextFieldProps) {
  const { farmer } = useTexts();
  const localText = useLocalText();
  return (
    <label>
      {title}
      <select
        required
        value={value}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value);
        }}
      >
        <option value="">{farmer.rules.choose}</option>
        {Object.entries(part.options ?? {}).map(([key, text]) => (
          <option key={key} value={key}>
            {localText(text)}
          </option>
        ))}
      </select>
    </label>
  );
}

function InputField({ part, title, value, onChange }: TextFieldProps) {
  const hintId = useId();
  const hint = useRange(part);
  const common = {
    required: true,
    value,
    'aria-describedby': hint === null ? undefined : hintId,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      onChange(currentTarget.value);
    },
  } as const;
  return (
    <label>
      {title}
      {part.unit !== null && <span class="quiet"> ({part.unit})</span>}
      {part.field === 'number' && (
        <input {...common} type="number" step="any" min={part.min ?? undefined} max={part.max ?? undefined} />
      )}
      {part.field === 'date' && <input {...common} type="date" />}
      {part.field === 'text' && <input {...common} type="text" />}
      {hint !== null && <small id={hintId}>{hint}</small>}
    </label>
  );
}

/** What a number may be; null: anything. */
function useRange({ min, max }: AlertPart): string | null {
  const { farmer } = useTexts();
  const language = useLanguage();
  const told = (bound: number | null) => (bound === null ? null : formatNumber(language, bound, 15));
  return min === null && max === null ? null : farmer.rules.range(told(min), told(max));
}
