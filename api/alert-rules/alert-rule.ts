import { Type } from 'typebox';
import type { FarmerRuleModel } from '../../shared/db/alerts/alert-rules.ts';
import type { AlertRuleModel } from '../../shared/db/alerts/models.ts';
import { UNWATCHED_REASONS } from '../../shared/db/alerts/unwatched-reason.ts';
import { page } from '../http/pagination.ts';
import { answerOf } from '../http/answer.ts';
import { MAX_NAME_LENGTH } from '../../shared/package/schema/schema-parts.ts';
import {
  boolean,
  dateTime,
  guid,
  inputGuid,
  inputObject,
  integer,
  listOf,
  namedObject,
  oneOf,
  namedSchema,
  orNull,
  text,
} from '../http/schema.ts';

const ruleValue = namedSchema<string | number | boolean>('AlertRuleValue', {
  type: ['string', 'number', 'boolean'],
  description: 'The value of a part: text, a number or a boolean, as the part of the definition has it.',
});

const values = Type.Unsafe<Readonly<Record<string, string | number | boolean>>>({
  type: 'object',
  additionalProperties: ruleValue,
  description:
    'A value for each part of the criterion, by the name of the part: the key of an option, a number, text, ' +
    'a boolean, or a day as YYYY-MM-DD.',
});

const criteria = 'The identifier of a criterion in the definitions of the module.';
const name = 'A name that the farmer gave the rule; null if it has none.';
const enabled = 'Whether the module should watch the rule.';

const change = {
  criteria: Type.String({ maxLength: MAX_NAME_LENGTH, description: criteria }),
  values,
  name: Type.Optional(orNull(Type.String({ maxLength: MAX_NAME_LENGTH, description: name }))),
  enabled: Type.Optional(boolean(`${enabled} Default: true.`)),
};

/** The body that creates a rule. */
export const newAlertRule = inputObject('CreateAlertRule', 'An alert rule to create.', {
  moduleId: inputGuid('The installed module whose definitions the rule is based on.'),
  ...change,
});

/** The body that replaces a rule; its module cannot change. */
export const alertRuleChange = inputObject('ReplaceAlertRule', 'An alert rule in its new form.', {
  moduleId: Type.Optional(inputGuid('The module of the rule, which cannot change.')),
  ...change,
});

const members = {
  id: guid('The ID of the rule.'),
  organizationId: guid('The organization of the farmer.'),
  moduleId: guid('The module whose definitions the rule is based on.'),
  criteria: text(criteria),
  values,
  name: orNull(text(name)),
  enabled: boolean(enabled),
  status: oneOf(
    ['active', 'outdated'],
    'Whether the rule fits the definitions. `outdated`: it no longer does.',
  ),
  outdatedReasons: listOf(text('One reason.'), 'Why the rule is outdated.'),
  definitionRevision: integer('The revision of the module whose definitions validated the rule.', 1),
  expectedIntervalHours: orNull(
    integer('The longest interval between two reports of the rule, in hours; null if none is declared.', 1),
  ),
  createdAt: dateTime('When the rule was created.'),
  updatedAt: dateTime('When the rule last changed.'),
};

/** An alert rule in answers to modules. It says nothing of reports: they do not change the version of the answer. */
export const moduleRule = namedObject(
  'ModuleAlertRule',
  'A rule of a farmer, as its module reads it.',
  members,
);

/** An alert rule in answers to farmers. */
export const alertRule = namedObject('AlertRule', "A rule that a farmer made from a module's definitions.", {
  ...members,
  watched: boolean("Whether the module's back end watches the rule."),
  unwatchedReason: orNull(
    oneOf(
      UNWATCHED_REASONS,
      'Why no back end watches the rule: the first of these that applies; null if one does. ' +
        '`rule-disabled`: the rule is turned off. `rule-outdated`: it no longer fits the definitions. ' +
        '`not-installed`: the organization has not installed the module. `data-area-not-granted`: the module may not ' +
        'read `FarmOrganizationAlerts`. `module-quarantined`: operators have stopped the module. `no-valid-key`: each ' +
        'API key of the module is revoked or expired, or its vendor is suspended. `silent`: its report is missing, ' +
        'with `silentAt`.',
    ),
  ),
  lastReportAt: orNull(
    dateTime('When the module last reported the rule, to the minute; null if it never has.'),
  ),
  silentAt: orNull(
    dateTime(
      'When the silence began: at the last report, or when the rule was last created, enabled ' +
        'or changed. Null unless `unwatchedReason` is `silent`, which a rule without an interval never is.',
    ),
  ),
});

/** A page of alert rules for their farmer. */
export const alertRulePage = page(alertRule, 'alert rules', { brief: 'rules' });

/** A page of alert rules for their module. */
export const moduleRulePage = page(moduleRule, 'alert rules', { brief: 'rules' });

/** A row with the names of answers to its farmer. */
export function farmerRuleAnswer(row: FarmerRuleModel) {
  const { reportedAt: lastReportAt, updatedAt, unwatchedReason } = row;
  const waitingSince = lastReportAt !== null && lastReportAt > updatedAt ? lastReportAt : updatedAt;
  return answerOf(ruleAnswer(row), {
    lastReportAt,
    watched: unwatchedReason === null,
    silentAt: unwatchedReason === 'silent' ? waitingSince : null,
  });
}

/** A row with the names of answers to modules. */
export function ruleAnswer<Row extends Pick<AlertRuleModel, 'ruleValues'>>(row: Row) {
  return answerOf(row, { values: row.ruleValues });
}
