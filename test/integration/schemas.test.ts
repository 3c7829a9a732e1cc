import { describe, expect } from 'vitest';
import { FILE_SCHEMAS } from '../../api/documents/schema-endpoints.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ worker: false });

describe.each(Object.entries(FILE_SCHEMAS))('/schemas/%s', (name, schema) => {
  test('is the schema that the rules validate with, for every client and every origin', async ({ app }) => {
    const { status, headers, body } = await app.fetch(`/schemas/${name}`);
    // Symbols, which name sets of the catalogue, are not sent.
    expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(schema))]);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  test('is not sent again to a client that has it', async ({ app }) => {
    const etag = (await app.fetch(`/schemas/${name}`)).headers.get('etag') ?? '';
    const again = await app.fetch(`/schemas/${name}`, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

test('the roles schema is draft-06', () =>
  expect(FILE_SCHEMAS['roles-entities.json'].$schema).toContain('draft-06'));

test('an unknown schema is 404, another method 405', async ({ app }) => {
  expect((await app.fetch('/schemas/none.json')).status).toBe(404);
  expect((await app.fetch('/schemas/module-schema.json', { method: 'POST' })).status).toBe(405);
});
