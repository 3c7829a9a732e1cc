import { useState } from 'preact/hooks';
import type { AlertCriterion } from '../../../../shared/package/alert-rules/alert-rules.ts';
import { useModuleName } from '../parts/catalogue.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { HintedField } from '../parts/hinted-field.tsx';
import { useLocalText } from '../parts/local-text.ts';
import { RuleFields } from '../parts/rule-fields.tsx';
import type { FieldValues } from '../parts/rule-fields.tsx';
import type { AvailableModule, RuleValues } from '../server/answers.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { useDefiningModules } from './use-defining-modules.ts';

interface RuleDialogProps {
  readonly organizationId: string;
  readonly onMade: () => Promise<void>;
  readonly onClose: () => void;
}

/** Builds a rule: a module, what it watches, and the values that its definition asks for. */
export function RuleDialog({ organizationId, onMade, onClose }: RuleDialogProps) {
  const { farmer } = useTexts();
  const modules = useDefiningModules(organizationId);
  const [chosen, setChosen] = useState({ moduleId: '', criteria: '' });
  const [values, setValues] = useState<FieldValues>({});
  const [name, setName] = useState('');
  const module = modules?.find(({ id }) => id === chosen.moduleId);
  const criterion = module?.alertRules?.criterias[chosen.criteria];
  const make = async () => {
    const written = ruleValues(criterion, values);
    const body = { ...chosen, values: written, name: name.trim() === '' ? null : name };
    await callApi('POST', `/${organizationId}/alertRules`, body);
    await onMade();
    onClose();
  };
  return (
    <FormDialog
      title={farmer.rules.build}
      action={farmer.rules.save}
      isReady={criterion !== undefined}
      onSubmit={make}
      onClose={onClose}
    >
      {modules?.length === 0 && <p class="empty">{farmer.rules.noDefinitions}</p>}
      <Choices
        modules={modules ?? []}
        module={module}
        criteria={chosen.criteria}
        onChoose={(moduleId, criteria) => {
          setChosen({ moduleId, criteria });
          setValues({});
        }}
      />
      {criterion !== undefined && <RuleFields criterion={criterion} values={values} onChange={setValues} />}
      <HintedField
        label={farmer.rules.ruleName}
        hint={farmer.rules.ruleNameHint}
        value={name}
        onInput={setName}
      />
    </FormDialog>
  );
}

interface ChoicesProps {
  readonly modules: readonly AvailableModule[];
  readonly module: AvailableModule | undefined;
  readonly criteria: string;
  readonly onChoose: (moduleId: string, criteria: string) => void;
}

function Choices({ modules, module, criteria, onChoose }: ChoicesProps) {
  const { farmer } = useTexts();
  const nameOf = useModuleName();
  const localText = useLocalText();
  const criterias = Object.entries(module?.alertRules?.criterias ?? {});
  return (
    <>
      <label>
        {farmer.rules.module}
        <select
          required
          value={module?.id ?? ''}
          onChange={({ currentTarget }) => {
            onChoose(currentTarget.value, '');
          }}
        >
          <option value="">{farmer.rules.choose}</option>
          {modules.map(({ id, translations }) => (
            <option key={id} value={id}>
              {nameOf(translations)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {farmer.rules.criteria}
        <select
          required
          disabled={module === undefined}
          value={criteria}
          onChange={({ currentTarget }) => {
            onChoose(module?.id ?? '', currentTarget.value);
          }}
        >
          <option value="">{farmer.rules.choose}</option>
          {criterias.map(([identifier, { displayName }]) => (
            <option key={identifier} value={identifier}>
              {localText(displayName)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** The fields' contents as the API takes them: a number part as a number, an unticked box as false. */
function ruleValues(criterion: AlertCriterion | undefined, values: FieldValues): RuleValues {
  const written: Record<string, string | number | boolean> = {};
  for (const [name, { field }] of Object.entries(criterion?.parts ?? {})) {
    const value = values[name] ?? '';
    if (field === 'boolean') written[name] = value === true;
    else written[name] = field === 'number' ? Number(value) : String(value);
  }
  return written;
}
