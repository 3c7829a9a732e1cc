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
  // The module's definition says what each part takes.
  values,
  name: Type.Optional(orNull(Type.String({ maxLength: MAX_NAME_LENGTH }))),
  enabled: Type.Optional(Type.Boolean()),
};

/** The body that makes a rule. */
export const newAlertRule = inputObject('NewAlertRule', { moduleId: inputGuid(), ...change });

/** The body that replaces a rule; its module stays. */
export const alertRuleChange = inputObject('AlertRuleChange', {
  moduleId: Type.Optional(inputGuid()),
  ...change,
});

/** An alert rule as answers show it, to farmers and to modules alike. */
export const alertRule = namedObject('AlertRule', 'A rule that a farmer built from what a module offers.', {
  id: guid(),
  organizationId: guid('The farmer.'),
  moduleId: guid(),
  criteria: text('Identifier of a criterion of the definitions.'),
  values: withDescription(values, 'A value for each part of the criterion.'),
  name: orNull(text()),
  enabled: boolean(),
  status: oneOf(['active', 'outdated'], '`outdated`: it no longer fits the definitions.'),
  outdatedReasons: listOf(text(), 'Why it no longer fits.'),
  definitionRevision: integer('The revision of the module that it was validated against.', 1),
  createdAt: dateTime(),
  updatedAt: dateTime(),
});

/** The answer's rule of a row. */
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
