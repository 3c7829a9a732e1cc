/** Longest name, key or scope, in characters (code points). */
export const MAX_NAME_LENGTH = 200;
/** Longest description or value, in characters (code points). */
export const MAX_TEXT_LENGTH = 20_000;

/*
 * Patterns are read with the Unicode flag, where a surrogate matches only when it is alone. They
 * are linear: each is anchored and repeats nothing inside a repeat.
 */

/** No NUL, which PostgreSQL cannot store, and no lone surrogate, which UTF-8 cannot encode. */
export const TEXT_PATTERN = '^[^\\u0000\\uD800-\\uDFFF]*$';
/** The same, and more than white space. */
export const NON_BLANK_PATTERN = '^(?=\\s*\\S)[^\\u0000\\uD800-\\uDFFF]*$';
/** A GUID in `D` form, in any letter case. */
export const GUID_PATTERN = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
/** The GUID that stands for no ID. */
export const EMPTY_GUID = '00000000-0000-0000-0000-000000000000';
/** A GUID that is not the one of zeros. */
export const NON_EMPTY_GUID_PATTERN = `^(?!${EMPTY_GUID}$)${GUID_PATTERN.slice(1)}`;
/** An identifier: printable, and not the name that reaches a JavaScript object's prototype. */
export const IDENTIFIER_PATTERN = '^(?!__proto__$)(?=\\s*\\S)[^\\u0000-\\u001F\\u007F\\uD800-\\uDFFF]*$';
/** The name of a set of the catalogue, which is part of an address; and the schema's own name, for editors. */
export const SET_NAME_PATTERN = '^(?:\\$schema|[A-Za-z][A-Za-z0-9]*)$';

/** The name of an entity in the permissions of a role. */
export const PERMISSION_NAME_PATTERN = '^[a-zA-Z0-9]*$';

export const MIN_INTEGER = -(2 ** 31);
export const MAX_INTEGER = 2 ** 31 - 1;

/** Marks an ID with its set of the catalogue; a symbol, so that the schema that is served does not contain it. */
export const SET = Symbol('set of the catalogue');

/** What the rules read of a JSON Schema. */
export interface SchemaPart {
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, SchemaPart>>;
  readonly title?: string;
  readonly type?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly required?: readonly string[];
  readonly items?: SchemaPart;
  readonly propertyNames?: SchemaPart;
  readonly additionalProperties?: SchemaPart | boolean;
  readonly [SET]?: string;
}

/** A schema, what its values are called, and what they mean. */
export function described<const Schema extends object>(title: string, description: string, schema: Schema) {
  return { title, description, ...schema };
}

const GUID = new RegExp(GUID_PATTERN);

/** Whether the value is a GUID in `D` form, in any letter case. */
export function isGuid(value: unknown): value is string {
  return typeof value === 'string' && GUID.test(value);
}

/** Whether the text is a day that the calendar has, as YYYY-MM-DD. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // JavaScript parses the thirtieth of February as the second of March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
