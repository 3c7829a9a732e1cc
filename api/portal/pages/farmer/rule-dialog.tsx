import { useModuleName } from '../parts/catalogue.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { useLocalText } from '../parts/facts.tsx';
import { nameField, Select } from '../parts/fields.tsx';
import { useOrganization } from '../parts/page.tsx';
import { type FieldValues, ReportInterval, RuleFields } from '../parts/rule-fields.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type Module = Schemas['AvailableModule'];

type Rule = Schemas['AlertRule'];

/** What the reader has entered. */
interface Entered {
  readonly moduleId: string;
  readonly criteria: string;
  readonly values: FieldValues;
}

/** Returns what creates a rule or edits one: a module, what it watches, and the values that its definition requires. */
export function useRuleForm(reload: () => Promise<void>): (ruleId: string | null) => Promise<void> {
  const texts = useTexts().rules;
  const { id } = useOrganization();
  const dialogs = useDialogs(reload);
  return async (ruleId) => {
    const path = `/${id}/alertRules` as const;
    const [modules, rule] = await Promise.all([
      readDefiningModules(id),
      // It may have been edited since the page read it.
      ruleId === null ? null : callApi('GET', `${path}/${ruleId}`),
    ]);
    dialogs.form({
      title: rule === null ? texts.create : texts.editTitle,
      action: texts.save,
      fields: {
        entered: {
          initial: enteredOf(rule, modules),
          show: (entered, onChange) => (
            <CriterionFields {...{ modules, entered, onChange }} isModuleFixed={rule !== null} />
          ),
        },
        name: nameField({ label: texts.ruleName, hint: texts.ruleNameHint, value: rule?.name ?? '' }),
      },
      isReady: ({ entered }) => definitionOf(modules, entered) !== null,
      submit: async ({ entered, name: given }) => {
        const { moduleId, criteria } = entered;
        const name = given.trim() || null;
        const body = { moduleId, criteria, name, values: ruleValues(modules, entered) };
        if (rule === null) {
          await callApi('POST', path, body);
          return;
        }
        const now = await callApi('GET', `${path}/${rule.id}`);
        await callApi('PUT', `${path}/${rule.id}`, changedRule(now, rule, body));
      },
    });
  };
}

type RuleBody = Pick<Rule, 'moduleId' | 'criteria' | 'values' | 'name'>;

/** A rule as it is now, with what the reader has changed in it since the dialog was opened. */
function changedRule(now: Rule, opened: Rule, body: RuleBody) {
  const { moduleId, enabled } = now;
  // Values are those of a criterion, and an operator makes no sense without its number: they stay or change together.
  const { criteria, values } = isSameCondition(opened, body) ? now : body;
  const { name } = opened.name === body.name ? now : body;
  return { moduleId, criteria, values, name, enabled };
}

/** Whether two rules watch the same; the server does not keep the order of the values. */
function isSameCondition(one: RuleBody, other: RuleBody): boolean {
  const values = Object.entries(one.values);
  return (
    one.criteria === other.criteria &&
    values.length === Object.keys(other.values).length &&
    values.every(([name, value]) => other.values[name] === value)
  );
}

/** The chosen criterion of the chosen module; null while they are not chosen. */
function definitionOf(modules: readonly Module[], { moduleId, criteria }: Entered) {
  const rules = modules.find(({ id }) => id === moduleId)?.alertRules;
  const criterion = rules?.criterias[criteria];
  return rules && criterion ? { rules, criterion } : null;
}

interface CriterionFieldsProps {
  readonly modules: readonly Module[];
  readonly entered: Entered;
  /** The module of a rule never changes. */
  readonly isModuleFixed: boolean;
  readonly onChange: (entered: Entered) => void;
}

function CriterionFields({ modules, entered, isModuleFixed, onChange }: CriterionFieldsProps) {
  const { common, rules: texts } = useTexts();
  const nameOf = useModuleName();
  const localText = useLocalText();
  const { moduleId, criteria, values } = entered;
  const definition = definitionOf(modules, entered);
  const criterias = modules.find(({ id }) => id === moduleId)?.alertRules?.criterias;
  const named = modules.map(({ id, translations }) => [id, nameOf(translations)] as const);
  const watched = Object.entries(criterias ?? {}).map(
    ([identifier, { displayName }]) => [identifier, localText(displayName)] as const,
  );
  return (
    <>
      {modules.length === 0 && <p class="empty">{texts.noDefinitions}</p>}
      <Select
        label={common.module}
        options={[['', texts.choose], ...named]}
        value={moduleId}
        onChange={(id) => onChange({ moduleId: id, criteria: '', values: {} })}
        required
        disabled={isModuleFixed}
      />
      <Select
        label={texts.criteria}
        options={[['', texts.choose], ...watched]}
        value={definition === null ? '' : criteria}
        onChange={(identifier) => onChange({ moduleId, criteria: identifier, values: {} })}
        required
        disabled={criterias === undefined}
      />
      {definition !== null && (
        <>
          <RuleFields
            criterion={definition.criterion}
            values={values}
            onChange={(changed) => onChange({ ...entered, values: changed })}
          />
          <ReportInterval {...definition} />
        </>
      )}
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

/** A rule as the contents of fields; a new one is for the only module that there is. */
function enteredOf(rule: Rule | null, modules: readonly Module[]): Entered {
  const only = modules.length === 1 ? (modules[0]?.id ?? '') : '';
  const { moduleId, criteria, values } = rule ?? { moduleId: only, criteria: '', values: {} };
  const pairs = Object.entries(values).map(
    ([name, value]) => [name, typeof value === 'boolean' ? value : String(value)] as const,
  );
  return { moduleId, criteria, values: Object.fromEntries<string | boolean>(pairs) };
}

/** The fields' contents as the API takes them: a number part as a number, an unchecked box as false. */
function ruleValues(modules: readonly Module[], entered: Entered): Rule['values'] {
  const parts = definitionOf(modules, entered)?.criterion.parts ?? {};
  const pairs = Object.entries(parts).map(([name, { field }]) => {
    const value = entered.values[name] ?? '';
    if (field === 'boolean') return [name, value === true] as const;
    return [name, field === 'number' ? Number(value) : String(value)] as const;
  });
  return Object.fromEntries<string | number | boolean>(pairs);
}
