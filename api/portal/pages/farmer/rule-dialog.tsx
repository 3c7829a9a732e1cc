import { useEffect, useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { useModuleName } from '../parts/catalogue.ts';
import { NameField, Select } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useLocalText } from '../parts/localized.tsx';
import { RuleFields } from '../parts/rule-fields.tsx';
import type { FieldValues } from '../parts/rule-fields.tsx';
import type { AlertCriterion, Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type Module = Schemas['AvailableModule'];

interface RuleDialogProps {
  readonly onCreated: () => Promise<void>;
  readonly onClose: () => void;
}

/** Creates a rule: a module, what it watches, and the values that its definition requires. */
export function RuleDialog({ onCreated, onClose }: RuleDialogProps) {
  const texts = useTexts().farmer.rules;
  const { id } = useOrganization();
  const [chosen, setChosen] = useState<Choice>({ moduleId: '', criteria: '', criterion: null });
  const [values, setValues] = useState<FieldValues>({});
  const [name, setName] = useState('');
  const { moduleId, criteria, criterion } = chosen;
  const create = async () => {
    if (criterion === null) return;
    const body = { moduleId, criteria, values: ruleValues(criterion, values), name: name.trim() || null };
    await callApi('POST', `/${id}/alertRules`, body);
    await onCreated();
    onClose();
  };
  return (
    <FormDialog
      title={texts.create}
      action={texts.save}
      isReady={criterion !== null}
      onSubmit={create}
      onClose={onClose}
    >
      <CriterionChoice
        chosen={chosen}
        onChoose={(choice) => {
          setChosen(choice);
          setValues({});
        }}
      />
      {criterion !== null && <RuleFields criterion={criterion} values={values} onChange={setValues} />}
      <NameField label={texts.ruleName} hint={texts.ruleNameHint} value={name} onInput={setName} />
    </FormDialog>
  );
}

interface Choice {
  readonly moduleId: string;
  readonly criteria: string;
  readonly criterion: AlertCriterion | null;
}

interface CriterionChoiceProps {
  readonly chosen: Choice;
  readonly onChoose: (chosen: Choice) => void;
}

function CriterionChoice({ chosen: { moduleId, criteria }, onChoose }: CriterionChoiceProps) {
  const texts = useTexts().farmer.rules;
  const nameOf = useModuleName();
  const localText = useLocalText();
  const modules = useDefiningModules(useOrganization().id);
  const criterias = modules?.find(({ id }) => id === moduleId)?.alertRules?.criterias;
  const named = (modules ?? []).map(({ id, translations }) => [id, nameOf(translations)] as const);
  const watched = Object.entries(criterias ?? {}).map(
    ([identifier, { displayName }]) => [identifier, localText(displayName)] as const,
  );
  return (
    <>
      {modules?.length === 0 && <p class="empty">{texts.noDefinitions}</p>}
      <Select
        label={texts.module}
        options={[['', texts.choose], ...named]}
        value={moduleId}
        onChange={(id) => {
          onChoose({ moduleId: id, criteria: '', criterion: null });
        }}
        required
      />
      <Select
        label={texts.criteria}
        options={[['', texts.choose], ...watched]}
        value={criteria}
        onChange={(identifier) => {
          onChoose({ moduleId, criteria: identifier, criterion: criterias?.[identifier] ?? null });
        }}
        required
        disabled={criterias === undefined}
      />
    </>
  );
}

/** The installed modules that define alert rules; null while they are being fetched. */
function useDefiningModules(organizationId: string): readonly Module[] | null {
  const [modules, setModules] = useState<readonly Module[] | null>(null);
  useEffect(() => {
    readDefiningModules(organizationId).then(setModules, () => {
      setModules([]);
    });
  }, [organizationId]);
  return modules;
}

/** A module that cannot be read is left out. */
async function readDefiningModules(organizationId: string): Promise<readonly Module[]> {
  const { items } = await callApi('GET', `/${organizationId}/installations?limit=200`);
  const results = await Promise.allSettled(
    items.map(({ moduleId }) => callApi('GET', `/${organizationId}/availableModules/${moduleId}`)),
  );
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return found.filter(({ alertRules }) => alertRules !== null);
}

/** The fields' contents as the API takes them: a number part as a number, an unchecked box as false. */
function ruleValues(criterion: AlertCriterion, values: FieldValues): Schemas['AlertRule']['values'] {
  const pairs = Object.entries(criterion.parts).map(([name, { field }]) => {
    const value = values[name] ?? '';
    if (field === 'boolean') return [name, value === true] as const;
    return [name, field === 'number' ? Number(value) : String(value)] as const;
  });
  return Object.fromEntries<string | number | boolean>(pairs);
}
