import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { anyone } from '../../../../api/auth/endpoint-access.ts';
import { createdOrOk, DELETED, json, NO_CONTENT, ok, reply, SENT } from '../../../../api/http/answer.ts';
import { endpoint } from '../../../../api/http/endpoint.ts';
import { serveEndpoints } from '../../../support/serve-endpoints.ts';

const ANSWERS = {
  200: json('It.', Type.Unknown()),
  201: json('It is new.', Type.Unknown()),
  202: json('It is accepted.', Type.Unknown()),
  204: DELETED,
};

const replies = {
  '200 with its headers': [ok({ a: 1 }, { ETag: '"7"' }), 200, '{"a":1}', '"7"'],
  '200 with null as JSON': [ok(null), 200, 'null', null],
  '201 for what is new': [createdOrOk(true, { a: 1 }), 201, '{"a":1}', null],
  '200 for what existed': [createdOrOk(false, { a: 1 }), 200, '{"a":1}', null],
  'any status': [reply(202, [1]), 202, '[1]', null],
  '204 without a body': [NO_CONTENT, 204, '', null],
} as const;

test.each(Object.entries(replies))('a handler answers %s', async (_what, [returned, status, text, etag]) => {
  const call = await serveEndpoints([
    endpoint({
      id: 'answer',
      method: 'get',
      path: '/x',
      tag: 'Things',
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

test('nothing is added to the answer of a handler that has sent it', async () => {
  const call = await serveEndpoints([
    endpoint({
      id: 'send',
      method: 'get',
      path: '/x',
      tag: 'Things',
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
