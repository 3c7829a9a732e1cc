import { NAME, type JsonSchema } from '../http/schema.ts';
import { plainSchema } from './plain-schema.ts';

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
