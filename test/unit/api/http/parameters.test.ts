import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { anyone } from '../../../../api/auth/endpoint-access.ts';
import { json, ok } from '../../../../api/http/answer.ts';
import { endpoint } from '../../../../api/http/endpoint.ts';
import { queryReader } from '../../../../api/http/request/parameters.ts';
import { boolean, booleanOrBare, inputGuid, oneOf, text } from '../../../../api/http/schema.ts';
import { serveEndpoints } from '../../../support/serve-endpoints.ts';

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const read = endpoint('get', '/{orgId}/files/{path}', {
  id: 'read',
  summary: 'Read',
  access: anyone,
  parameters: { path: text('A text.') },
  query: {
    limit: Type.Integer({ minimum: 0, maximum: 200 }),
    deep: boolean('A boolean.'),
    dry: booleanOrBare('Dry.'),
    module: inputGuid('An ID.'),
    state: oneOf(['open', 'closed', 'all'], 'A state.'),
    name: text('A text.'),
  },
  answers: { 200: json('What was read.', Type.Unknown()) },
  handle: ({ path, query }) => ok({ path, query }),
});

describe('a path', () => {
  test('has IDs in lower case, and texts as they are', async () => {
    const call = await serveEndpoints([read]);
    const { body } = await call(`GET /${ID.toUpperCase()}/files/A%20b/%C3%BC`);
    expect(body.path).toEqual({ orgId: ID, path: 'A b/ü' });
  });

  test.each(['x', ID.slice(1), `${ID}0`, `{${ID}}`])('with the ID %s is 400 and names it', async (id) => {
    const call = await serveEndpoints([read]);
    const { status, body } = await call(`GET /${id}/files/a`);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('orgId in the path must be a GUID')]);
  });

  test('with a text that the database cannot store leads to nothing: 404', async () => {
    const call = await serveEndpoints([read]);
    expect((await call(`GET /${ID}/files/a%00b`)).status).toBe(404);
  });

  test.each(['a%ff', 'a%2', 'a%zz'])(
    'with %s, which is no escape of UTF-8, is 400 and says so',
    async (path) => {
      const call = await serveEndpoints([read]);
      const { status, body } = await call(`GET /${ID}/files/${path}`);
      expect([status, body.detail]).toEqual([
        400,
        'The address has a percent sign that does not start an escape of UTF-8, such as %20.',
      ]);
    },
  );
});

describe('a query', () => {
  test.each([
    ['', {}],
    ['?limit=0&deep=true', { limit: 0, deep: true }],
    ['?limit=200&deep=false', { limit: 200, deep: false }],
    ['?dry', { dry: true }],
    ['?dry=', { dry: true }],
    ['?dry=false', { dry: false }],
    [`?module=${ID.toUpperCase()}`, { module: ID }],
    ['?name=', { name: '' }],
    ['?name=5', { name: '5' }],
    ['?state=all', { state: 'all' }],
  ])('%j is read with the types of its schemas', async (query, values) => {
    const call = await serveEndpoints([read]);
    expect((await call(`GET /${ID}/files/a${query}`)).body.query).toEqual(values);
  });

  const OTHERS = 'this call has `limit`, `deep`, `dry`, `module`, `state`, `name`.';
  test.each([
    ['limti=5', '`limti`; did you mean `limit`?'],
    ['state=all&moduel=x', '`moduel`; did you mean `module`?'],
    ['Limit=5', '`Limit`; did you mean `limit`?'],
    ['lmit', '`lmit`; did you mean `limit`?'],
    ['limit[]=5', '`limit[]`; did you mean `limit`?'],
    ['include=x', `\`include\`; ${OTHERS}`],
    [`${'x'.repeat(300)}=1`, `\`${'x'.repeat(60)}\`; ${OTHERS}`],
    ['__proto__=1', `\`__proto__\`; ${OTHERS}`],
    ['=1', `\`\`; ${OTHERS}`],
  ])('%s is 400: an unknown parameter, with the nearest known name', async (query, detail) => {
    const call = await serveEndpoints([read]);
    const { status, body } = await call(`GET /${ID}/files/a?${query}`);
    expect([status, body.detail]).toEqual([400, `Unknown query parameter ${detail}`]);
  });

  const LIMIT = 'limit must be a whole number from 0 to 200.';
  test.each([
    ['limit=201', LIMIT],
    ['limit=-1', LIMIT],
    ['limit=1e2', LIMIT],
    ['limit=0x10', LIMIT],
    ['limit=%201', LIMIT],
    ['limit=1.0', LIMIT],
    ['limit=', LIMIT],
    ['limit=1&limit=2', LIMIT],
    ['limit=99999999999999999999', LIMIT],
    ['deep', 'deep must be true or false.'],
    ['deep=1', 'deep must be true or false.'],
    ['dry=yes', 'dry must be true or false.'],
    ['module=x', 'module must be a GUID, given once.'],
    ['state=new', 'state must be open, closed or all.'],
    ['state=OPEN', 'state must be open, closed or all.'],
    ['name=a&name=b', 'name must be text in its documented form, given once.'],
    ['name=a%00', 'name must be text in its documented form, given once.'],
  ])('%s is 400 and names what the parameter must be', async (query, detail) => {
    const call = await serveEndpoints([read]);
    const { status, body } = await call(`GET /${ID}/files/a?${query}`);
    expect([status, body.detail]).toEqual([400, detail]);
  });
});

test('a format that nothing checks refuses the start', () => {
  const unknown = Type.String({ format: 'email' });
  expect(() => queryReader({ mail: unknown })).toThrow('unknown format "email"');
});
