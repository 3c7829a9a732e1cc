import type { NormalForm } from '../schema/normal-form.ts';
import type { alertRulesSchema } from './alert-rules-schema.ts';

/** The alert rule definition file in its normal form. */
export type AlertRules = NormalForm<typeof alertRulesSchema>;

/** A condition that a rule watches. */
export type AlertCriterion = AlertRules['criterias'][string];

/** One input of the form that a farmer fills to make a rule. */
export type AlertPart = AlertCriterion['parts'][string];

/** Within how many hours a module reports each rule of a criterion; null where it declares no interval. */
export function expectedIntervalOf(definition: AlertRules | null, criteria: string): number | null {
  if (definition === null || !Object.hasOwn(definition.criterias, criteria)) return null;
  const own = definition.criterias[criteria]?.expectedIntervalHours;
  // Definitions that were stored before there was an interval have no such member.
  return own ?? definition.expectedIntervalHours ?? null;
}
