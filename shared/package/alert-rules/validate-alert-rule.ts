import type { AlertCriterion, AlertPart, AlertRules } from './alert-rules.ts';
import { exactNumberIssue } from '../text/exact-number.ts';
import { pointerTo } from '../text/json-pointer.ts';
import { quoteText } from '../text/quote-value.ts';
import { isCalendarDay, MAX_TEXT_LENGTH } from '../schema/schema-parts.ts';

/** A farmer's input, by part; members are not validated yet. */
export type AlertRuleValues = Readonly<Record<string, unknown>>;

/** Why a rule does not fit its definition. */
export interface AlertRuleIssue {
  /** JSON Pointer into the rule. */
  readonly pointer: string;
  readonly detail: string;
}

/** The reasons why a rule does not fit the module's definition; an empty list: it fits. */
export function validateAlertRule(
  definition: AlertRules | null,
  criteria: string,
  values: AlertRuleValues,
): readonly AlertRuleIssue[] {
  const criterion = definition === null ? undefined : ownMember(definition.criterias, criteria);
  if (criterion === undefined) {
    const detail =
      definition === null
        ? 'The module offers no alert rules.'
        : `The module offers no criteria ${quoteText(criteria)}.`;
    return [{ pointer: '/criteria', detail }];
  }
  return [...partIssues(criterion, values), ...strangeParts(criterion, values)];
}

/** Names come from outside: `constructor` must not find what every object inherits. */
function ownMember<Value>(members: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function partIssues({ parts }: AlertCriterion, values: AlertRuleValues): AlertRuleIssue[] {
  return Object.entries(parts).flatMap(([name, part]) => {
    const label = `The part ${quoteText(name)}`;
    const detail = Object.hasOwn(values, name) ? VALUE_ISSUES[part.field](values[name], part) : 'is missing.';
    return detail === null ? [] : [{ pointer: pointerTo('/values', name), detail: `${label} ${detail}` }];
  });
}

function strangeParts({ parts }: AlertCriterion, values: AlertRuleValues): AlertRuleIssue[] {
  return Object.keys(values)
    .filter((name) => !Object.hasOwn(parts, name))
    .map((name) => ({
      pointer: pointerTo('/values', name),
      detail: `The criteria has no part ${quoteText(name)}.`,
    }));
}

/** The problem of a value for a part, as the rest of a sentence; null if there is none. */
type ValueIssue = (value: unknown, part: AlertPart) => string | null;

const VALUE_ISSUES: Readonly<Record<AlertPart['field'], ValueIssue>> = {
  select: (value, { options }) =>
    typeof value === 'string' && options !== null && Object.hasOwn(options, value)
      ? null
      : 'must be the key of one of its options.',
  number: numberIssue,
  text: textIssue,
  boolean: (value) => (typeof value === 'boolean' ? null : 'must be true or false.'),
  date: (value) =>
    typeof value === 'string' && isCalendarDay(value)
      ? null
      : 'must be a calendar date in the form YYYY-MM-DD.',
};

function numberIssue(value: unknown, { min, max }: AlertPart): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number.';
  if (min !== null && value < min) return `must not be below ${min}.`;
  if (max !== null && value > max) return `must not be above ${max}.`;
  const issue = exactNumberIssue(String(value));
  return issue === null ? null : `must ${issue}.`;
}

function textIssue(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a text.';
  if (!value.isWellFormed() || value.includes('\0')) return 'must not contain a NUL or a lone surrogate.';
  return hasMoreCharacters(value, MAX_TEXT_LENGTH)
    ? `must have at most ${MAX_TEXT_LENGTH} characters.`
    : null;
}

/** Counts as the package's schemas do: an emoji is one character, though two UTF-16 units. */
function hasMoreCharacters(text: string, most: number): boolean {
  // A text that is short enough in UTF-16 units is also short enough in characters; over twice the limit it is not.
  if (text.length <= most) return false;
  return text.length > 2 * most || Array.from(text).length > most;
}
