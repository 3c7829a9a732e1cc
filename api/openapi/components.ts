import { isObject, NAME, type JsonSchema } from '../http/schema.ts';
import { GUID_PATTERN, NON_EMPTY_GUID_PATTERN } from '../../shared/package/schema/schema-parts.ts';

/** The document's named schemas, collected from the schemas of endpoints. */
export class SchemaComponents {
  readonly #schemas = new Map<string, JsonSchema>();

  /** The schema with each named schema replaced by a reference. @throws Error if two schemas have the same name. */
  of(schema: JsonSchema): JsonSchema {
    const { [NAME]: name, ...rest } = plainSchema(schema);
    const shown: JsonSchema = Object.fromEntries(
      Object.entries(rest).map(([keyword, each]) => [keyword, this.#inner(each)]),
    );
    if (typeof name !== 'string') return shown;
    const known = this.#schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(shown))
      throw new Error(`two schemas are named ${name}`);
    this.#schemas.set(name, shown);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** All schemas so far, by name. */
  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #inner(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#inner(each));
    return isObject(value) ? this.of(value) : value;
  }
}

const MAX_INT32 = 2 ** 31 - 1;

/** The keywords that belong to values of one type. */
const KEYWORDS_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  number: ['minimum', 'maximum', 'exclusiveMaximum'],
  string: ['pattern', 'format', 'minLength', 'maxLength'],
};

/**
 * The same values, in the keywords that generators of clients read: several types are alternatives, numbers have the
 * format of their size, IDs that of GUIDs, an enum of texts has a type, and a map has one schema of its values. Bodies
 * are validated with the schema as it is defined, because its errors are shorter.
 */
export function plainSchema(schema: JsonSchema): JsonSchema {
  return withAlternatives(withNumberFormat(withIdFormat(withEnumType(withOneMap(schema)))));
}

/** `{ type: [string, number] }` as `oneOf`; a type or null is understood as it is. */
function withAlternatives(schema: JsonSchema): JsonSchema {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const types: readonly unknown[] = type;
  if (types.filter((each) => each !== 'null').length < 2) return schema;
  const moved = new Set(types.flatMap((each) => KEYWORDS_OF_TYPE[String(each)] ?? []));
  const kept = Object.entries(rest).filter(([keyword]) => !moved.has(keyword));
  return { ...Object.fromEntries(kept), oneOf: types.map((each) => alternative(String(each), rest)) };
}

function alternative(type: string, schema: JsonSchema): JsonSchema {
  const own = KEYWORDS_OF_TYPE[type] ?? [];
  return { type, ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => own.includes(keyword))) };
}

/** Without a format, generators choose 32 bits: too few for sizes in bytes, and for decimals. */
function withNumberFormat(schema: JsonSchema): JsonSchema {
  if ('format' in schema) return schema;
  const { type, maximum } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.filter((each) => each !== 'null').length !== 1) return schema;
  if (types.includes('number')) return { ...schema, format: 'double' };
  if (!types.includes('integer')) return schema;
  const isSmall = typeof maximum === 'number' && maximum <= MAX_INT32;
  return { ...schema, format: isSmall ? 'int32' : 'int64' };
}

const ID_PATTERNS: ReadonlySet<unknown> = new Set([GUID_PATTERN, NON_EMPTY_GUID_PATTERN]);

function withIdFormat(schema: JsonSchema): JsonSchema {
  return ID_PATTERNS.has(schema['pattern']) ? { ...schema, format: 'uuid' } : schema;
}

function withEnumType(schema: JsonSchema): JsonSchema {
  const values: unknown = schema['enum'];
  if (!Array.isArray(values) || 'type' in schema) return schema;
  const texts = values.filter((each) => each !== null);
  if (!texts.every((each) => typeof each === 'string')) return schema;
  return { type: texts.length < values.length ? ['string', 'null'] : 'string', ...schema };
}

/** A closed object whose members all match one pattern is a map whose names match it. */
function withOneMap(schema: JsonSchema): JsonSchema {
  const { patternProperties, ...rest } = schema;
  if (typeof patternProperties !== 'object' || patternProperties === null) return schema;
  const patterns = Object.entries(patternProperties);
  const [[pattern, values] = []] = patterns;
  if (patterns.length !== 1 || rest['additionalProperties'] !== false || 'properties' in rest) return schema;
  return { ...rest, propertyNames: { pattern }, additionalProperties: values as unknown };
}
