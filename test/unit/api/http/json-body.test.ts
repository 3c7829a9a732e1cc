import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { anyone } from '../../../../api/auth/endpoint-access.ts';
import { json, ok } from '../../../../api/http/answer.ts';
import { endpoint } from '../../../../api/http/endpoint.ts';
import {
  jsonBody,
  mayBeMissing,
  optionalJsonBody,
  type Body,
} from '../../../../api/http/request/json-body.ts';
import { dateTime, inputGuid, listOf, text } from '../../../../api/http/schema.ts';
import { serveEndpoints } from '../../../support/serve-endpoints.ts';

const MiB = 1024 * 1024;
const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

const THING = Type.Object(
  {
    id: Type.Optional(inputGuid('An ID.')),
    name: Type.Optional(text('A text.')),
    at: Type.Optional(dateTime('A time.')),
    counts: Type.Optional(listOf(Type.Integer(), 'Numbers.')),
    any: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

/** Sends bodies to an endpoint that returns what it has read; `missing` where that is undefined. */
async function sender(body: Body<unknown>, maxJsonBodyBytes = MiB) {
  const put = endpoint('put', '/x', {
    id: 'put',
    summary: 'Put',
    access: anyone,
    body,
    answers: { 200: json('What was read.', Type.Unknown()) },
    handle: ({ body: read }) => ok(read === undefined ? 'missing' : read),
  });
  const call = await serveEndpoints([put], { server: { maxJsonBodyBytes } });
  return (sent: string | Buffer<ArrayBuffer> | undefined, headers: Record<string, string> = JSON_TYPE) =>
    call('PUT /x', { headers, ...(sent !== undefined && { body: sent }) });
}

describe('a JSON body', () => {
  const thing = jsonBody('A thing.', THING);

  test.each(['application/json', 'application/json; charset=utf-8', 'application/merge-patch+json'])(
    'is read as %s',
    async (type) => {
      const send = await sender(thing);
      expect((await send('{"name":"ü"}', { 'Content-Type': type })).body).toEqual({ name: 'ü' });
    },
  );

  test.each([
    ['missing', undefined, {}],
    ['of another type', '{}', { 'Content-Type': 'text/plain' }],
    ['a form', 'name=x', FORM],
    ['cut off', '{"name":', JSON_TYPE],
    ['a bare value', '5', JSON_TYPE],
  ])('that is %s is 400', async (_what, sent, headers) => {
    const send = await sender(thing);
    const { status, body } = await send(sent, headers);
    expect([status, body.type]).toEqual([400, '/problems/request-invalid']);
  });

  test('may have exactly the limit of bytes; one more is 413', async () => {
    const send = await sender(thing, 65_536);
    const atLimit = JSON.stringify({ name: '' }).replace('""', `"${'x'.repeat(65_536 - 11)}"`);
    expect(atLimit).toHaveLength(65_536);
    expect((await send(atLimit)).status).toBe(200);
    const { status, body } = await send(`${atLimit} `);
    expect([status, body.type]).toEqual([413, '/problems/request-too-large']);
  });

  test.each([
    ['an unknown member', { colour: 1 }, '/colour', 'There is no such member.'],
    ['a member of another type', { name: 1 }, '/name', 'The value must be a string; it is 1.'],
    [
      'an ID that is no GUID, once',
      { id: 'x' },
      '/id',
      'The value must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301"; it is "x".',
    ],
    [
      'a date that is none',
      { at: 'soon' },
      '/at',
      'The value must be a date and time such as "2026-11-20T09:30:00Z"; it is "soon".',
    ],
    [
      'an item of another type',
      { counts: [1, 'x'] },
      '/counts/1',
      'The value must be an integer; it is "x".',
    ],
    ['a NUL', { name: 'a\0' }, '/name', 'The text has a NUL or a lone surrogate.'],
    ['half of a surrogate pair', { name: '\ud800' }, '/name', 'The text has a NUL or a lone surrogate.'],
    ['a NUL in the name of a member', { any: { 'a\0': 1 } }, '/any/a\0', 'The text has a NUL'],
  ])('with %s is 400, with its location', async (_what, sent, pointer, detail) => {
    const send = await sender(thing);
    const { status, body } = await send(JSON.stringify(sent));
    expect(status).toBe(400);
    expect(body).toMatchObject({ errorsTotal: 1, errors: [{ pointer, severity: 'error' }] });
    expect(body.errors[0].detail).toContain(detail);
  });

  test('may have 64 levels, not 65', async () => {
    const send = await sender(thing);
    const nested = (levels: number) => `{"any":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await send(nested(64))).status).toBe(200);
    const { status, body } = await send(nested(65));
    expect(status).toBe(400);
    expect(body.errors).toHaveLength(1);
  });

  test('with more issues than are reported lists the first hundred and counts all', async () => {
    const send = await sender(thing);
    const { body } = await send(JSON.stringify({ counts: Array(150).fill('x') }));
    expect(body.errors).toHaveLength(100);
    expect(body.errorsTotal).toBe(150);
    expect(body.errors[99]).toMatchObject({ pointer: '/counts/99' });
  });
});

describe('a body that may be missing', () => {
  const thing = mayBeMissing(jsonBody('A thing.', THING));

  test('is missing without one by the headers: also with `curl -d ""`, whatever type that names', async () => {
    const send = await sender(thing);
    expect((await send(undefined, {})).body).toBe('missing');
    expect((await send('', FORM)).body).toBe('missing');
    expect((await send('', JSON_TYPE)).body).toBe('missing');
  });

  test('is checked if there is one; blanks are not none', async () => {
    const send = await sender(thing);
    expect((await send(JSON.stringify({ id: ID }))).body).toEqual({ id: ID });
    expect((await send('{"colour":1}')).status).toBe(400);
    expect((await send('  ')).status).toBe(400);
  });
});

describe('an optional JSON body', () => {
  const thing = optionalJsonBody('A thing.', THING);

  test.each([
    ['no body', undefined, {}],
    ['`curl -d ""`', '', FORM],
    ['an empty JSON body', '', JSON_TYPE],
    ['blanks', ' \r\n\t', FORM],
  ])('of %s is an empty object', async (_what, sent, headers) => {
    const send = await sender(thing);
    expect(await send(sent, headers)).toMatchObject({ status: 200, body: {} });
  });

  test.each([JSON_TYPE, FORM, { 'Content-Type': 'text/plain' }, {}])(
    'is read as JSON with the headers %j',
    async (headers) => {
      const send = await sender(thing);
      expect((await send('{"name":"a"}', headers)).body).toEqual({ name: 'a' });
    },
  );

  test('is checked like any other', async () => {
    const send = await sender(thing);
    expect((await send('name=a', FORM)).body.detail).toBe('The body is not JSON.');
    expect((await send('{"name":1}', FORM)).body).toMatchObject({
      errorsTotal: 1,
      errors: [{ pointer: '/name' }],
    });
    expect((await send('null', FORM)).status).toBe(400);
  });

  test.each([
    ['Latin-1', Buffer.from('{"name":"Müller"}', 'latin1')],
    ['a surrogate', Buffer.from([...Buffer.from('{"name":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')])],
  ])('of %s is not UTF-8, and is refused', async (_what, sent) => {
    const send = await sender(thing);
    const { status, body } = await send(sent, { 'Content-Type': 'application/json; charset=iso-8859-1' });
    expect([status, body.detail]).toEqual([400, 'The body is not UTF-8.']);
  });

  test('has at most 64 KiB', async () => {
    const send = await sender(thing);
    expect((await send(' '.repeat(64 * 1024), FORM)).status).toBe(200);
    expect((await send(' '.repeat(64 * 1024 + 1), FORM)).status).toBe(413);
  });
});

test('a format that nothing checks refuses the start', async () => {
  const unknown = Type.Object({ mail: Type.String({ format: 'email' }) });
  await expect(sender(jsonBody('A thing.', unknown))).rejects.toThrow('unknown format "email"');
  await expect(sender(optionalJsonBody('A thing.', unknown))).rejects.toThrow('unknown format "email"');
});
