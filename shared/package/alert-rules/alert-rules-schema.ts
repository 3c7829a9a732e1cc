import {
  described,
  IDENTIFIER_PATTERN,
  MAX_NAME_LENGTH,
  MAX_TEXT_LENGTH,
  TEXT_PATTERN,
} from '../schema/schema-parts.ts';

/** Version 1 or 1.x of the form, where it is written as text. */
export const VERSION_PATTERN = '^1(?:\\.[0-9]{1,9})?$';

/** The kinds of inputs. */
export const INPUT_KINDS = ['select', 'number', 'text', 'boolean', 'date'] as const;

/** A year. */
const MAX_INTERVAL_HOURS = 8_760;

const identifier = { maxLength: MAX_NAME_LENGTH, pattern: IDENTIFIER_PATTERN } as const;

/* Typed as objects, so that only the schema has them: TypeBox would use their members for every value. */
const hasEnglish: object = { required: ['en'] };
const selectHasOptions: object = {
  if: { type: 'object', properties: { field: { const: 'select' } }, required: ['field'] },
  then: { required: ['options'] },
};

function localized(title: string, maxLength: number) {
  return {
    title,
    description: 'Language (BCP 47) → text. English is required.',
    type: 'object',
    propertyNames: { format: 'language-tag' },
    ...hasEnglish,
    additionalProperties: { type: 'string', maxLength, pattern: TEXT_PATTERN },
  } as const;
}

const part = {
  title: 'Input',
  description: 'One input of the form that a farmer fills to make a rule.',
  type: 'object',
  properties: {
    field: described('Kind of input', 'A select needs options.', {
      type: 'string',
      enum: INPUT_KINDS,
    }),
    title: localized('Label of the input', MAX_NAME_LENGTH),
    options: described('Options', 'What a select offers: key → text. A rule stores the key.', {
      type: 'object',
      minProperties: 1,
      propertyNames: identifier,
      additionalProperties: localized('Text of the option', MAX_NAME_LENGTH),
    }),
    min: described('Smallest number allowed', 'In the unit of the input; for numbers only.', {
      type: 'number',
    }),
    max: described('Largest number allowed', 'In the unit of the input; for numbers only.', {
      type: 'number',
    }),
    unit: described('Unit of the number', 'The symbol that farmers see, such as °C.', {
      type: 'string',
      maxLength: MAX_NAME_LENGTH,
      pattern: TEXT_PATTERN,
    }),
  },
  required: ['field', 'title'],
  ...selectHasOptions,
} as const;

function expectedIntervalHours(description: string) {
  return {
    title: 'Expected interval in hours',
    description,
    type: 'integer',
    minimum: 1,
    maximum: MAX_INTERVAL_HOURS,
  } as const;
}

const criterion = {
  title: 'Criterion',
  description: 'The subject of a rule, such as soil moisture.',
  type: 'object',
  properties: {
    displayName: localized('Name of the criterion', MAX_NAME_LENGTH),
    description: localized('What the criterion means', MAX_TEXT_LENGTH),
    expectedIntervalHours: expectedIntervalHours(
      'The longest interval between two reports of a rule of this criterion; replaces the interval of the file.',
    ),
    parts: described('Inputs, by name', 'A rule has a value for each of them.', {
      type: 'object',
      propertyNames: identifier,
      additionalProperties: part,
    }),
  },
  required: ['displayName', 'parts'],
} as const;

/** The JSON Schema of the definitions, as they are read from the file. Unknown members are ignored, with a warning each. */
export const alertRulesSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Alert rule definitions',
  description: 'The one YAML file in AlertRuleDefinitionFile/, as a JSON value.',
  type: 'object',
  properties: {
    schema: described('Version of this form', 'Version 1 or 1.x of the form.', {
      type: 'number',
      minimum: 1,
      exclusiveMaximum: 2,
    }),
    expectedIntervalHours: expectedIntervalHours(
      'The longest interval between two reports of a rule. Farmers see when a report is overdue.',
    ),
    criterias: described(
      'Criteria, by identifier',
      "The identifier is a rule's left operand, and what the module's back end gets back.",
      { type: 'object', minProperties: 1, propertyNames: identifier, additionalProperties: criterion },
    ),
  },
  required: ['schema', 'criterias'],
} as const;

/** The JSON Schema of the file, served at `/schemas/alert-rules.json`: its version may be text. */
export const alertRulesFileSchema = {
  ...alertRulesSchema,
  properties: {
    ...alertRulesSchema.properties,
    schema: {
      ...alertRulesSchema.properties.schema,
      description: '1 or 1.x, as a number or as text; often written `!!float 1.1`.',
      type: ['number', 'string'],
      pattern: VERSION_PATTERN,
    },
  },
} as const;
