import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { useModuleName } from '../parts/catalogue.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { useLocalText } from '../parts/facts.tsx';
import { MAX_NAME, Select, TextField } from '../parts/fields.tsx';
import { ProblemNote } from '../parts/page.tsx';
import { type FieldValues, ReportInterval, RuleFields } from '../parts/rule-fields.tsx';
import { type AlertCriterion, callApi, type Schemas } from '../server/call-api.ts';
import { useRead } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

type Module = Schemas['AvailableModule'];

interface RuleDialogProps {
  /** The rule to edit; null: a new one. */
  readonly rule: Schemas['AlertRule'] | null;
  /** Reads the rules again. */
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

/** Creates or edits a rule: a module, what it watches, and the values that its definition requires. */
export function RuleDialog({ rule, reload, onClose }: RuleDialogProps) {
  const texts = useTexts().rules;
  const { id } = useOrganization();
  const { value: modules, error } = useRead(id, () => readDefiningModules(id));
  const [chosen, setChosen] = useState<Choice>({
    moduleId: rule?.moduleId ?? '',
    criteria: rule?.criteria ?? '',
  });
  const [values, setValues] = useState<FieldValues>(fieldValues(rule?.values ?? {}));
  const [name, setName] = useState(rule?.name ?? '');
  const { moduleId, criteria } = chosen;
  const rules = modules?.find((each) => each.id === moduleId)?.alertRules;
  const criterion = rules?.criterias[criteria];
  const save = async () => {
    if (criterion === undefined) return;
    const body = { moduleId, criteria, values: ruleValues(criterion, values), name: name.trim() || null };
    if (rule === null) await callApi('POST', `/${id}/alertRules`, body);
    else await callApi('PUT', `/${id}/alertRules/${rule.id}`, { ...body, enabled: rule.enabled });
  };
  return (
    <FormDialog
      title={rule === null ? texts.create : texts.editTitle}
      action={texts.save}
      isReady={criterion !== undefined}
      onSubmit={save}
      {...{ reload, onClose }}
    >
      <ProblemNote error={error} />
      <CriterionChoice
        chosen={chosen}
        modules={modules}
        isModuleFixed={rule !== null}
        onChoose={(choice) => {
          setChosen(choice);
          setValues({});
        }}
      />
      {rules && criterion && (
        <>
          <RuleFields criterion={criterion} values={values} onChange={setValues} />
          <ReportInterval rules={rules} criterion={criterion} />
        </>
      )}
      <TextField
        {...{ label: texts.ruleName, hint: texts.ruleNameHint, value: name, onInput: setName }}
        maxLength={MAX_NAME}
      />
    </FormDialog>
  );
}

interface Choice {
  readonly moduleId: string;
  readonly criteria: string;
}

interface CriterionChoiceProps {
  readonly chosen: Choice;
  /** Null while they are being fetched. */
  readonly modules: readonly Module[] | null;
  /** The module of a rule never changes. */
  readonly isModuleFixed: boolean;
  readonly onChoose: (chosen: Choice) => void;
}

function CriterionChoice({
  chosen: { moduleId, criteria },
  modules,
  isModuleFixed,
  onChoose,
}: CriterionChoiceProps) {
  const { common, rules: texts } = useTexts();
  const nameOf = useModuleName();
  const localText = useLocalText();
  const criterias = modules?.find(({ id }) => id === moduleId)?.alertRules?.criterias;
  const named = (modules ?? []).map(({ id, translations }) => [id, nameOf(translations)] as const);
  const watched = Object.entries(criterias ?? {}).map(
    ([identifier, { displayName }]) => [identifier, localText(displayName)] as const,
  );
  return (
    <>
      {modules?.length === 0 && <p class="empty">{texts.noDefinitions}</p>}
      <Select
        label={common.module}
        options={[['', texts.choose], ...named]}
        value={moduleId}
        onChange={(id) => onChoose({ moduleId: id, criteria: '' })}
        required
        disabled={isModuleFixed}
      />
      <Select
        label={texts.criteria}
        options={[['', texts.choose], ...watched]}
        value={criterias?.[criteria] === undefined ? '' : criteria}
        onChange={(identifier) => onChoose({ moduleId, criteria: identifier })}
        required
        disabled={criterias === undefined}
      />
    </>
  );
}

/** The installed modules that define alert rules; one that cannot be read is left out. */
async function readDefiningModules(organizationId: string): Promise<readonly Module[]> {
  const { items } = await callApi('GET', `/${organizationId}/installations?limit=200`);
  const results = await Promise.allSettled(
    items.map(({ moduleId }) => callApi('GET', `/${organizationId}/availableModules/${moduleId}`)),
  );
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return found.filter(({ alertRules }) => alertRules !== null);
}

/** The values of a rule as the contents of fields. */
function fieldValues(values: Schemas['AlertRule']['values']): FieldValues {
  const pairs = Object.entries(values).map(
    ([name, value]) => [name, typeof value === 'boolean' ? value : String(value)] as const,
  );
  return Object.fromEntries<string | boolean>(pairs);
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
