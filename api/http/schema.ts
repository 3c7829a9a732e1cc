import { Type, type Static, type TSchema, type TUnsafe } from 'typebox';
import { GUID_PATTERN, isCalendarDay, isGuid } from '../../shared/package/schema/schema-parts.ts';

/** The keyword for a schema's name among the document's components. */
export const NAME = 'x-name';

/** A JSON Schema, as the document contains it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, as a schema is. */
export function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the database can store a text: without a NUL and without half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** The formats that bodies and parameters are checked against; any other makes a schema invalid. */
export const FORMATS = {
  uuid: (text: string) => isGuid(text),
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)) && isCalendarDay(text.slice(0, DAY_LENGTH)),
};

/** The keywords of a schema. */
export function keywordsOf(schema: TSchema): JsonSchema {
  return { ...schema };
}

/** An ID in an answer: a GUID in lower case. */
export function guid(description: string) {
  return Type.String({ format: 'uuid', description });
}

/** An ID in a request: a GUID in any letter case. */
export function inputGuid(description: string) {
  return Type.String({ format: 'uuid', pattern: GUID_PATTERN, description });
}

/** Any text. */
export function text(description: string) {
  return Type.String({ description });
}

/** One of these texts. */
export function oneOf<const Values extends readonly string[]>(
  values: Values,
  description: string,
): TUnsafe<Values[number]> {
  return Type.Unsafe({ type: 'string', enum: [...values], description });
}

/** An integer from `minimum`. */
export function integer(description: string, minimum = 0) {
  return Type.Integer({ minimum, description });
}

/** A boolean. */
export function boolean(description: string) {
  return Type.Boolean({ description });
}

/** Marks a boolean of a query whose bare name means true; a symbol, so that the document does not contain it. */
export const BARE_IS_TRUE = Symbol('bare is true');

/** A boolean in a query; the bare name, as in `?validateOnly`, is true. */
export function booleanOrBare(description: string) {
  return Type.Unsafe<boolean>({ type: 'boolean', description, [BARE_IS_TRUE]: true });
}

/** A time in a body, with its offset: without one, it would be of the server's time zone. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The schema of the member `expiresOn` of a body, which may be missing. */
export function inputExpiry(what: string) {
  const description = `${what} An ISO 8601 time with its offset, or a day, which starts in UTC.`;
  return Type.Optional(orNull(Type.String({ format: 'date-time', maxLength: 40, description })));
}

/** The schema of the time for which both secrets work after a rotation, at most a week. */
export function inputOverlap(description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800, description }));
}

/** A date and time with its offset. */
export function dateTime(description: string) {
  return Type.String({ format: 'date-time', description });
}

const RFC_3339 = '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:[Zz]|[+-]\\d{2}:\\d{2})$';

/** A date and time in a query, with its offset. */
export function inputTime(description: string) {
  return Type.String({ format: 'date-time', pattern: RFC_3339, description });
}

/** Bytes that are not text. */
export function binary(description: string) {
  return Type.String({ format: 'binary', description });
}

/** The data of a server-sent event: a value of this schema, as JSON. */
export function jsonText(schema: TSchema, description: string) {
  return Type.Unsafe<string>({
    ...{ type: 'string', contentMediaType: 'application/json', contentSchema: schema, description },
  });
}

/** A SHA-256 in hexadecimal digits. */
export function sha256(description: string) {
  return Type.String({ pattern: '^[0-9a-f]{64}$', description });
}

/** A list of these items. */
export function listOf<Item extends TSchema>(
  items: Item,
  description: string,
): TUnsafe<readonly Static<Item>[]> {
  return Type.Unsafe({ type: 'array', items, description });
}

/** The schema, or null; a named schema may have another description here. */
export function orNull<Schema extends TSchema>(
  schema: Schema,
  description?: string,
): TUnsafe<Static<Schema> | null> {
  const keywords = keywordsOf(schema);
  const described = description === undefined ? {} : { description };
  if (NAME in keywords || typeof keywords['type'] !== 'string')
    return Type.Unsafe({ ...described, oneOf: [schema, { type: 'null' }] });
  const values: readonly unknown[] | null = Array.isArray(keywords['enum']) ? keywords['enum'] : null;
  return Type.Unsafe({
    ...keywords,
    ...described,
    type: [keywords['type'], 'null'],
    ...(values !== null && { enum: [...values, null] }),
  });
}

/** Marks a member that only the first answer to a request shows; a symbol, so that the document does not contain it. */
const SHOWN_ONCE = Symbol('shown once');

/** A text that is kept nowhere, such as a secret: only the answer of the call that made it shows it. */
export function shownOnce(schema: TSchema, description: string): TUnsafe<string | null> {
  const described = orNull(
    schema,
    `${description} It is never shown again: null in the answer to a repeat with the same \`Idempotency-Key\`.`,
  );
  return Type.Unsafe({ ...described, [SHOWN_ONCE]: true });
}

/** The members of an object that are shown once. */
export function namesShownOnce(schema: TSchema): readonly string[] {
  const { properties = {} } = keywordsOf(schema);
  return Object.entries(properties as object).flatMap(([name, each]) => (SHOWN_ONCE in each ? [name] : []));
}

/**
 * An object of an answer, under this name among the document's components: every member is present except those that
 * are `Type.Optional`.
 */
export function namedObject<Members extends Record<string, TSchema>>(
  name: string,
  description: string,
  members: Members,
) {
  return Type.Object(members, { [NAME]: name, description });
}

/** An object of a request under its name: it accepts no other members. */
export function inputObject<Members extends Record<string, TSchema>>(
  name: string,
  description: string,
  members: Members,
) {
  return Type.Object(members, { [NAME]: name, description, additionalProperties: false });
}

/** A schema from elsewhere, under its name; `Shape` is the type of its values. */
export function namedSchema<Shape>(name: string, schema: JsonSchema): TUnsafe<Shape> {
  return Type.Unsafe<Shape>({ ...schema, [NAME]: name });
}

/** One of these named objects; their member `type`, which has one value in each, says which of them. */
export function oneOfTypes(
  name: string,
  description: string,
  types: Readonly<Record<string, TSchema>>,
): TSchema {
  const mapping = Object.fromEntries(
    Object.entries(types).map(([type, schema]) => [
      type,
      `#/components/schemas/${String(keywordsOf(schema)[NAME])}`,
    ]),
  );
  const discriminator = { propertyName: 'type', mapping };
  return Type.Unsafe({ [NAME]: name, description, oneOf: Object.values(types), discriminator });
}

/** The cursor of the next page. */
export const NEXT_CURSOR = orNull(text('The `cursor` of the next page; null on the last page.'));

/** One page of a list, under this name. */
export function pageOf<Item extends TSchema>(name: string, item: Item, description: string) {
  const items = listOf(item, 'The items of the page, in the order of the list.');
  return namedObject(name, description, { items, nextCursor: NEXT_CURSOR });
}
