import type { Schema } from './operation.ts';

type Properties = Readonly<Record<string, Schema>>;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function propertiesOf(value: unknown): Properties {
  if (!isSchema(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (isSchema(each) ? [[name, each]] : [])),
  );
}

/** What a rule asks for beside the form is no part of the form. */
const LEFT_OUT: ReadonlySet<string> = new Set(['$schema', 'definitions', 'if', 'then']);

/**
 * The schema of a package's file after it has been read into its normal form: every member is there, null
 * where the file says nothing, and lists are never null. `definitions` are written where they are used.
 */
export function normalForm(schema: Schema, root: Schema = schema): Schema {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.replace('#/definitions/', '');
    return normalForm(propertiesOf(root['definitions'])[name] ?? {}, root);
  }
  const rest: Schema = Object.fromEntries(Object.entries(schema).filter(([name]) => !LEFT_OUT.has(name)));
  const inner = (value: unknown) => (isSchema(value) ? normalForm(value, root) : value);
  return {
    ...rest,
    ...('type' in rest && { type: withoutNullLists(rest['type']) }),
    ...('items' in rest && { items: inner(rest['items']) }),
    ...('additionalProperties' in rest && { additionalProperties: inner(rest['additionalProperties']) }),
    ...('patternProperties' in rest && { patternProperties: normalProperties(rest, root) }),
    ...('properties' in rest && normalMembers(rest, root)),
  };
}

function withoutNullLists(type: unknown): unknown {
  return Array.isArray(type) && type.includes('array') ? 'array' : type;
}

function normalProperties({ patternProperties }: Schema, root: Schema): Properties {
  return Object.fromEntries(
    Object.entries(propertiesOf(patternProperties)).map(([name, each]) => [name, normalForm(each, root)]),
  );
}

function normalMembers(schema: Schema, root: Schema): Schema {
  const written = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  const members = Object.entries(propertiesOf(schema['properties'])).map(([name, each]) => {
    const member = normalForm(each, root);
    return [name, written.includes(name) ? member : withNull(member)] as const;
  });
  return { properties: Object.fromEntries(members), required: members.map(([name]) => name) };
}

function withNull(schema: Schema): Schema {
  const { type } = schema;
  return typeof type === 'string' && type !== 'array' ? { ...schema, type: [type, 'null'] } : schema;
}

/** The schema without these members. */
export function without(schema: Schema, ...names: readonly string[]): Schema {
  const kept = Object.entries(propertiesOf(schema['properties'])).filter(([name]) => !names.includes(name));
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return {
    ...schema,
    properties: Object.fromEntries(kept),
    required: required.filter((each) => typeof each !== 'string' || !names.includes(each)),
  };
}

/** The schema of a member. @throws Error where there is none. */
export function memberOf(schema: Schema, name: string): Schema {
  const member = propertiesOf(schema['properties'])[name];
  if (member === undefined) throw new Error(`the schema has no member ${name}`);
  return member;
}

/** The schema with other ones for some of its members. */
export function withMembers(schema: Schema, members: Properties): Schema {
  return { ...schema, properties: { ...propertiesOf(schema['properties']), ...members } };
}

/** The schema of an array's elements. @throws Error where there is none. */
export function itemsOf(schema: Schema): Schema {
  const { items } = schema;
  if (!isSchema(items)) throw new Error('the schema is not of an array');
  return items;
}
