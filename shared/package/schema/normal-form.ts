import type { XStatic } from 'typebox/schema';
import { compareText } from '../text/compare-text.ts';
import { TEXT_FORMATS } from '../text/text-formats.ts';
import { EMPTY_GUID, GUID_PATTERN, NON_EMPTY_GUID_PATTERN, SET, type SchemaPart } from './schema-parts.ts';

type Definitions = NonNullable<SchemaPart['definitions']>;

/** The normal form of a schema's values: every member is there, null or an empty list where the file has none. */
export type NormalForm<Schema> = Normal<XStatic<Schema>>;

type Normal<Value> = Value extends readonly (infer Item)[]
  ? readonly Normal<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]-?: NormalMember<Value, Name> }
    : Value;

type NormalMember<Value, Name extends keyof Value> =
  NonNullable<Value[Name]> extends readonly unknown[]
    ? Normal<NonNullable<Value[Name]>>
    : string extends Name
      ? Normal<Value[Name]>
      : undefined extends Value[Name]
        ? Normal<NonNullable<Value[Name]>> | null
        : Normal<Value[Name]>;

/** An optional ID in lower case; null for absent, null and the empty GUID, which are one. */
export function normalId(id: string | null | undefined): string | null {
  const lower = id?.toLowerCase() ?? EMPTY_GUID;
  return lower === EMPTY_GUID ? null : lower;
}

/**
 * Brings a value that fits a schema into its normal form: members in the schema's order, IDs in lower case,
 * lists of IDs and members that IDs name sorted and without repeats, texts of a format as the format has them.
 */
export function normalForm<const Schema extends SchemaPart>(
  schema: Schema,
  value: XStatic<Schema> | NormalForm<Schema>,
): NormalForm<Schema>;
export function normalForm(schema: SchemaPart, value: unknown): unknown {
  return normalValue(schema, value, schema.definitions ?? {});
}

function normalValue(form: SchemaPart, value: unknown, definitions: Definitions): unknown {
  if (form.$ref !== undefined)
    return normalValue(definitions[form.$ref.replace('#/definitions/', '')] ?? {}, value, definitions);
  if (value === undefined || value === null) return [form.type].flat().includes('array') ? [] : null;
  if (typeof value === 'string') return normalText(form, value);
  // -0 and 0 are one number.
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (Array.isArray(value)) return normalList(form.items ?? {}, value, definitions);
  return typeof value === 'object' ? normalMembers(form, value, definitions) : value;
}

function isId({ pattern }: SchemaPart): boolean {
  return pattern === GUID_PATTERN || pattern === NON_EMPTY_GUID_PATTERN;
}

function normalText(form: SchemaPart, text: string): string | null {
  if (isId(form)) return normalId(text);
  const format = TEXT_FORMATS.find(({ name }) => name === form.format);
  return format?.normalize?.(text) ?? text;
}

function normalList(
  form: SchemaPart,
  values: readonly unknown[],
  definitions: Definitions,
): readonly unknown[] {
  const items = values.map((each) => normalValue(form, each, definitions));
  return isId(form) ? [...new Set(items)].toSorted((a, b) => compareText(String(a), String(b))) : items;
}

function normalMembers(form: SchemaPart, value: object, definitions: Definitions): object | null {
  const { properties, additionalProperties: others } = form;
  const members = new Map<string, unknown>(Object.entries(value));
  const normal = (name: string, member: SchemaPart): [string, unknown] => [
    name,
    normalValue(member, members.get(name), definitions),
  ];
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, member]) => normal(name, member)));
  if (typeof others !== 'object') return value;
  const normals = [...members.keys()].map((name) => normal(name, others));
  if (form.propertyNames?.[SET] === undefined) return Object.fromEntries(normals);
  return normals.length === 0 ? null : Object.fromEntries(byId(normals));
}

/** Members in the order of the IDs that name them. */
function byId(members: readonly [string, unknown][]): [string, unknown][] {
  const named = members.map(([id, value]): [string, unknown] => [id.toLowerCase(), value]);
  return named.toSorted(([a], [b]) => compareText(a, b));
}
