import type { AlertRules } from './alert-rules.ts';

/** Within how many hours a module reports each rule of a criterion; null where it declares no interval. */
export function expectedIntervalOf(definition: AlertRules | null, criteria: string): number | null {
  if (definition === null || !Object.hasOwn(definition.criterias, criteria)) return null;
  const own = definition.criterias[criteria]?.expectedIntervalHours;
  // Definitions that were stored before there was an interval have no such member.
  return own ?? definition.expectedIntervalHours ?? null;
}
