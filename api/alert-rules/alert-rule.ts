import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { AlertRuleModel } from '../../shared/db/models.ts';
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
  orNull,
  text,
  withDescription,
} from '../http/schema.ts';
import { timestamp } from '../http/timestamp.ts';

const values = Type.Unsafe<Readonly<Record<string, string | number | boolean>>>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
});

const change = {
  criteria: Type.String({ maxLength: MAX_NAME_LENGTH }),
  // The module's definition describes the values of each part.
  values,
  name: Type.Optional(orNull(Type.String({ maxLength: MAX_NAME_LENGTH }))),
  enabled: Type.Optional(Type.Boolean()),
};

/** The body that creates a rule. */
export const newAlertRule = inputObject('NewAlertRule', { moduleId: inputGuid(), ...change });

/** The body that replaces a rule; its module cannot change. */
export const alertRuleChange = inputObject('AlertRuleChange', {
  moduleId: Type.Optional(inputGuid()),
  ...change,
});

/** An alert rule in answers to farmers and to modules. */
export const alertRule = namedObject('AlertRule', "A rule that a farmer built from a module's definitions.", {
  id: guid(),
  organizationId: guid('The farmer.'),
  moduleId: guid(),
  criteria: text('The identifier of a criterion in the definitions.'),
  values: withDescription(values, 'A value for each part of the criterion.'),
  name: orNull(text()),
  enabled: boolean(),
  status: oneOf(['active', 'outdated'], '`outdated`: the rule no longer fits the definitions.'),
  outdatedReasons: listOf(text(), 'Why the rule is outdated.'),
  definitionRevision: integer('The revision of the module whose definitions validated the rule.', 1),
  createdAt: dateTime(),
  updatedAt: dateTime(),
});

/** An alert rule from its row. */
export function alertRuleOf(row: AlertRuleModel): Static<typeof alertRule> {
  return {
    id: row.id,
    organizationId: row.organizationId,
    moduleId: row.moduleId,
    criteria: row.criteria,
    values: row.ruleValues,
    name: row.name,
    enabled: row.enabled,
    status: row.status,
    outdatedReasons: row.outdatedReasons,
    definitionRevision: row.definitionRevision,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
