import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../api/endpoints.ts';
import { openApiDocument } from '../../../api/openapi/openapi-document.ts';
import { plainSchema } from '../../../api/openapi/components.ts';
import { GUID_PATTERN } from '../../../shared/package/schema/schema-parts.ts';

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const document = openApiDocument(ENDPOINTS);
const named = document.components.schemas;

interface Located {
  readonly at: string;
  readonly schema: Json;
}

/** Keywords whose values are maps of schemas, and keywords whose values are no schemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
const NO_SCHEMAS: ReadonlySet<string> = new Set(['example', 'examples', 'enum', 'discriminator', 'mapping']);

function childrenOf({ at, schema }: Located): Located[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (NO_SCHEMAS.has(keyword)) return [];
    if (Array.isArray(value))
      return value.flatMap((each: unknown, index) =>
        isObject(each) ? [{ at: `${at}/${keyword}/${index}`, schema: each }] : [],
      );
    if (!isObject(value)) return [];
    if (!MAPS.has(keyword)) return [{ at: `${at}/${keyword}`, schema: value }];
    return Object.entries(value).flatMap(([name, each]) =>
      isObject(each) ? [{ at: `${at}/${keyword}/${name}`, schema: each }] : [],
    );
  });
}

function withInner(located: Located): Located[] {
  return [located, ...childrenOf(located).flatMap(withInner)];
}

/** The schemas of bodies and parameters in operations and shared answers, wherever they are. */
function schemasIn(at: string, value: unknown): Located[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => schemasIn(`${at}/${index}`, each));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    if (name === 'example' || name === 'examples') return [];
    if (name === 'schema' || name === 'x-part-schema')
      return isObject(each) ? withInner({ at: `${at}/${name}`, schema: each }) : [];
    return schemasIn(`${at}/${name}`, each);
  });
}

const ALL: readonly Located[] = [
  ...Object.entries(named).flatMap(([name, schema]) => withInner({ at: name, schema })),
  ...schemasIn('paths', document.paths),
  ...schemasIn('responses', document.components.responses),
];

interface Member extends Located {
  readonly name: string;
}

const MEMBERS: readonly Member[] = ALL.flatMap(({ at, schema }) =>
  Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).flatMap(([name, each]) =>
    isObject(each) ? [{ at: `${at}/${name}`, name, schema: each }] : [],
  ),
);

function typesOf({ type }: Json): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function atOf(found: readonly Located[]): readonly string[] {
  return found.map(({ at }) => at);
}

test('every object has a name, so that generators of clients invent none', () => {
  expect(MEMBERS.length).toBeGreaterThan(400);
  const unnamed = ALL.filter(({ at, schema }) => 'properties' in schema && !(at in named));
  expect(atOf(unnamed)).toEqual([]);
});

test('every alternative has a name where it is an object, and so has every choice among types', () => {
  const choices = ALL.filter(({ schema }) => 'oneOf' in schema || 'anyOf' in schema || 'allOf' in schema);
  const isNullable = ({ schema }: Located) =>
    Array.isArray(schema['oneOf']) &&
    schema['oneOf'].length === 2 &&
    JSON.stringify(schema).includes('"null"');
  expect(atOf(choices.filter((each) => !(each.at in named) && !isNullable(each)))).toEqual([]);
});

test('no name is that of a constructor of another one, as NewRule is in Go', () => {
  const names = new Set(Object.keys(named));
  expect([...names].filter((name) => names.has(name.replace(/^New/, '')) && /^New/.test(name))).toEqual([]);
});

test('every member is described in a sentence that says more than its name', () => {
  const words = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const silent = MEMBERS.filter(({ name, schema }) => {
    const reference = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
    const text = schema['description'] ?? named[reference ?? '']?.['description'];
    const isSentence =
      typeof text === 'string' && /^[A-Z`]/.test(text) && text.includes(' ') && text.endsWith('.');
    return !isSentence || words(text).replace(/^(?:the|a|an)/, '') === words(name);
  });
  expect(atOf(silent)).toEqual([]);
});

test('every named schema and every parameter is described', () => {
  const silent = Object.entries(named).filter(([, { description }]) => typeof description !== 'string');
  expect(silent.map(([name]) => name)).toEqual([]);
  const parameters = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations as Record<string, { parameters: { name: string; description: string }[] }>),
  );
  const unsaid = parameters
    .flatMap((each) => each.parameters)
    .filter((each) => !/\.$/.test(each.description));
  expect(unsaid.map(({ name }) => name)).toEqual([]);
});

test('every number has a format that says how large it can be, and every ID that of a GUID', () => {
  const unsized = ALL.filter(({ schema }) => {
    const isNumber = typesOf(schema).some((each) => each === 'number' || each === 'integer');
    return isNumber && !['int32', 'int64', 'double'].includes(String(schema['format']));
  });
  expect(atOf(unsized)).toEqual([]);
  const ids = ALL.filter(({ schema }) => typeof schema['pattern'] === 'string');
  const unformatted = ids.filter(
    ({ schema }) => String(schema['pattern']).includes(GUID_PATTERN.slice(1)) && schema['format'] !== 'uuid',
  );
  expect(atOf(unformatted)).toEqual([]);
});

test('every time of a body has the format of a time', () => {
  const times = MEMBERS.filter(({ name }) => /(?:At|On)$/.test(name) && name !== 'plantedAt');
  expect(times.length).toBeGreaterThan(30);
  expect(atOf(times.filter(({ schema }) => schema['format'] !== 'date-time'))).toEqual([]);
});

test('a constant is text, an enum has a type, and a type is one type, or one and null', () => {
  const odd = ALL.filter(({ schema }) => {
    const isOddConst = 'const' in schema && typeof schema['const'] !== 'string';
    const isOddEnum = Array.isArray(schema['enum']) && !('type' in schema);
    return isOddConst || isOddEnum || typesOf(schema).filter((each) => each !== 'null').length > 1;
  });
  expect(atOf(odd)).toEqual([]);
});

test('every problem is a Problem', () => {
  const answers = Object.values(document.components.responses) as { content: Record<string, unknown> }[];
  expect(answers.length).toBeGreaterThan(15);
  for (const { content } of answers)
    expect(content).toMatchObject({
      'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    });
});

test('a schema of several types becomes alternatives, each with the keywords of its type', () => {
  const schema = { type: ['string', 'number'], maxLength: 3, minimum: 1, description: 'A value.' };
  expect(plainSchema(schema)).toEqual({
    description: 'A value.',
    oneOf: [
      { type: 'string', maxLength: 3 },
      { type: 'number', minimum: 1 },
    ],
  });
  expect(plainSchema({ type: ['string', 'null'] })).toEqual({ type: ['string', 'null'] });
});

test('every count of the errors of a package says how many of a file it covers', () => {
  const counts = MEMBERS.filter(({ name }) => name === 'errorsTotal');
  expect(counts.length).toBeGreaterThan(1);
  const covers = expect.stringContaining('at most 1,000 are counted') as string;
  expect(counts.map(({ schema }) => schema['description'])).toEqual(counts.map(() => covers));
});
