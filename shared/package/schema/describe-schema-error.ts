import type { ErrorObject } from 'ajv';
import {
  GUID_PATTERN,
  IDENTIFIER_PATTERN,
  NON_BLANK_PATTERN,
  NON_EMPTY_GUID_PATTERN,
  PERMISSION_NAME_PATTERN,
  SET_NAME_PATTERN,
  TEXT_PATTERN,
} from './schema-parts.ts';
import { quoteText } from '../text/quote-value.ts';
import { TEXT_FORMATS } from '../text/text-formats.ts';

const PATTERN_MEANINGS: ReadonlyMap<string, string> = new Map([
  [GUID_PATTERN, 'a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301"'],
  [NON_EMPTY_GUID_PATTERN, 'a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301", and not the empty one'],
  [TEXT_PATTERN, 'text without NUL characters and lone surrogates'],
  [NON_BLANK_PATTERN, 'text that is not blank, without NUL characters and lone surrogates'],
  [IDENTIFIER_PATTERN, 'printable text that is not blank, and not "__proto__"'],
  [SET_NAME_PATTERN, 'letters and digits, with a letter first'],
  ['\\S', 'text that is not blank'],
  [PERMISSION_NAME_PATTERN, 'of the letters A to Z, in either case, and digits only'],
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

/** What a text of the pattern is, for a message. */
export function patternMeaning(pattern: string): string {
  return PATTERN_MEANINGS.get(pattern) ?? 'of another form';
}

function listed(values: unknown): readonly string[] {
  return (Array.isArray(values) ? values : [values]).map(String);
}

/** `1 item`, `2 items`. */
function counted(count: unknown, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The number of items, or of code points, as JSON Schema counts them. */
function lengthOf(data: unknown): number {
  return typeof data === 'string' || Array.isArray(data) ? Array.from(data).length : 0;
}

type SchemaError = ErrorObject<string, Record<string, unknown>>;

/** What the value should have been, by the keyword that it is against. */
const EXPECTATIONS: Readonly<Record<string, (params: SchemaError['params'], error: SchemaError) => string>> =
  {
    // The one allowed value also shows its type: "1.0" is not 1.0.
    type: ({ type }, { parentSchema }) =>
      parentSchema !== undefined && 'const' in parentSchema
        ? `be ${JSON.stringify(parentSchema['const'])}`
        : `be ${listed(type)
            .map((each) => TYPE_NAMES.get(each) ?? each)
            .join(' or ')}`,
    pattern: ({ pattern }) => `be ${patternMeaning(String(pattern))}`,
    format: ({ format }) => `be ${FORMAT_MEANINGS.get(String(format)) ?? 'of another form'}`,
    minimum: ({ limit }) => `not be below ${String(limit)}`,
    exclusiveMaximum: ({ limit }) => `be below ${String(limit)}`,
    maximum: ({ limit }) => `not be above ${String(limit)}`,
    const: ({ allowedValue }) => `be ${JSON.stringify(allowedValue)}`,
    enum: ({ allowedValues }) => `be one of ${listed(allowedValues).join(', ')}`,
    maxLength: ({ limit }, { data }) =>
      `have at most ${counted(limit, 'character')} and has ${lengthOf(data)}`,
  };

/** The same for keywords whose sentence already says what was found, or that nothing was. */
const COUNTS: typeof EXPECTATIONS = {
  minLength: ({ limit }) => `have at least ${counted(limit, 'character')}`,
  minItems: ({ limit }, { data }) => `have at least ${counted(limit, 'item')} and has ${lengthOf(data)}`,
  maxItems: ({ limit }, { data }) => `have at most ${counted(limit, 'item')} and has ${lengthOf(data)}`,
  minProperties: ({ limit }) => `have at least ${counted(limit, 'member')}`,
};

/** The problem of a value, after its name: the expected form and, unless it is null, the found one. */
export function describeSchemaError(error: SchemaError, shown: string | null): string {
  const { keyword, params } = error;
  const count = COUNTS[keyword];
  if (count !== undefined) return `must ${count(params, error)}`;
  const expect = EXPECTATIONS[keyword];
  const expected = expect === undefined ? 'is not valid' : `must ${expect(params, error)}`;
  return shown === null ? expected : `${expected}; it is ${shown}`;
}

/** The question whether another text of the format is meant, such as GB for UK, with a space before it; empty if none is. */
export function meantTextHint({ keyword, params, data }: SchemaError): string {
  const format = TEXT_FORMATS.find(({ name }) => keyword === 'format' && name === params['format']);
  const meant = typeof data === 'string' ? (format?.meant?.(data) ?? null) : null;
  return meant === null ? '' : ` Did you mean ${quoteText(meant)}?`;
}
