import type { Schema } from './operation.ts';

const described = (description: string | undefined) => (description === undefined ? {} : { description });

/** An ID: answers write it in lower case. */
export function guid(description?: string): Schema {
  return { type: 'string', format: 'uuid', ...described(description) };
}

/** Any text. */
export function text(description?: string): Schema {
  return { type: 'string', ...described(description) };
}

/** One of these texts. */
export function choice(values: readonly string[], description?: string): Schema {
  return { type: 'string', enum: [...values], ...described(description) };
}

/** A whole number from `minimum`. */
export function count(description?: string, minimum = 0): Schema {
  return { type: 'integer', minimum, ...described(description) };
}

/** True or false. */
export function flag(description?: string): Schema {
  return { type: 'boolean', ...described(description) };
}

/** A moment with its offset. */
export function moment(description?: string): Schema {
  return { type: 'string', format: 'date-time', ...described(description) };
}

/** A SHA-256 as hex digits. */
export function sha256(description?: string): Schema {
  return { type: 'string', pattern: '^[0-9a-f]{64}$', ...described(description) };
}

/** A list of these items. */
export function listOf(items: Schema, description?: string): Schema {
  return { type: 'array', items, ...described(description) };
}

/** The schema, or null. */
export function orNull(schema: Schema): Schema {
  const { description, ...rest } = schema;
  if (typeof rest['type'] !== 'string') return { oneOf: [schema, { type: 'null' }] };
  const values = Array.isArray(rest['enum']) ? { enum: [...(rest['enum'] as unknown[]), null] } : {};
  return {
    ...rest,
    type: [rest['type'], 'null'],
    ...values,
    ...(description !== undefined && { description }),
  };
}

/** An object of an answer: every member is there, but for the optional ones. */
export function object(
  description: string,
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', description, required, properties };
}

/** Where the next page of an answer begins. */
export const NEXT_CURSOR: Schema = orNull(text('What `cursor` is to be for the next page; null at the end.'));

/** One page of a list. */
export function page(item: Schema, description: string): Schema {
  return object(description, { items: listOf(item), nextCursor: NEXT_CURSOR });
}
