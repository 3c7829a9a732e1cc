import { ALERT_PART_FIELDS } from '../alert-rules.ts';
import { IDENTIFIER_PATTERN, MAX_NAME_LENGTH, MAX_TEXT_LENGTH, TEXT_PATTERN } from './schema-parts.ts';

const identifier = { maxLength: MAX_NAME_LENGTH, pattern: IDENTIFIER_PATTERN };

function localized(title: string, maxLength: number): object {
  return {
    title,
    description: 'Language (BCP 47) → text. English is required.',
    type: 'object',
    propertyNames: { format: 'language-tag' },
    required: ['en'],
    additionalProperties: { type: 'string', maxLength, pattern: TEXT_PATTERN },
  };
}

const part = {
  title: 'One input of the form that a farmer fills',
  type: 'object',
  properties: {
    field: { title: 'Kind of input', type: 'string', enum: [...ALERT_PART_FIELDS] },
    title: localized('Label of the input', MAX_NAME_LENGTH),
    options: {
      title: 'What a select offers: key → text',
      type: 'object',
      minProperties: 1,
      propertyNames: identifier,
      additionalProperties: localized('Text of the option', MAX_NAME_LENGTH),
    },
    min: { title: 'Smallest number allowed', type: 'number' },
    max: { title: 'Largest number allowed', type: 'number' },
    unit: { title: 'Unit of the number', type: 'string', maxLength: MAX_NAME_LENGTH, pattern: TEXT_PATTERN },
  },
  required: ['field', 'title'],
  additionalProperties: false,
  if: { type: 'object', properties: { field: { const: 'select' } }, required: ['field'] },
  then: { required: ['options'] },
};

const criterion = {
  title: 'What a rule watches',
  type: 'object',
  properties: {
    displayName: localized('Name of the criterion', MAX_NAME_LENGTH),
    description: localized('What the criterion means', MAX_TEXT_LENGTH),
    parts: {
      title: 'Inputs, by name',
      type: 'object',
      propertyNames: identifier,
      additionalProperties: part,
    },
  },
  required: ['displayName', 'parts'],
  additionalProperties: false,
};

/** The JSON Schema of the alert rule definition file, served at `/schemas/alert-rules.json`. */
export const alertRulesSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Alert rule definitions',
  description: 'The one YAML file in AlertRuleDefinitionFile/, as the JSON value that it stands for.',
  type: 'object',
  properties: {
    schema: { title: 'Version of this form', type: 'number', const: 1.1 },
    criterias: {
      title: 'Criteria, by identifier',
      description: "The identifier is a rule's left operand, and what the module's back end gets back.",
      type: 'object',
      minProperties: 1,
      propertyNames: identifier,
      additionalProperties: criterion,
    },
  },
  required: ['schema', 'criterias'],
  additionalProperties: false,
};
