import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { anyone } from '../../../../api/auth/endpoint-access.ts';
import { createdOrOk, json, NO_CONTENT, ok, reply, SENT, type Answer } from '../../../../api/http/answer.ts';
import { endpoint } from '../../../../api/http/endpoint.ts';
import { serveEndpoints } from '../../../support/serve-endpoints.ts';

const REQUEST = { originalUrl: '/x?notThis=1' };
const ANSWERS = {
  200: json('It.', Type.Unknown()),
  201: json('It is new.', Type.Unknown()),
  202: json('It is accepted.', Type.Unknown()),
  204: { description: 'There is none.' } satisfies Answer<undefined>,
};

const replies = {
  '200 with its headers': [ok({ a: 1 }, { ETag: '"7"' }), 200, '{"a":1}', '"7"'],
  '200 with null as JSON': [ok(null), 200, 'null', null],
  '201 for what is new': [createdOrOk(REQUEST, true, { a: 1 }), 201, '{"a":1}', null],
  '200 for what existed': [createdOrOk(REQUEST, false, { a: 1 }), 200, '{"a":1}', null],
  'any status': [reply(202, [1]), 202, '[1]', null],
  '204 without a body': [NO_CONTENT, 204, '', null],
} as const;

test.each(Object.entries(replies))('a handler answers %s', async (_what, [returned, status, text, etag]) => {
  const call = await serveEndpoints([
    endpoint('get', '/x', {
      id: 'answer',
      summary: 'Answer',
      access: anyone,
      answers: ANSWERS,
      handle: () => returned,
    }),
  ]);
  const answer = await call('GET /x');
  expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([status, text, etag]);
  expect(answer.headers.get('content-type')).toBe(text === '' ? null : 'application/json; charset=utf-8');
});

test('201 has the address of what was made, 200 has none', () => {
  expect(createdOrOk(REQUEST, true, {})).toMatchObject({ headers: { Location: '/x' } });
  expect(createdOrOk(REQUEST, false, {})).not.toHaveProperty('headers.Location');
});

test('nothing is added to the answer of a handler that has sent it', async () => {
  const call = await serveEndpoints([
    endpoint('get', '/x', {
      id: 'send',
      summary: 'Send',
      access: anyone,
      answers: ANSWERS,
      handle({ response }) {
        response.status(202).end('sent');
        return SENT;
      },
    }),
  ]);
  expect(await call('GET /x')).toMatchObject({ status: 202, text: 'sent' });
});
