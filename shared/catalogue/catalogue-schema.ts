import {
  described,
  GUID_PATTERN,
  MAX_NAME_LENGTH,
  MAX_TEXT_LENGTH,
  NON_BLANK_PATTERN,
  NON_EMPTY_GUID_PATTERN,
  SET_NAME_PATTERN,
  TEXT_PATTERN,
} from '../package/schema/schema-parts.ts';

const name = { type: 'string', maxLength: MAX_NAME_LENGTH, pattern: NON_BLANK_PATTERN } as const;

const members = {
  id: described('ID', 'The GUID that packages name.', {
    type: 'string',
    pattern: NON_EMPTY_GUID_PATTERN,
  }),
  key: described('Key', 'A short name that is the same on every deployment, such as EUR.', name),
  value: described('Name', 'The name for people, such as Euro.', name),
  description: described('Description', 'More about the entry, for people.', {
    type: ['string', 'null'],
    maxLength: MAX_TEXT_LENGTH,
    pattern: TEXT_PATTERN,
  }),
  parent: described('Parent', 'The ID of the entry that this one belongs under.', {
    type: ['string', 'null'],
    pattern: GUID_PATTERN,
  }),
} as const;

function entriesWith(properties: object) {
  return {
    title: 'Set',
    description: 'The entries of a set. IDs and keys are unique in the set.',
    type: 'array',
    items: {
      title: 'Entry',
      description: 'A value that packages and clients refer to by its ID.',
      type: 'object',
      properties,
      required: ['id', 'key', 'value'],
      additionalProperties: false,
    },
  } as const;
}

const languages = entriesWith({
  ...members,
  recommended: described(
    'Recommended',
    'Whether a package without a translation in this language gets a warning. Absent: it gets none.',
    { type: 'boolean' },
  ),
});

/** The JSON Schema of the file that `CATALOGUE_FILE` names, served at `/schemas/catalogue.json`. */
export const catalogueSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Catalogue',
  description:
    'Sets of IDs by name. A set replaces the shipped one of its name; the other shipped sets stay.',
  type: 'object',
  properties: {
    $schema: described('Schema for editors', 'Where an editor finds this schema.', { type: 'string' }),
    languages,
  },
  propertyNames: { pattern: SET_NAME_PATTERN },
  additionalProperties: entriesWith(members),
} as const;
