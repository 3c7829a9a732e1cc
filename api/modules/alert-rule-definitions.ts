import type { AlertRules } from '../../shared/package/alert-rules/alert-rules.ts';
import { alertRulesSchema } from '../../shared/package/alert-rules/alert-rules-schema.ts';
import { namedSchema } from '../http/schema.ts';
import { normalForm } from '../openapi/normal-form.ts';

/** What farmers can build a module's rules from. */
export const alertRuleDefinitions = namedSchema<AlertRules>(
  'AlertRuleDefinitions',
  normalForm(alertRulesSchema),
);
