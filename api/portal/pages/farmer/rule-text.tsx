import { useLocalText } from '../parts/facts.tsx';
import type { AlertCriterion, Schemas } from '../server/call-api.ts';
import type { Named } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';

type AlertRule = Schemas['AlertRule'];

/** A rule in the words of the module's definition. */
interface RuleText {
  /** The name that the farmer gave it, else its subject. */
  readonly name: string;
  /** Its subject and its values. */
  readonly condition: string;
}

/** Returns a function that describes a rule of a module; without its criterion, by the rule's own values. */
export function useRuleText(): (rule: AlertRule, module: Named<Schemas['AvailableModule']>) => RuleText {
  const localText = useLocalText();
  const valueTexts = useValueTexts();
  return (rule, module) => {
    const criterion = module?.alertRules?.criterias[rule.criteria];
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
      // A calendar day, which reads as the start of that day in UTC.
      if (field === 'date') return `${localText(title)} ${format.utcDay(value)}`;
      const option = options?.[value];
      return option === undefined ? value : localText(option);
    });
}
