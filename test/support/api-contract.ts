import type { OpenApiDocument } from '../../api/openapi/openapi-document.ts';

/** A difference of two versions of the API; breaking: a client of the older one may fail. */
export interface ContractDifference {
  readonly kind: 'added' | 'breaking';
  readonly line: string;
}

interface Schema {
  readonly [keyword: string]: unknown;
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectsOf = (value: unknown): readonly (readonly [string, Schema])[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, each]) => (isObject(each) ? [[name, each] as const] : []))
    : [];
const objectsIn = (value: unknown): readonly Schema[] =>
  Array.isArray(value) ? value.filter((each) => isObject(each)) : [];
const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

type Direction = 'request' | 'answer';
type Describe = (at: string, schema: Schema, direction: Direction) => void;

/** What clients rely on, a line for each: calls, parameters, members, their types and values. */
export function contractLines({ paths, components }: OpenApiDocument): readonly string[] {
  const lines = new Set<string>();
  const describe: Describe = (at, schema, direction) => {
    const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
    if (name !== undefined) {
      lines.add(`${at}: ${name}`);
      const named = `${direction} ${name}`;
      if (lines.has(named)) return;
      lines.add(named);
      describe(named, components.schemas[name] ?? {}, direction);
      return;
    }
    if (schema['type'] !== undefined) lines.add(`${at}: ${textsOf([schema['type']].flat()).join(' or ')}`);
    for (const value of textsOf(schema['enum'])) lines.add(`${at} = ${value}`);
    for (const member of textsOf(schema['required'])) lines.add(`${at}.${member} required`);
    for (const [member, each] of objectsOf(schema['properties'])) {
      lines.add(`${at}.${member}`);
      describe(`${at}.${member}`, each, direction);
    }
    if (isObject(schema['items'])) describe(`${at}[]`, schema['items'], direction);
    for (const keyword of ['anyOf', 'oneOf', 'allOf'])
      for (const each of objectsIn(schema[keyword])) describe(at, each, direction);
  };
  for (const [path, operations] of objectsOf(paths))
    for (const [method, operation] of objectsOf(operations))
      describeOperation(`${method.toUpperCase()} ${path}`, operation, lines, describe);
  return [...lines].toSorted();
}

function describeOperation(call: string, operation: Schema, lines: Set<string>, describe: Describe): void {
  lines.add(call);
  lines.add(`${call} is ${String(operation['operationId'])}`);
  for (const parameter of objectsIn(operation['parameters'])) {
    const at = `${call} ${String(parameter['in'])} ${String(parameter['name'])}`;
    lines.add(at);
    if (parameter['required'] === true) lines.add(`${at} required`);
    if (isObject(parameter['schema'])) describe(at, parameter['schema'], 'request');
  }
  const { requestBody, responses } = operation;
  if (isObject(requestBody)) {
    if (requestBody['required'] === true) lines.add(`${call} body required`);
    describeContent(`${call} body`, requestBody, (at, schema) => describe(at, schema, 'request'));
  }
  for (const [status, answer] of objectsOf(responses)) {
    if (Number(status) >= 400) continue;
    lines.add(`${call} ${status}`);
    describeContent(`${call} ${status}`, answer, (at, schema) => describe(at, schema, 'answer'));
  }
}

function describeContent(
  at: string,
  { content }: Schema,
  describe: (at: string, schema: Schema) => void,
): void {
  for (const [mediaType, form] of objectsOf(content))
    if (isObject(form['schema'])) describe(`${at} ${mediaType}`, form['schema']);
}

/** A line about what a request must have, with the call or the schema that demands it. */
const DEMANDS = [
  /^(?<owner>[A-Z]+ \S+)(?: (?:path|query|header|body)\b.*)? required$/,
  /^(?<owner>request \w+)(?:[.[].*)? required$/,
];

function ownerOfDemand(line: string): string | undefined {
  return DEMANDS.map((form) => form.exec(line)?.groups?.['owner']).find((owner) => owner !== undefined);
}

/** Compares the lines of two versions. What is gone breaks clients, and what a request must have besides. */
export function contractDifferences(
  before: readonly string[],
  after: readonly string[],
): readonly ContractDifference[] {
  const [old, current] = [new Set(before), new Set(after)];
  const gone = before.filter((line) => !current.has(line) && ownerOfDemand(line) === undefined);
  const fresh = after.filter((line) => !old.has(line));
  // What is new may demand what it likes.
  const isDemand = (line: string) => old.has(ownerOfDemand(line) ?? '');
  return [
    ...gone.map((line) => ({ kind: 'breaking', line: `gone: ${line}` }) as const),
    ...fresh.filter(isDemand).map((line) => ({ kind: 'breaking', line: `demanded: ${line}` }) as const),
    ...fresh.filter((line) => !isDemand(line)).map((line) => ({ kind: 'added', line }) as const),
  ];
}
