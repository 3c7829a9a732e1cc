import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { useModuleName } from '../parts/catalogue.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useResource } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { NoReport } from './no-report.tsx';
import { useRuleText } from './rule-text.ts';

type AlertRule = Schemas['AlertRule'];

interface RuleCardProps {
  readonly rule: AlertRule;
  readonly onChanged: () => Promise<void>;
  readonly onEdit: (rule: AlertRule) => void;
  readonly onRemove: (rule: AlertRule) => void;
}

/** A rule in the words of the module's definition. */
export function RuleCard(props: RuleCardProps) {
  const { rule } = props;
  const { farmer } = useTexts();
  const nameOf = useModuleName();
  const { id, isAdmin } = useOrganization();
  const { value: module, error } = useResource(`/${id}/availableModules/${rule.moduleId}`);
  const ruleText = useRuleText();
  const { name, condition } =
    module === null && error === null
      ? { name: rule.name ?? '…', condition: '…' }
      : ruleText(rule, module?.alertRules?.criterias[rule.criteria]);
  return (
    <li class="card">
      <h2>{name}</h2>
      <p class="quiet">
        {module === null ? '…' : nameOf(module.translations)}{' '}
        <Badge tone={rule.enabled ? 'good' : 'calm'}>
          {rule.enabled ? farmer.rules.enabled : farmer.rules.disabled}
        </Badge>{' '}
        {rule.status === 'outdated' && <Badge tone="warn">{farmer.rules.outdated}</Badge>}
      </p>
      <p>{condition}</p>
      {rule.noReportSince !== null && (
        <p class="note warn">
          <NoReport rule={rule} module={module ?? undefined} />
        </p>
      )}
      {rule.status === 'outdated' && <OutdatedReasons reasons={rule.outdatedReasons} />}
      {isAdmin && <RuleActions {...props} />}
    </li>
  );
}

function OutdatedReasons({ reasons }: { readonly reasons: readonly string[] }) {
  const texts = useTexts().farmer.rules;
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

function RuleActions({ rule, onChanged, onEdit, onRemove }: RuleCardProps) {
  const texts = useTexts().farmer.rules;
  const { id } = useOrganization();
  const { isBusy, error, run } = useAction(async () => {
    const { criteria, values, name, enabled } = rule;
    const body = { criteria, values, name, enabled: !enabled };
    await callApi('PUT', `/${id}/alertRules/${rule.id}`, body);
    await onChanged();
  });
  const dialogs = [
    [texts.edit, onEdit],
    [texts.remove, onRemove],
  ] as const;
  return (
    <>
      <ProblemNote error={error} />
      <div class="card-foot">
        <button type="button" class="secondary outline small" aria-busy={isBusy} onClick={() => void run()}>
          {rule.enabled ? texts.turnOff : texts.turnOn}
        </button>
        {dialogs.map(([text, open]) => (
          <button key={text} type="button" class="secondary outline small" onClick={() => open(rule)}>
            {text}
          </button>
        ))}
      </div>
    </>
  );
}
