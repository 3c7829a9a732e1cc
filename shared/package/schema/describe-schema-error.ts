import type { ErrorObject } from 'ajv';
import {
  GUID_PATTERN,
  IDENTIFIER_PATTERN,
  NON_BLANK_PATTERN,
  NON_EMPTY_GUID_PATTERN,
  TEXT_PATTERN,
} from './schema-parts.ts';
import { TEXT_FORMATS } from '../text/text-formats.ts';

const PATTERN_MEANINGS: ReadonlyMap<string, string> = new Map([
  [GUID_PATTERN, 'a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301"'],
  [NON_EMPTY_GUID_PATTERN, 'a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301", and not the empty one'],
  [TEXT_PATTERN, 'text without NUL characters and lone surrogates'],
  [NON_BLANK_PATTERN, 'text that is not blank, without NUL characters and lone surrogates'],
  [IDENTIFIER_PATTERN, 'printable text that is not blank, and not "__proto__"'],
]);

const FORMAT_MEANINGS: ReadonlyMap<string, string> = new Map(
  TEXT_FORMATS.map(({ name, meaning }) => [name, meaning]),
);

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'an integer'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
  ['null', 'null'],
]);

function listed(values: unknown): readonly string[] {
  return (Array.isArray(values) ? values : [values]).map(String);
}

/** Length in code points, as JSON Schema counts. */
function characters(data: unknown): number {
  return typeof data === 'string' ? Array.from(data).length : 0;
}

type SchemaError = ErrorObject<string, Record<string, unknown>>;

/** What the value should have been. */
function expectation({ keyword, params, data, parentSchema }: SchemaError): string {
  const limit = String(params['limit']);
  switch (keyword) {
    case 'type':
      // The one allowed value also shows its type: "1.0" is not 1.0.
      if (parentSchema !== undefined && 'const' in parentSchema)
        return `must be ${JSON.stringify(parentSchema['const'])}`;
      return `must be ${listed(params['type'])
        .map((each) => TYPE_NAMES.get(each) ?? each)
        .join(' or ')}`;
    case 'pattern':
      return `must be ${PATTERN_MEANINGS.get(String(params['pattern'])) ?? 'of another form'}`;
    case 'format':
      return `must be ${FORMAT_MEANINGS.get(String(params['format'])) ?? 'of another form'}`;
    case 'maxLength':
      return `must have at most ${limit} characters and has ${characters(data)}`;
    case 'minimum':
      return `must not be below ${limit}`;
    case 'exclusiveMaximum':
      return `must be below ${limit}`;
    case 'maximum':
      return `must not be above ${limit}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'enum':
      return `must be one of ${listed(params['allowedValues']).join(', ')}`;
    case 'minProperties':
      return `must have at least ${limit} member`;
    default:
      return 'is not valid';
  }
}

/** What is wrong with a value, after its name: what was expected and, unless it is null, what was found. */
export function describeSchemaError(error: SchemaError, shown: string | null): string {
  const expected = expectation(error);
  return shown === null || error.keyword === 'minProperties' ? expected : `${expected}; it is ${shown}`;
}
