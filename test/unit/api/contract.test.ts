import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../api/endpoints.ts';
import { openApiDocument, type OpenApiDocument } from '../../../api/openapi/openapi-document.ts';
import { contractDifferences, contractLines } from '../../support/api-contract.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** The API as clients know it. Each release records it anew: delete the file, and run this test. */
const BASELINE = path.join(ROOT, 'test/fixtures/api-baseline.txt');

const current = contractLines(openApiDocument(ENDPOINTS));
const today = new Date().toISOString().slice(0, 10);
if (!existsSync(BASELINE)) writeFileSync(BASELINE, `${[today, ...current].join('\n')}\n`);
const [date = '', ...baseline] = readFileSync(BASELINE, 'utf8').trimEnd().split('\n');
const changes = contractDifferences(baseline, current);

test('a difference that breaks clients of the baseline is quoted in CHANGELOG.md', () => {
  const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
  const breaking = changes.filter(({ kind }) => kind === 'breaking').map(({ line }) => line);
  expect(breaking.filter((line) => !changelog.includes(`\`${line}\``))).toEqual([]);
});

test('docs/api-changes.md lists what was added since the baseline', async () => {
  const added = changes.filter(({ kind }) => kind === 'added').map(({ line }) => `- \`${line}\`\n`);
  const list = added.length === 0 ? 'Nothing.\n' : added.join('');
  await expect(`# Added to the API since ${date}\n\n${list}`).toMatchFileSnapshot(
    path.join(ROOT, 'docs/api-changes.md'),
  );
});

/** A document with one call, changed by the test. */
const documentOf = ({ operation = {}, input = {}, output = {}, paths = {} }: Record<string, object> = {}) =>
  ({
    paths: {
      '/things': {
        post: {
          operationId: 'createThing',
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
          requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/x/Input' } } } },
          responses: { 200: { content: { 'application/json': { schema: { $ref: '#/x/Output' } } } } },
          ...operation,
        },
      },
      ...paths,
    },
    components: {
      schemas: {
        Input: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, kind: { enum: ['a', 'b'] } },
          ...input,
        },
        Output: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/x/Output' } } },
          ...output,
        },
      },
    },
  }) as unknown as OpenApiDocument;

const differences = (changed: Record<string, object>) =>
  contractDifferences(contractLines(documentOf()), contractLines(documentOf(changed)));
const name = { type: 'string' };
const id = { type: 'string' };
const parts = { type: 'array', items: { $ref: '#/x/Output' } };

test.each([
  ['an operation ID that is renamed', { operation: { operationId: 'makeThing' } }],
  ['a parameter that is removed', { operation: { parameters: [] } }],
  ['a member of an answer that is removed', { output: { properties: { parts } } }],
  ['a member of an answer that may be missing', { output: { required: [] } }],
  ['a member of an answer with another type', { output: { properties: { id: { type: 'integer' }, parts } } }],
  ['a member of a request that is required now', { input: { required: ['name', 'kind'] } }],
  ['a narrowed enum', { input: { properties: { name, kind: { enum: ['a'] } } } }],
  [
    'a new required parameter',
    {
      operation: { parameters: [{ name: 'page', in: 'query', required: true, schema: { type: 'integer' } }] },
    },
  ],
  ['another status', { operation: { responses: { 201: {} } } }],
])('%s breaks clients', (_what, changed) => {
  expect(differences(changed).map(({ kind }) => kind)).toContain('breaking');
});

test.each([
  [
    'a new call, which demands a member',
    {
      paths: {
        '/new': {
          post: {
            operationId: 'createNew',
            parameters: [{ name: 'x', in: 'query', required: true }],
            responses: {},
          },
        },
      },
    },
  ],
  ['a member of an answer', { output: { properties: { id, parts, more: { type: 'string' } } } }],
  [
    'an optional member of a request',
    { input: { properties: { name, kind: { enum: ['a', 'b'] }, more: name } } },
  ],
  ['a wider enum', { input: { properties: { name, kind: { enum: ['a', 'b', 'c'] } } } }],
  ['a member of a request that is required no longer', { input: { required: [] } }],
])('%s is an addition, or nothing', (_what, changed) => {
  expect(differences(changed).filter(({ kind }) => kind === 'breaking')).toEqual([]);
});
