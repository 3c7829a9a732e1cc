import { once } from 'node:events';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { ENDPOINTS } from '../../../api/endpoints.ts';
import { secureHeaders } from '../../../api/http/server/secure-headers.ts';
import { portOf } from '../../../shared/local/free-port.ts';
import { serveEndpoints } from '../../support/serve-endpoints.ts';

const ORIGIN = 'https://farm.example';

/** A page reads these without permission (Fetch, "CORS-safelisted response-header name"). */
const SAFELISTED = ['cache-control', 'content-language', 'content-length', 'content-type', 'last-modified'];
/** They are for browsers and proxies; the first is one that only the browser sets. */
const NOT_FOR_PAGES = ['accept-encoding', 'access-control-allow-origin', 'vary', 'x-accel-buffering'];

/** The names of a list in the answer to a page's preflight request. */
async function namesOf(list: 'allow' | 'expose'): Promise<readonly string[]> {
  const handler = secureHeaders({ corsOrigins: [ORIGIN], publicUrl: null });
  const server = express().use(handler).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const request = { method: 'OPTIONS', headers: { Origin: ORIGIN } };
  const { headers } = await fetch(`http://127.0.0.1:${portOf(server)}`, request);
  return (headers.get(`access-control-${list}-headers`) ?? '').toLowerCase().split(', ');
}

/** Those of the names that pages need and that the list lacks. */
async function missing(list: 'allow' | 'expose', names: readonly string[]): Promise<readonly string[]> {
  const known = [...(await namesOf(list)), ...SAFELISTED, ...NOT_FOR_PAGES];
  return names.filter((name) => !known.includes(name.toLowerCase()));
}

test('pages of other origins may send every header that an endpoint reads', async () => {
  const read = ENDPOINTS.flatMap(({ headers = {} }) => Object.keys(headers));
  expect(read).toContain('Range');
  expect(await missing('allow', read)).toEqual([]);
});

test('pages of other origins may read every header that an endpoint answers with', async () => {
  const sent = ENDPOINTS.flatMap(({ access, answers }) => [
    ...(access.headers ?? []),
    ...Object.values(answers).flatMap(({ headers = [] }) => headers),
  ]).map((name) => name.replace('?', ''));
  expect(sent).toContain('Content-Range');
  expect(await missing('expose', sent)).toEqual([]);
});

test.each([{}, { Origin: ORIGIN }, { Origin: 'https://other.example' }])(
  'with origins whose pages may call, every answer has Origin in Vary, beside what its endpoint adds: to %j',
  async (headers) => {
    const endpoints = ENDPOINTS.filter(({ id }) => id === 'listProblems');
    const call = await serveEndpoints(endpoints, { server: { corsOrigins: [ORIGIN] } });
    const answer = await call('GET /problems', { headers });
    expect([answer.status, answer.headers.get('vary')]).toEqual([200, 'Origin, Accept']);
  },
);
