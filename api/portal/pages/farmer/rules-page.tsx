import { useModuleName } from '../parts/catalogue.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { Badge } from '../parts/facts.tsx';
import { ItemList } from '../parts/lists.tsx';
import { Button, PageHead, RowButton, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useList, useNamed } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { useRuleForm } from './rule-dialog.tsx';
import { NoReport, useRuleText } from './rule-text.tsx';

/** A farmer's alert rules, and a form for another. */
export function RulesPage() {
  const { common, rules: texts } = useTexts();
  const { id, isAdmin } = useOrganization();
  const rules = useList(`/${id}/alertRules`);
  const openForm = useRuleForm(rules.reload);
  return (
    <>
      <PageHead title={common.pages.rules} lead={texts.lead}>
        {isAdmin && <Button text={texts.create} onClick={() => openForm(null)} />}
      </PageHead>
      <ItemList of={rules} empty={texts.none} class="cards">
        {(rule) => <RuleCard key={rule.id} rule={rule} reload={rules.reload} />}
      </ItemList>
    </>
  );
}

type AlertRule = Schemas['AlertRule'];

interface RuleCardProps {
  readonly rule: AlertRule;
  /** Reads the rules again. */
  readonly reload: () => Promise<void>;
}

/** A rule in the words of the module's definition. */
function RuleCard(props: RuleCardProps) {
  const { rule } = props;
  const { rules: texts } = useTexts();
  const nameOf = useModuleName();
  const { id, isAdmin } = useOrganization();
  const module = useNamed(`/${id}/availableModules/${rule.moduleId}`);
  const ruleText = useRuleText();
  const { name, condition } =
    module === undefined
      ? { name: rule.name ?? '…', condition: '…' }
      : ruleText(rule, module?.alertRules?.criterias[rule.criteria]);
  return (
    <li class="card">
      <h2>{name}</h2>
      <p class="quiet">
        {module ? nameOf(module.translations) : '…'}{' '}
        <Badge tone={rule.enabled ? 'good' : 'calm'}>{rule.enabled ? texts.enabled : texts.disabled}</Badge>{' '}
        {rule.status === 'outdated' && <Badge tone="warn">{texts.outdated}</Badge>}
      </p>
      <p>{condition}</p>
      {rule.noReportSince !== null && (
        <p class="note warn">
          <NoReport rule={rule} module={module} />
        </p>
      )}
      {rule.status === 'outdated' && <OutdatedReasons reasons={rule.outdatedReasons} />}
      {isAdmin && <RuleActions {...props} />}
    </li>
  );
}

function OutdatedReasons({ reasons }: { readonly reasons: readonly string[] }) {
  const texts = useTexts().rules;
  return (
    <div class="note warn">
      <p>{texts.outdatedLead}</p>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </div>
  );
}

function RuleActions({ rule, reload }: RuleCardProps) {
  const { common, rules: texts } = useTexts();
  const { id } = useOrganization();
  const dialogs = useDialogs();
  const path = `/${id}/alertRules/${rule.id}` as const;
  const { criteria, values, name, enabled } = rule;
  const turn = () => callApi('PUT', path, { criteria, values, name, enabled: !enabled }).then(reload);
  const openForm = useRuleForm(reload);
  const remove = () =>
    dialogs.confirm({
      title: texts.removeTitle,
      text: texts.removeText,
      action: common.delete,
      act: () => callApi('DELETE', path),
      reload,
    });
  return (
    <div class="row card-foot">
      <RowButton text={enabled ? texts.turnOff : texts.turnOn} onClick={turn} />
      <RowButton text={common.edit} onClick={() => openForm(rule)} />
      <RowButton text={common.delete} onClick={remove} />
    </div>
  );
}
