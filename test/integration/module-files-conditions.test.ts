import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALPHABET, BUILD, ETAG, startServedModule, type ServedModule } from '../support/served-module.ts';

let served: ServedModule;

beforeAll(async () => {
  served = await startServedModule();
});

afterAll(() => served.app.stop());

describe('If-None-Match', () => {
  test.each([ETAG, `W/${ETAG}`, `"other", ${ETAG}`, '*'])(
    'that matches the content is 304 without a body: %s',
    async (etag) => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await served.alphabet({ 'If-None-Match': etag }, method);
        expect([answer.status, answer.text]).toEqual([304, '']);
        expect(answer.headers.get('etag')).toBe(ETAG);
        expect(answer.headers.get('content-length')).toBeNull();
      }
    },
  );

  test.each(['"other"', ETAG.slice(1, -1), 'W/"other"', ''])(
    'that does not match the content is 200: %s',
    async (etag) => {
      expect((await served.alphabet({ 'If-None-Match': etag })).text).toBe(ALPHABET);
    },
  );

  test('takes precedence over Range', async () => {
    const answer = await served.alphabet({ 'If-None-Match': ETAG, Range: 'bytes=0-1' });
    expect(answer.status).toBe(304);
  });

  test('of an unknown file is 404', async () => {
    const answer = await served.file(`${BUILD}/none.txt`, { headers: { 'If-None-Match': '*' } });
    expect(answer.status).toBe(404);
  });
});

describe('Range', () => {
  test.each([
    ['bytes=0-0', 'a', '0-0'],
    ['bytes=2-4', 'cde', '2-4'],
    ['bytes=20-', 'uvwxyz', '20-25'],
    ['bytes=20-99', 'uvwxyz', '20-25'],
    ['bytes=0-', ALPHABET, '0-25'],
    ['bytes=-3', 'xyz', '23-25'],
    ['bytes=-99', ALPHABET, '0-25'],
    ['bytes=25-25', 'z', '25-25'],
  ])('%s is 206 with those bytes', async (range, text, contentRange) => {
    const answer = await served.alphabet({ Range: range });
    expect([answer.status, answer.text]).toEqual([206, text]);
    expect(answer.headers.get('content-range')).toBe(`bytes ${contentRange}/26`);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
    expect(answer.headers.get('etag')).toBe(ETAG);
  });

  test.each(['bytes=26-', 'bytes=26-30', 'bytes=999999999999999-', 'bytes=-0'])(
    '%s is outside the file: 416 with the size of the file',
    async (range) => {
      const answer = await served.alphabet({ Range: range });
      expect([answer.status, answer.text]).toEqual([416, '']);
      expect(answer.headers.get('content-range')).toBe('bytes */26');
      expect(answer.headers.get('content-disposition')).toBeNull();
    },
  );

  test.each(['bytes=0-', 'bytes=-1'])('every range of an empty file is 416: %s', async (range) => {
    const answer = await served.file(`${BUILD}/empty.txt`, { headers: { Range: range } });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe('bytes */0');
  });

  test.each([
    'bytes=0-1,3-4',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=1',
    'lines=0-1',
    'bytes=-1-2',
    'bytes=5-3',
  ])('%s is not a supported range: the whole file', async (range) => {
    const answer = await served.alphabet({ Range: range });
    expect([answer.status, answer.text]).toEqual([200, ALPHABET]);
    expect(answer.headers.get('content-range')).toBeNull();
  });

  test('with If-Range that matches the content is 206', async () => {
    const answer = await served.alphabet({ Range: 'bytes=0-1', 'If-Range': ETAG });
    expect([answer.status, answer.text]).toEqual([206, 'ab']);
  });

  test.each(['"other"', `W/${ETAG}`, 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'with any other If-Range is the whole file: %s',
    async (version) => {
      for (const range of ['bytes=0-1', 'bytes=99-']) {
        const answer = await served.alphabet({ Range: range, 'If-Range': version });
        expect([answer.status, answer.text]).toEqual([200, ALPHABET]);
      }
    },
  );

  test.each(['bytes=0-1', 'bytes=99-'])(
    'is ignored on HEAD, for which RFC 9110 section 14.2 defines none: %s',
    async (range) => {
      const answer = await served.alphabet({ Range: range }, 'HEAD');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-length')).toBe('26');
    },
  );

  test('a partial answer has the same security headers as a full one', async () => {
    const { headers } = await served.alphabet({ Range: 'bytes=0-1' });
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });
});
