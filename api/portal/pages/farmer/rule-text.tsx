import { useModuleName } from '../parts/catalogue.ts';
import { Time, useLocalText } from '../parts/facts.tsx';
import { useOrganization } from '../parts/page.tsx';
import type { AlertCriterion, Schemas } from '../server/call-api.ts';
import { type Named, useEvery, useList, useNamed } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';

const REFRESH_MS = 60_000;

interface NoReportProps {
  readonly rule: Schemas['AlertRule'];
  readonly module: Named<Schemas['AvailableModule']>;
}

/** The module whose report of a rule is overdue, and since when; nothing while it is in time. */
export function NoReport({ rule: { noReportSince, moduleId }, module }: NoReportProps) {
  const texts = useTexts().rules;
  const nameOf = useModuleName();
  if (noReportSince === null) return null;
  const name = module === undefined ? '…' : module === null ? moduleId : nameOf(module.translations);
  return (
    <>
      <strong>
        {texts.noReportSince} <Time value={noReportSince} />
      </strong>{' '}
      · {name}
    </>
  );
}

/** The rules that modules should have reported: the newest few, and where to see all. */
export function OverdueRules() {
  const texts = useTexts().rules;
  const { id } = useOrganization();
  const rules = useList(`/${id}/alertRules?state=unwatched&limit=5`);
  useEvery(REFRESH_MS, () => void rules.reload());
  const overdue = (rules.value ?? []).filter(({ noReportSince }) => noReportSince !== null);
  if (overdue.length === 0) return null;
  return (
    <section class="note warn" role="status">
      <ul class="plain">
        {overdue.map((rule) => (
          <OverdueRule key={rule.id} rule={rule} />
        ))}
      </ul>
      <a href={`/portal/${id}/rules`}>{rules.readMore === null ? texts.seeRules : texts.seeMoreRules}</a>
    </section>
  );
}

function OverdueRule({ rule }: { readonly rule: AlertRule }) {
  const { id } = useOrganization();
  const module = useNamed(`/${id}/availableModules/${rule.moduleId}`);
  const { name } = useRuleText()(rule, module?.alertRules?.criterias[rule.criteria]);
  return (
    <li>
      <NoReport rule={rule} module={module} /> · {name}
    </li>
  );
}

type AlertRule = Schemas['AlertRule'];

/** A rule in the words of the module's definition. */
interface RuleText {
  /** The name that the farmer gave it, else its subject. */
  readonly name: string;
  /** Its subject and its values. */
  readonly condition: string;
}

/** Returns a function that describes a rule; without its criterion, by the rule's own values. */
export function useRuleText(): (rule: AlertRule, criterion: AlertCriterion | undefined) => RuleText {
  const localText = useLocalText();
  const valueTexts = useValueTexts();
  return (rule, criterion) => {
    const watched = criterion === undefined ? rule.criteria : localText(criterion.displayName);
    return { name: rule.name ?? watched, condition: [watched, ...valueTexts(rule, criterion)].join(' ') };
  };
}

/** The values of a rule, each in the words of its part. */
function useValueTexts() {
  const format = useFormats();
  const localText = useLocalText();
  const { common } = useTexts();
  return ({ values }: AlertRule, criterion: AlertCriterion | undefined): readonly string[] =>
    Object.entries(criterion?.parts ?? {}).map(([name, { field, options, unit, title }]) => {
      const value = values[name];
      if (typeof value === 'boolean') return `${localText(title)}: ${value ? common.yes : common.no}`;
      if (typeof value === 'number') return `${format.number(value, 15)}${unit === null ? '' : ` ${unit}`}`;
      if (value === undefined) return '';
      if (field === 'date') return `${localText(title)} ${format.day(value)}`;
      const option = options?.[value];
      return option === undefined ? value : localText(option);
    });
}
