import type { NormalForm } from '../schema/normal-form.ts';
import type { alertRulesSchema } from './alert-rules-schema.ts';

/** The alert rule definition file in its normal form. */
export type AlertRules = NormalForm<typeof alertRulesSchema>;

/** What a rule watches. */
export type AlertCriterion = AlertRules['criterias'][string];

/** One input of the form that a farmer fills to make a rule. */
export type AlertPart = AlertCriterion['parts'][string];

/** Language tag → text; `en` is always there. */
export type LocalizedText = AlertPart['title'];
