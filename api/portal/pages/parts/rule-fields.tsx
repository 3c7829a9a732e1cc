import type { AlertCriterion, AlertPart, Schemas } from '../server/call-api.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { useLocalText } from './facts.tsx';
import { Checkbox, Select, TextField } from './fields.tsx';

/** The input of the fields: text, or whether a box is checked. */
export type FieldValues = Readonly<Record<string, string | boolean>>;

interface RuleFieldsProps {
  readonly criterion: AlertCriterion;
  readonly values: FieldValues;
  readonly onChange: (values: FieldValues) => void;
}

/** The inputs that a criterion's definition requires. */
export function RuleFields({ criterion, values, onChange }: RuleFieldsProps) {
  return (
    <div class="fields">
      {Object.entries(criterion.parts).map(([name, part]) => (
        <Field
          key={name}
          part={part}
          value={values[name] ?? ''}
          onChange={(value) => onChange({ ...values, [name]: value })}
        />
      ))}
    </div>
  );
}

interface ReportIntervalProps {
  readonly rules: Schemas['AlertRuleDefinitions'];
  readonly criterion: AlertCriterion;
}

/** How often, at least, the module reports a rule of the criterion; nothing where it does not say. */
export function ReportInterval({ rules, criterion }: ReportIntervalProps) {
  const { rules: texts } = useTexts();
  const hours = criterion.expectedIntervalHours ?? rules.expectedIntervalHours;
  return hours === null ? null : <p class="quiet">{texts.reportsEvery(hours)}</p>;
}

interface FieldProps {
  readonly part: AlertPart;
  readonly value: string | boolean;
  readonly onChange: (value: string | boolean) => void;
}

function Field({ part, value, onChange }: FieldProps) {
  const { rules: texts } = useTexts();
  const localText = useLocalText();
  const hint = useRange(part);
  const title = localText(part.title);
  if (part.field === 'boolean')
    return (
      <Checkbox checked={value === true} onChange={onChange}>
        {title}
      </Checkbox>
    );
  const text = String(value);
  if (part.field === 'select') {
    const options = Object.entries(part.options ?? {}).map(([key, each]) => [key, localText(each)] as const);
    const all = [['', texts.choose] as const, ...options];
    return <Select label={title} options={all} value={text} onChange={onChange} required />;
  }
  return (
    <TextField
      label={
        <>
          {title}
          {part.unit !== null && <span class="quiet"> ({part.unit})</span>}
        </>
      }
      hint={hint}
      type={part.field}
      value={text}
      onInput={onChange}
      required
      min={part.min ?? undefined}
      max={part.max ?? undefined}
    />
  );
}

/** The range that a number must be in; null: any number. */
function useRange({ min, max }: AlertPart): string | null {
  const { rules: texts } = useTexts();
  const format = useFormats();
  const text = (bound: number | null) => (bound === null ? null : format.number(bound, 15));
  return min === null && max === null ? null : texts.range(text(min), text(max));
}
