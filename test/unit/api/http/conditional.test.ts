import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { anyone } from '../../../../api/auth/endpoint-access.ts';
import { json, ok } from '../../../../api/http/answer.ts';
import { isKnown } from '../../../../api/http/request/conditional-request.ts';
import { endpoint } from '../../../../api/http/endpoint.ts';
import { serveEndpoints } from '../../../support/serve-endpoints.ts';

/** Returns whether the caller has the version `"7"`. */
const known = endpoint('get', '/known', {
  id: 'known',
  summary: 'Known',
  access: anyone,
  answers: { 200: json('Whether it is known.', Type.Boolean()) },
  handle: ({ request }) => ok(isKnown(request, '"7"')),
});

test.each([
  ['no header', {}, false],
  ['the version', { 'If-None-Match': '"7"' }, true],
  ['it as a weak one', { 'If-None-Match': 'W/"7"' }, true],
  ['another version', { 'If-None-Match': '"70"' }, false],
  ['it without quotes', { 'If-None-Match': '7' }, false],
  ['it in a list', { 'If-None-Match': '"6", W/"7" ,"8"' }, true],
  ['any version', { 'If-None-Match': '*' }, true],
  ['nothing', { 'If-None-Match': '' }, false],
  ['it, with a directive for caches', { 'If-None-Match': '"7"', 'Cache-Control': 'no-cache' }, true],
])('a client that sends %s has it or not (RFC 9110, 13.1.2)', async (_what, headers, expected) => {
  const call = await serveEndpoints([known]);
  expect((await call('GET /known', { headers })).body).toBe(expected);
});
