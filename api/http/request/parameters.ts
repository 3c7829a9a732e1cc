import { Ajv, type ValidateFunction } from 'ajv';
import type { Request } from 'express';
import type { Static, TSchema } from 'typebox';
import { isGuid } from '../../../shared/package/schema/schema-parts.ts';
import {
  BARE_IS_TRUE,
  FORMATS,
  NAME,
  inputGuid,
  keywordsOf,
  type JsonSchema,
  isStorable,
} from '../schema.ts';
import { ProblemError } from '../problem.ts';
import { editsBetween } from '../../../shared/package/text/nearest-name.ts';

/** Schemas of parameters by name; the description of a schema describes its parameter. */
export type ParameterSchemas = Readonly<Record<string, TSchema>>;

/** No parameters. */
export type NoParameters = Readonly<Record<string, never>>;

/** The values of parameters that may all be missing. */
export type ParameterValues<Schemas extends ParameterSchemas> = {
  readonly [Name in keyof Schemas]?: Static<Schemas[Name]>;
};

/** The names in the braces of a path. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

const ajv = new Ajv({ formats: FORMATS }).addVocabulary([NAME]);

/** IDs in paths. */
const PATH_IDS: Readonly<Record<string, TSchema>> = {
  orgId: inputGuid('The organization.'),
  moduleId: inputGuid('The module.'),
  importId: inputGuid('The import.'),
  clientId: inputGuid('The API client.'),
  ruleId: inputGuid('The alert rule.'),
  alertId: inputGuid('The alert.'),
  sessionId: inputGuid('The session.'),
  webhookId: inputGuid('The webhook.'),
  subscriptionId: inputGuid('The subscribed browser.'),
  attemptId: inputGuid('The call of the webhook, as in the list of its calls.'),
};

/** The schemas of a path's parameters. @throws Error for a name without a schema. */
export function pathSchemas(path: string, others: ParameterSchemas = {}): ParameterSchemas {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return Object.fromEntries(
    names.map((name) => {
      const schema = others[name] ?? PATH_IDS[name];
      if (schema === undefined) throw new Error(`the path parameter ${name} has no schema`);
      return [name, schema];
    }),
  );
}

/** Reads the parameters of a path; IDs are converted to lower case. */
export function pathReader<Path extends string>(
  path: Path,
  schemas: ParameterSchemas,
): (request: Request) => Readonly<Record<PathNames<Path>, string>> {
  const validate: ValidateFunction<Record<PathNames<Path>, string>> = ajv.compile({
    type: 'object',
    required: Object.keys(schemas),
    properties: Object.fromEntries(Object.keys(schemas).map((name) => [name, { type: 'string' }])),
  });
  return (request) => {
    const values: unknown = Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, pathValue(request, name, keywordsOf(schema))]),
    );
    if (validate(values)) return values;
    throw new Error(`the route of ${path} has other parameters`);
  };
}

function pathValue(request: Request, name: string, schema: JsonSchema): string | undefined {
  const value = request.params[name];
  if (schema['format'] === 'uuid') return pathId(request, name);
  const text = Array.isArray(value) ? value.join('/') : value;
  if (text === undefined || isStorable(text)) return text;
  throw new ProblemError('not-found', 'There is nothing at this address.');
}

/** An ID of the path, in lower case. @throws ProblemError 400 if it is not a GUID. */
export function pathId(request: Request, name: string): string {
  const value = request.params[name];
  if (isGuid(value)) return value.toLowerCase();
  throw new ProblemError(
    'request-invalid',
    `${name} in the path must be a GUID, such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301.`,
  );
}

/**
 * Reads and validates the parameters of a query.
 * @throws ProblemError 400 with the name of the first unknown or invalid one.
 */
export function queryReader<Schemas extends ParameterSchemas>(
  schemas: Schemas,
): (request: Request) => ParameterValues<Schemas> {
  const names = Object.keys(schemas);
  const validate: ValidateFunction<ParameterValues<Schemas>> = ajv.compile({
    type: 'object',
    properties: schemas,
  });
  return (request) => {
    refuseUnknownParameters(request, names);
    const given = names.filter((name) => request.query[name] !== undefined);
    const values: unknown = Object.fromEntries(
      given.map((name) => [name, inputValue(request.query[name], keywordsOf(schemas[name] ?? {}))]),
    );
    if (validate(values)) return values;
    const name = validate.errors?.[0]?.instancePath.split('/')[1] ?? '';
    throw new ProblemError(
      'request-invalid',
      `${name} must be ${expectationOf(keywordsOf(schemas[name] ?? {}))}.`,
    );
  };
}

/** Converts text of a query to its schema's type; text that does not fit stays, and the schema refuses it. */
function inputValue(value: unknown, schema: JsonSchema): unknown {
  const { type, format } = schema;
  if (typeof value !== 'string') return value;
  // No schema of text accepts null.
  if (!isStorable(value)) return null;
  if (value === '' && BARE_IS_TRUE in schema) return true;
  if (type === 'integer') return /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return format === 'uuid' ? value.toLowerCase() : value;
}

/** The form of a parameter, as text. */
function expectationOf(schema: JsonSchema): string {
  const { type, format, minimum, maximum } = schema;
  if (Array.isArray(schema['enum'])) {
    const values = schema['enum'].map(String);
    return values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
  }
  if (type === 'integer') return `a whole number from ${String(minimum)} to ${String(maximum)}`;
  if (type === 'boolean') return 'true or false';
  if (format === 'date-time') return 'a time as in RFC 3339, such as 2026-01-31T12:00:00Z, given once';
  return format === 'uuid' ? 'a GUID, given once' : 'text in its documented form, given once';
}

/** A longer name is cut: it is misspelt beyond recognition, and each character costs time. */
const MAX_NAME_LENGTH = 60;

/**
 * Refuses a query with a parameter that the endpoint does not have: `?relase=staged` must not release a revision.
 * @throws ProblemError 400 with the nearest known name.
 */
function refuseUnknownParameters({ query }: Request, known: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const name = Array.from(unknown.toWellFormed().replaceAll('\0', '')).slice(0, MAX_NAME_LENGTH).join('');
  throw new ProblemError('request-invalid', `Unknown query parameter \`${name}\`; ${adviceFor(name, known)}`);
}

function adviceFor(name: string, known: readonly string[]): string {
  const meant = nearestParameter(name, known);
  if (meant !== null) return `did you mean \`${meant}\`?`;
  return known.length === 0
    ? 'this call has no query parameters.'
    : `this call has ${known.map((each) => `\`${each}\``).join(', ')}.`;
}

/** The known name with the fewest edits; null where each differs in more than half of its characters. */
function nearestParameter(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((each) => ({ each, edits: editsBetween(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, edits }) => edits <= each.length / 2)
    .toSorted((a, b) => a.edits - b.edits);
  return nearest?.each ?? null;
}
