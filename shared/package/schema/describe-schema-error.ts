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
  ['\\S', 'text that is not blank'],
]);

const FORMAT_MEANINGS: ReadonlyMap<string, string> = new Map([
  ...TEXT_FORMATS.map(({ name, meaning }) => [name, meaning] as const),
  ['uuid', 'a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301"'],
  ['date-time', 'a date and time such as "2026-11-20T09:30:00Z"'],
]);

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

/** `1 item`, `2 items`. */
function counted(count: string, noun: string): string {
  return `${count} ${noun}${count === '1' ? '' : 's'}`;
}

/** Length in code points, as JSON Schema counts. */
function characters(data: unknown): number {
  return typeof data === 'string' ? Array.from(data).length : 0;
}

function items(data: unknown): number {
  return Array.isArray(data) ? data.length : 0;
}

type SchemaError = ErrorObject<string, Record<string, unknown>>;

/** How long the value should have been; null: the keyword is about something else. */
function sizeExpectation(keyword: string, limit: string, data: unknown): string | null {
  switch (keyword) {
    case 'minLength':
      return `must have at least ${counted(limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${counted(limit, 'character')} and has ${characters(data)}`;
    case 'minItems':
      return `must have at least ${counted(limit, 'item')} and has ${items(data)}`;
    case 'maxItems':
      return `must have at most ${counted(limit, 'item')} and has ${items(data)}`;
    case 'minProperties':
      return `must have at least ${counted(limit, 'member')}`;
    default:
      return null;
  }
}

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
    default:
      return sizeExpectation(keyword, limit, data) ?? 'is not valid';
  }
}

/** Keywords whose sentence already says what was found, or that nothing was. */
const COUNTED: ReadonlySet<string> = new Set(['minProperties', 'minLength', 'minItems', 'maxItems']);

/** What is wrong with a value, after its name: what was expected and, unless it is null, what was found. */
export function describeSchemaError(error: SchemaError, shown: string | null): string {
  const expected = expectation(error);
  return shown === null || COUNTED.has(error.keyword) ? expected : `${expected}; it is ${shown}`;
}
