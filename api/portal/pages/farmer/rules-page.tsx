import { useDialogs } from '../parts/dialogs.tsx';
import { Button, PageHead, RowButton, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { type Named, useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { useRuleForm } from './rule-dialog.tsx';
import { RuleBadge, RulesByModule, Unwatched } from './rule-state.tsx';
import { useRuleText } from './rule-text.tsx';

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
      <RulesByModule of={rules} class="cards">
        {(rule, module) => <RuleCard key={rule.id} {...{ rule, module }} reload={rules.reload} />}
      </RulesByModule>
    </>
  );
}

interface RuleActionsProps {
  readonly rule: Schemas['AlertRule'];
  /** Reads the rules again. */
  readonly reload: () => Promise<void>;
}

interface RuleCardProps extends RuleActionsProps {
  readonly module: Named<Schemas['AvailableModule']>;
}

/** A rule in the words of the module's definition. */
function RuleCard({ module, ...props }: RuleCardProps) {
  const { rule } = props;
  const { isAdmin } = useOrganization();
  const ruleText = useRuleText();
  const { name, condition } =
    module === undefined ? { name: rule.name ?? '…', condition: '…' } : ruleText(rule, module);
  return (
    <li class="card">
      <h3>{name}</h3>
      <p class="quiet">
        <RuleBadge rule={rule} />
      </p>
      <p>{condition}</p>
      <RuleNote {...{ rule, module }} />
      {isAdmin && <RuleActions {...props} />}
    </li>
  );
}

function RuleNote({ rule, module }: Pick<RuleCardProps, 'rule' | 'module'>) {
  if (rule.status === 'outdated') return <OutdatedReasons reasons={rule.outdatedReasons} />;
  if (rule.watched || !rule.enabled) return null;
  return (
    <p class="note warn">
      <Unwatched {...{ rule, module }} />
    </p>
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

function RuleActions({ rule, reload }: RuleActionsProps) {
  const { common, rules: texts } = useTexts();
  const { id } = useOrganization();
  const dialogs = useDialogs(reload);
  const path = `/${id}/alertRules/${rule.id}` as const;
  const { enabled } = rule;
  const turn = async () => {
    // The rule may have been edited since the page read it.
    const { criteria, values, name } = await callApi('GET', path);
    await callApi('PUT', path, { criteria, values, name, enabled: !enabled });
    await reload();
  };
  const openForm = useRuleForm(reload);
  const remove = () =>
    dialogs.confirm({
      title: texts.removeTitle,
      text: texts.removeText,
      action: common.delete,
      act: () => callApi('DELETE', path),
    });
  return (
    <div class="row card-foot">
      <RowButton text={enabled ? texts.turnOff : texts.turnOn} onClick={turn} />
      <RowButton text={common.edit} onClick={() => openForm(rule.id)} />
      <RowButton text={common.delete} onClick={remove} />
    </div>
  );
}
