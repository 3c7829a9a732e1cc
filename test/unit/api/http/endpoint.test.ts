import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../../../api/endpoints.ts';
import { type EndpointAccess, anyone } from '../../../../api/auth/endpoint-access.ts';
import { json, ok } from '../../../../api/http/answer.ts';
import { endpoint, type Endpoint } from '../../../../api/http/endpoint.ts';
import { jsonBody } from '../../../../api/http/request/json-body.ts';
import { ProblemError } from '../../../../api/http/problem.ts';
import { integer, text } from '../../../../api/http/schema.ts';
import { serveEndpoints } from '../../../support/serve-endpoints.ts';

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const RESULT = Type.Object({ seen: text('A text.') });

/** An endpoint that returns its own ID. */
function named(id: string, method: 'get' | 'put' | 'delete', path: string): Endpoint {
  return endpoint(method, path, {
    id,
    summary: id,
    access: anyone,
    answers: { 200: json('Its ID.', RESULT) },
    parameters: { path: text('A text.'), name: text('A text.') },
    handle: () => ok({ seen: id }),
  });
}

/** Refuses every caller without the header `caller`. */
const withCaller: EndpointAccess<string> = {
  ...anyone,
  authorize(_api, request) {
    const caller = request.get('caller');
    if (caller !== undefined) return caller;
    throw new ProblemError('auth-token-invalid', 'There is no caller.');
  },
  ownerOf: (caller) => caller,
};

describe('routes', () => {
  test('each method of a path calls its endpoint, and HEAD that of GET', async () => {
    const call = await serveEndpoints([named('a', 'get', '/x'), named('b', 'put', '/x')]);
    expect((await call('GET /x')).body).toEqual({ seen: 'a' });
    expect((await call('PUT /x')).body).toEqual({ seen: 'b' });
    expect(await call('HEAD /x')).toMatchObject({ status: 200, text: '' });
  });

  test('any other method is 405, and Allow has the methods of the path', async () => {
    const call = await serveEndpoints([named('a', 'get', '/x'), named('b', 'delete', '/x')]);
    for (const method of ['POST', 'PUT', 'PATCH', 'OPTIONS']) {
      const { status, headers, body } = await call(`${method} /x`);
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, DELETE']);
      expect(body).toMatchObject({ type: '/problems/method-not-allowed', instance: '/x' });
    }
  });

  test('a path without an endpoint is 404', async () => {
    const call = await serveEndpoints([named('a', 'get', '/x')]);
    expect((await call('GET /y')).body).toMatchObject({ type: '/problems/not-found' });
  });

  test('{path} matches slashes, any other name does not', async () => {
    const call = await serveEndpoints([named('a', 'get', '/a/{path}'), named('b', 'get', '/b/{name}')]);
    expect((await call('GET /a/one/two%2Fthree')).status).toBe(200);
    expect((await call('GET /b/one')).status).toBe(200);
    expect((await call('GET /b/one/two')).status).toBe(404);
  });
});

describe('a call', () => {
  /** An endpoint that records which steps a call reaches. */
  async function serveSteps() {
    const reached: string[] = [];
    const checked = endpoint('put', '/organizations/{orgId}', {
      id: 'check',
      summary: 'Check',
      access: withCaller,
      query: { limit: Type.Integer({ minimum: 1, maximum: 9 }) },
      body: jsonBody('A count.', Type.Object({ count: integer('A number.') })),
      answers: { 200: json('What was read.', RESULT) },
      handle({ caller, path, query, body }) {
        reached.push('handler');
        return ok({ seen: `${caller} ${path.orgId} ${query.limit ?? 'none'} ${body.count}` });
      },
    });
    return { call: await serveEndpoints([checked]), reached };
  }

  const caller = { caller: 'me', 'Content-Type': 'application/json' };

  test.each([
    ['the caller', 'PUT /organizations/x?limit=0', {}, '{', 'There is no caller.'],
    ['the path', 'PUT /organizations/x?limit=0', caller, '{', 'orgId in the path must be a GUID'],
    [
      'the query',
      `PUT /organizations/${ID}?limit=0`,
      caller,
      '{',
      'limit must be a whole number from 1 to 9',
    ],
    ['the body', `PUT /organizations/${ID}?limit=1`, caller, '{', 'The body is not JSON.'],
    ['the body’s schema', `PUT /organizations/${ID}`, caller, '{}', 'errors lists its issues'],
  ])(
    'is refused because of %s before anything after it is checked',
    async (_what, target, headers, body, detail) => {
      const { call, reached } = await serveSteps();
      const answer = await call(target, { headers, body });
      expect(answer.body.detail).toContain(detail);
      expect(reached).toEqual([]);
    },
  );

  test('that passes every check reaches the handler, with its values', async () => {
    const { call } = await serveSteps();
    const target = `PUT /organizations/${ID.toUpperCase()}?limit=3`;
    const answer = await call(target, { headers: caller, body: '{"count":5}' });
    expect(answer.body).toEqual({ seen: `me ${ID} 3 5` });
  });

  test('whose handler fails is 503, without the text of the error', async () => {
    const broken = { ...named('a', 'get', '/x') };
    const call = await serveEndpoints([
      { ...broken, handler: () => () => Promise.reject(new Error('password geheim')) },
    ]);
    const { status, text: answered, headers } = await call('GET /x');
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(answered).not.toContain('geheim');
  });
});

test('the start is refused if a parameter of a path has no schema', () =>
  expect(() => named('a', 'get', '/x/{wrongId}')).toThrow('wrongId'));

test('these endpoints record changes, of which back ends are notified soon', () =>
  expect(ENDPOINTS.filter((each) => each.recordsChanges).map(({ id }) => id)).toEqual([
    'writeOrganization',
    'deleteOrganization',
    'quarantineModule',
    'deleteQuarantine',
    'writeSuspension',
    'deleteSuspension',
    'cancelImport',
    'deleteModule',
    'releaseRevision',
    'writePreviewers',
    'withdrawModule',
    'offerModule',
    'deprecateModule',
    'writeStructures',
    'deleteStructures',
    'writeInstallation',
    'deleteInstallation',
    'createAlertRule',
    'writeAlertRule',
    'deleteAlertRule',
    'acknowledgeAlert',
  ]));
