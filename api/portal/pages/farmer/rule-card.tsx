import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { useModuleName } from '../parts/catalogue.ts';
import { useLocalText } from '../parts/localized.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';
import type { AlertCriterion, Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useResource } from '../server/use-resource.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';

type AlertRule = Schemas['AlertRule'];

interface RuleCardProps {
  readonly rule: AlertRule;
  readonly onChanged: () => Promise<void>;
  readonly onRemove: (rule: AlertRule) => void;
}

/** A rule in the words of the module's definition. */
export function RuleCard({ rule, onChanged, onRemove }: RuleCardProps) {
  const { farmer } = useTexts();
  const localText = useLocalText();
  const nameOf = useModuleName();
  const { id, isAdmin } = useOrganization();
  const { value: module } = useResource(`/${id}/availableModules/${rule.moduleId}`);
  const criterion = module?.alertRules?.criterias[rule.criteria];
  const watched = criterion === undefined ? rule.criteria : localText(criterion.displayName);
  const condition = useCondition(rule, criterion);
  return (
    <li class="card">
      <h2>{rule.name ?? watched}</h2>
      <p class="quiet">
        {module === null ? '…' : nameOf(module.translations)}{' '}
        <Badge tone={rule.enabled ? 'good' : 'calm'}>
          {rule.enabled ? farmer.rules.enabled : farmer.rules.disabled}
        </Badge>{' '}
        {rule.status === 'outdated' && <Badge tone="warn">{farmer.rules.outdated}</Badge>}
      </p>
      <p>
        {watched} {condition}
      </p>
      {isAdmin && <RuleActions rule={rule} onChanged={onChanged} onRemove={onRemove} />}
    </li>
  );
}

function RuleActions({ rule, onChanged, onRemove }: RuleCardProps) {
  const texts = useTexts().farmer.rules;
  const { id } = useOrganization();
  const { isBusy, error, run } = useAction(async () => {
    const { criteria, values, name, enabled } = rule;
    const body = { criteria, values, name, enabled: !enabled };
    await callApi('PUT', `/${id}/alertRules/${rule.id}`, body);
    await onChanged();
  });
  return (
    <>
      <ProblemNote error={error} />
      <div class="card-foot">
        <button type="button" class="secondary outline small" aria-busy={isBusy} onClick={() => void run()}>
          {rule.enabled ? texts.turnOff : texts.turnOn}
        </button>
        <button
          type="button"
          class="secondary outline small"
          onClick={() => {
            onRemove(rule);
          }}
        >
          {texts.remove}
        </button>
      </div>
    </>
  );
}

/** The values of a rule, each in the words of its part. */
function useCondition({ values }: AlertRule, criterion: AlertCriterion | undefined): string {
  const format = useFormats();
  const localText = useLocalText();
  const { common } = useTexts();
  const parts = Object.entries(criterion?.parts ?? {});
  const texts = parts.map(([name, { field, options, unit, title }]) => {
    const value = values[name];
    if (typeof value === 'boolean') return `${localText(title)}: ${value ? common.yes : common.no}`;
    if (typeof value === 'number') return `${format.number(value, 15)}${unit === null ? '' : ` ${unit}`}`;
    if (value === undefined) return '';
    if (field === 'date') return `${localText(title)} ${format.day(value)}`;
    const option = options?.[value];
    return option === undefined ? value : localText(option);
  });
  return texts.join(' ');
}
