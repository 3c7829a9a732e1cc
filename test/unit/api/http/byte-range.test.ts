import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { anyone } from '../../../../api/auth/endpoint-access.ts';
import { json, SENT } from '../../../../api/http/answer.ts';
import { startRange } from '../../../../api/http/request/conditional-request.ts';
import { endpoint } from '../../../../api/http/endpoint.ts';
import { serveEndpoints } from '../../../support/serve-endpoints.ts';

const DIGITS = '0123456789';

/** Serves the ten digits, or nothing at all, with the version `"7"`. */
const bytes = (method: 'get' | 'put', content: string) =>
  endpoint(method, '/bytes', {
    id: `${method}Bytes`,
    summary: 'Bytes',
    access: anyone,
    answers: { 200: json('Bytes.', Type.Unknown()) },
    handle({ request, response }) {
      const range = startRange(request, response, content.length, '"7"');
      response.end(range === null ? '' : content.slice(range.offset, range.offset + range.length));
      return SENT;
    },
  });

async function answerTo(headers: Record<string, string>, method = 'GET', content = DIGITS) {
  const call = await serveEndpoints([bytes('get', content), bytes('put', content)]);
  const answer = await call(`${method} /bytes`, { headers });
  return [answer.status, answer.text, answer.headers.get('content-range')];
}

describe('a range', () => {
  test.each([
    ['bytes=0-0', '0', '0-0'],
    ['bytes=2-4', '234', '2-4'],
    ['bytes=7-', '789', '7-9'],
    ['bytes=7-99', '789', '7-9'],
    ['bytes=-3', '789', '7-9'],
    ['bytes=-99', DIGITS, '0-9'],
    ['bytes=0-', DIGITS, '0-9'],
  ])('%s is 206 with exactly its bytes', async (range, text, sent) => {
    expect(await answerTo({ Range: range })).toEqual([206, text, `bytes ${sent}/10`]);
  });

  test.each(['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=999999999999999-'])(
    '%s has no byte of the content: 416 with its size',
    async (range) => {
      expect(await answerTo({ Range: range })).toEqual([416, '', 'bytes */10']);
    },
  );

  test.each(['bytes=4-2', 'bytes=-', 'bytes=0-1,3-4', 'bytes=a-b', 'lines=0-1', 'bytes=9999999999999999-'])(
    '%s is not one valid range: 200 with everything',
    async (range) => {
      expect(await answerTo({ Range: range })).toEqual([200, DIGITS, null]);
    },
  );

  test('of nothing is 416; without a range, nothing is 200', async () => {
    expect(await answerTo({ Range: 'bytes=0-' }, 'GET', '')).toEqual([416, '', 'bytes */0']);
    expect(await answerTo({ Range: 'bytes=-1' }, 'GET', '')).toEqual([416, '', 'bytes */0']);
    expect(await answerTo({}, 'GET', '')).toEqual([200, '', null]);
  });

  test('of another version is everything of this one', async () => {
    expect(await answerTo({ Range: 'bytes=0-1', 'If-Range': '"7"' })).toEqual([206, '01', 'bytes 0-1/10']);
    expect(await answerTo({ Range: 'bytes=0-1', 'If-Range': '"6"' })).toEqual([200, DIGITS, null]);
    expect(await answerTo({ Range: 'bytes=0-1', 'If-Range': 'W/"7"' })).toEqual([200, DIGITS, null]);
  });

  test('of any method but GET is ignored', async () => {
    expect(await answerTo({ Range: 'bytes=0-1' }, 'PUT')).toEqual([200, DIGITS, null]);
    expect(await answerTo({ Range: 'bytes=0-1' }, 'HEAD')).toEqual([200, '', null]);
  });
});
