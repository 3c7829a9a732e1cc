import { Type } from 'typebox';
import type { Static, TSchema, TUnsafe } from 'typebox';
import { GUID_PATTERN, isGuid } from '../../shared/package/schema/schema-parts.ts';

/** The keyword for a schema's name among the document's components. */
export const NAME = 'x-name';

/** A JSON Schema, as the document contains it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The formats that bodies and parameters are checked against; any other makes a schema invalid. */
export const FORMATS = {
  uuid: (text: string) => isGuid(text),
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
};

/** The keywords of a schema. */
export function keywordsOf(schema: TSchema): JsonSchema {
  return { ...schema };
}

const described = (description: string | undefined) => (description === undefined ? {} : { description });

/** An ID in an answer: a GUID in lower case. */
export function guid(description?: string) {
  return Type.String({ format: 'uuid', ...described(description) });
}

/** An ID in a request: a GUID in any letter case. */
export function inputGuid(description?: string) {
  return Type.String({ format: 'uuid', pattern: GUID_PATTERN, ...described(description) });
}

/** Any text. */
export function text(description?: string) {
  return Type.String(described(description));
}

/** One of these texts. */
export function oneOf<const Values extends readonly string[]>(
  values: Values,
  description?: string,
): TUnsafe<Values[number]> {
  return Type.Unsafe({ type: 'string', enum: [...values], ...described(description) });
}

/** An integer from `minimum`. */
export function integer(description?: string, minimum = 0) {
  return Type.Integer({ minimum, ...described(description) });
}

/** A boolean. */
export function boolean(description?: string) {
  return Type.Boolean(described(description));
}

/** Marks a boolean of a query whose bare name means true; a symbol, so that the document does not contain it. */
export const BARE_IS_TRUE = Symbol('bare is true');

/** A boolean in a query; the bare name, as in `?validateOnly`, is true. */
export function booleanOrBare(description: string) {
  return Type.Unsafe<boolean>({ type: 'boolean', description, [BARE_IS_TRUE]: true });
}

/** A date and time with its offset. */
export function dateTime(description?: string) {
  return Type.String({ format: 'date-time', ...described(description) });
}

/** A SHA-256 in hexadecimal digits. */
export function sha256(description?: string) {
  return Type.String({ pattern: '^[0-9a-f]{64}$', ...described(description) });
}

/** A list of these items. */
export function listOf<Item extends TSchema>(
  items: Item,
  description?: string,
): TUnsafe<readonly Static<Item>[]> {
  return Type.Unsafe({ type: 'array', items, ...described(description) });
}

/** The schema, or null. */
export function orNull<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  const { description, ...rest } = keywordsOf(schema);
  if (NAME in rest || typeof rest['type'] !== 'string')
    return Type.Unsafe({ oneOf: [schema, { type: 'null' }] });
  const values: readonly unknown[] | null = Array.isArray(rest['enum']) ? rest['enum'] : null;
  return Type.Unsafe({
    ...rest,
    type: [rest['type'], 'null'],
    ...(values !== null && { enum: [...values, null] }),
    ...(description !== undefined && { description }),
  });
}

/** An object of an answer: every member is present except those that are `Type.Optional`. */
export function object<Members extends Record<string, TSchema>>(description: string, members: Members) {
  return Type.Object(members, { description });
}

/** An object of an answer, under this name among the document's components. */
export function namedObject<Members extends Record<string, TSchema>>(
  name: string,
  description: string,
  members: Members,
) {
  return Type.Object(members, { [NAME]: name, description });
}

/** The body of a request under its name: an object that accepts no other members. */
export function inputObject<Members extends Record<string, TSchema>>(name: string, members: Members) {
  return Type.Object(members, { [NAME]: name, additionalProperties: false });
}

/** The schema with another description. */
export function withDescription<Schema extends TSchema>(
  schema: Schema,
  description: string,
): TUnsafe<Static<Schema>> {
  return Type.Unsafe<Static<Schema>>({ ...keywordsOf(schema), description });
}

/** A schema from elsewhere, under its name; `Shape` is the type of its values. */
export function namedSchema<Shape>(name: string, schema: JsonSchema): TUnsafe<Shape> {
  return Type.Unsafe<Shape>({ ...schema, [NAME]: name });
}

/** The cursor of the next page. */
export const NEXT_CURSOR = orNull(text('The `cursor` of the next page; null on the last page.'));

/** One page of a list. */
export function pageOf<Item extends TSchema>(item: Item, description: string) {
  return object(description, { items: listOf(item), nextCursor: NEXT_CURSOR });
}
