import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { anyone } from '../../../../api/auth/endpoint-access.ts';
import { json, ok } from '../../../../api/http/answer.ts';
import { endpoint, tagged } from '../../../../api/http/endpoint.ts';
import { ProblemError } from '../../../../api/http/problem.ts';
import { openApiDocument } from '../../../../api/openapi/openapi-document.ts';
import { serveEndpoints } from '../../../support/serve-endpoints.ts';

const old = endpoint('get', '/old', {
  id: 'readOld',
  summary: 'Read what is old',
  access: anyone,
  deprecated: {
    at: '2027-11-20T09:30:00Z',
    sunsetAt: '2028-11-20T09:30:00Z',
    link: 'https://docs.example.com/new',
  },
  query: { fails: Type.Boolean() },
  answers: { 200: json('It.', Type.Unknown()) },
  handle({ query }) {
    if (query.fails === true) throw new ProblemError('not-found', 'There is nothing.');
    return ok({});
  },
});

test('each answer of a deprecated call has the dates of its deprecation and its end, and a link to the documentation', async () => {
  const call = await serveEndpoints([old]);
  for (const [target, status] of [
    ['/old', 200],
    ['/old?fails=true', 404],
  ] as const) {
    const answer = await call(`GET ${target}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('deprecation')).toBe(`@${Date.UTC(2027, 10, 20, 9, 30) / 1_000}`);
    expect(answer.headers.get('sunset')).toBe('Mon, 20 Nov 2028 09:30:00 GMT');
  }
  expect((await call('GET /old')).headers.get('link')).toBe(
    '<https://docs.example.com/new>; rel="deprecation"; type="text/html"',
  );
});

test('the document says that the call is deprecated', () => {
  const { paths } = openApiDocument(tagged('Health', [old]));
  expect(paths['/old']).toMatchObject({
    get: {
      deprecated: true,
      responses: { 200: { headers: { Deprecation: { required: true }, Sunset: { required: true } } } },
    },
  });
});
