import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PIXEL, sampleDescriptor, samplePackage } from '../support/sample-package.ts';
import { startTestApp } from '../support/test-app.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
const BUILD = 'PackageArtifact/build';

/** Names that an address must escape, or that tempt to be read as more than a name. */
const ODD_NAMES = [
  'with space.txt',
  'Übersicht äöü.txt',
  '日本語.txt',
  '🌾.txt',
  '100%.txt',
  '%2e%2e.txt',
  '%00.txt',
  "it's (v2)!*.txt",
  'a+b&c=d;e,f@g.txt',
  'hash#tag.txt',
  '.hidden',
  'no-extension',
  '...dots',
] as const;

let app: TestApp;
let vendor: TestOrganization;
let moduleId: string;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
  const { moduleFiles } = sampleDescriptor(app.api.catalogue);
  const descriptor = { moduleFiles: [...moduleFiles, { file: 'ModuleImage/chart.svg' }] };
  const odd = Object.fromEntries(ODD_NAMES.map((name) => [`${BUILD}/${name}`, `content of ${name}`]));
  const answer = await app.importPackage(
    vendor,
    samplePackage(app.api.catalogue, {
      descriptor,
      files: {
        [`${BUILD}/alphabet.txt`]: ALPHABET,
        [`${BUILD}/empty.txt`]: '',
        'ModuleImage/chart.svg': SVG,
        ...odd,
      },
    }),
  );
  expect(answer.status, answer.text).toBe(200);
  moduleId = answer.body.moduleId as string;
});

afterAll(() => app.stop());

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Reads a file by its path as people write it. */
async function file(path: string, { method, headers, query = '' }: Call = {}): Promise<Answer> {
  const escaped = path.split('/').map(encodeURIComponent).join('/');
  return address(`${escaped}${query}`, { method, headers });
}

/** Reads a file by its path as it stands in the address. */
async function address(
  path: string,
  {
    method = 'GET',
    headers = {},
  }: { method?: string | undefined; headers?: Call['headers'] | undefined } = {},
): Promise<Answer> {
  return app.fetch(`/api/v8.0/${vendor.id}/modules/${moduleId}/files/${path}`, {
    method,
    headers: { Authorization: vendor.member, ...headers },
  });
}

const alphabet = (headers: Call['headers'] = {}, method = 'GET') =>
  file(`${BUILD}/alphabet.txt`, { headers, method });

const ETAG = `"${createHash('sha256').update(ALPHABET).digest('hex')}"`;

describe('GET and HEAD', () => {
  test('a file is answered whole, byte for byte, with its length and the hash of its content as ETag', async () => {
    const answer = await alphabet();
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(ALPHABET);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-length': '26',
      'content-type': 'text/plain',
      'accept-ranges': 'bytes',
      etag: ETAG,
    });
  });

  test('HEAD has the headers of GET and no body', async () => {
    const [get, head] = [await alphabet(), await alphabet({}, 'HEAD')];
    expect([head.status, head.text]).toEqual([200, '']);
    const told = ({ headers }: Answer) =>
      [...headers].filter(([name]) => !['date', 'x-trace-id', 'connection', 'keep-alive'].includes(name));
    expect(told(head)).toEqual(told(get));
  });

  test('HEAD of a file that is not there is 404 without a body', async () => {
    const answer = await file(`${BUILD}/none.txt`, { method: 'HEAD' });
    expect([answer.status, answer.text]).toEqual([404, '']);
  });

  test('an empty file is 200 with no bytes', async () => {
    const answer = await file(`${BUILD}/empty.txt`);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.get('content-length')).toBe('0');
  });

  test('every file of the module reads with the size, type and hash that the module tells', async () => {
    const module = await app.fetch(`/api/v8.0/${vendor.id}/modules/${moduleId}`, {
      headers: { Authorization: vendor.member },
    });
    const files = module.body.files as {
      path: string;
      sizeBytes: number;
      mediaType: string;
      sha256: string;
    }[];
    expect(files.length).toBeGreaterThan(ODD_NAMES.length);
    for (const { path, sizeBytes, mediaType, sha256 } of files) {
      const { status, headers } = await file(path, { method: 'HEAD' });
      expect(
        [status, headers.get('content-length'), headers.get('content-type'), headers.get('etag')],
        path,
      ).toEqual([200, String(sizeBytes), mediaType, `"${sha256}"`]);
    }
  });

  test('?revision=N reads the file as it was then', async () => {
    const id = randomUUID();
    for (const text of ['old', 'new']) {
      const files = { [`${BUILD}/index.html`]: text };
      await app.importPackage(
        vendor,
        samplePackage(app.api.catalogue, { descriptor: { moduleId: id }, files }),
      );
    }
    const textOf = async (query: string) => {
      const path = `/api/v8.0/${vendor.id}/modules/${id}/files/${BUILD}/index.html${query}`;
      return (await app.fetch(path, { headers: { Authorization: vendor.member } })).text;
    };
    expect([await textOf(''), await textOf('?revision=1'), await textOf('?revision=2')]).toEqual([
      'new',
      'old',
      'new',
    ]);
  });
});

describe('paths', () => {
  test.each(ODD_NAMES)('a file of an unusual name is found: %s', async (name) => {
    const answer = await file(`${BUILD}/${name}`);
    expect([answer.status, answer.text]).toEqual([200, `content of ${name}`]);
  });

  test.each(ODD_NAMES)('the download of an unusual name keeps the name: %s', async (name) => {
    const disposition = (await file(`${BUILD}/${name}`)).headers.get('content-disposition') ?? '';
    const [, plain, encoded] =
      /^attachment; filename="([ -~]*)"; filename\*=UTF-8''(\S+)$/.exec(disposition) ?? [];
    expect(plain).not.toMatch(/["\\%]/);
    expect(encoded).toMatch(/^[\w!#$&+.^`|~%-]+$/);
    expect(decodeURIComponent(encoded ?? '')).toBe(name);
  });

  test('a name is found in either Unicode normal form', async () => {
    const name = 'Übersicht äöü.txt';
    expect((await file(`${BUILD}/${name.normalize('NFD')}`)).text).toBe(`content of ${name}`);
  });

  test.each([
    'none.txt',
    BUILD,
    `${BUILD}/`,
    `${BUILD}/ALPHABET.TXT`,
    `/${BUILD}/alphabet.txt`,
    `${BUILD}//alphabet.txt`,
    `${BUILD}/alphabet.txt/`,
    `${BUILD}/alphabet.txt%00`,
    '%00',
    `${BUILD}/x%2f..%2falphabet.txt`,
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e%2f%2e%2e%2fpackage.json',
    String.raw`PackageArtifact%5cbuild%5calphabet.txt`,
    'a'.repeat(4_000),
  ])('a path that is no file of the module is 404: %s', async (path) => {
    const answer = await address(path);
    expect(answer.status, answer.text).toBe(404);
    expect(answer.body).toMatchObject({ type: '/problems/not-found' });
    expect(answer.headers.get('content-disposition')).toBeNull();
  });

  test.each(['%', `${BUILD}/100%.txt`, '%ff', '%c3%28', '%ed%a0%80'])(
    'a path that is not percent-encoded UTF-8 is 400: %s',
    async (path) => {
      const answer = await address(path);
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body).toMatchObject({ type: '/problems/request-invalid' });
    },
  );
});

describe('If-None-Match', () => {
  test.each([ETAG, `W/${ETAG}`, `"other", ${ETAG}`, '*'])(
    'that names the content is 304 without a body: %s',
    async (etag) => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await alphabet({ 'If-None-Match': etag }, method);
        expect([answer.status, answer.text]).toEqual([304, '']);
        expect(answer.headers.get('etag')).toBe(ETAG);
        expect(answer.headers.get('content-length')).toBeNull();
      }
    },
  );

  test.each(['"other"', ETAG.slice(1, -1), 'W/"other"', ''])(
    'that names other content is 200: %s',
    async (etag) => {
      expect((await alphabet({ 'If-None-Match': etag })).text).toBe(ALPHABET);
    },
  );

  test('goes before Range', async () => {
    const answer = await alphabet({ 'If-None-Match': ETAG, Range: 'bytes=0-1' });
    expect(answer.status).toBe(304);
  });

  test('of a file that is not there is 404', async () => {
    const answer = await file(`${BUILD}/none.txt`, { headers: { 'If-None-Match': '*' } });
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
  ])('%s is 206 with those bytes', async (range, text, told) => {
    const answer = await alphabet({ Range: range });
    expect([answer.status, answer.text]).toEqual([206, text]);
    expect(answer.headers.get('content-range')).toBe(`bytes ${told}/26`);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
    expect(answer.headers.get('etag')).toBe(ETAG);
  });

  test.each(['bytes=26-', 'bytes=26-30', 'bytes=999999999999999-', 'bytes=-0'])(
    '%s lies outside: 416 with the size of the file',
    async (range) => {
      const answer = await alphabet({ Range: range });
      expect([answer.status, answer.text]).toEqual([416, '']);
      expect(answer.headers.get('content-range')).toBe('bytes */26');
      expect(answer.headers.get('content-disposition')).toBeNull();
    },
  );

  test.each(['bytes=0-', 'bytes=-1'])('no range of an empty file can be: 416: %s', async (range) => {
    const answer = await file(`${BUILD}/empty.txt`, { headers: { Range: range } });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe('bytes */0');
  });

  test.each(['bytes=0-1,3-4', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=1', 'lines=0-1', 'bytes=-1-2'])(
    '%s is none that is served: the whole file',
    async (range) => {
      const answer = await alphabet({ Range: range });
      expect([answer.status, answer.text]).toEqual([200, ALPHABET]);
      expect(answer.headers.get('content-range')).toBeNull();
    },
  );

  test('with If-Range of the same content is 206', async () => {
    const answer = await alphabet({ Range: 'bytes=0-1', 'If-Range': ETAG });
    expect([answer.status, answer.text]).toEqual([206, 'ab']);
  });

  test.each(['"other"', `W/${ETAG}`, 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'with If-Range of anything else is the whole file: %s',
    async (version) => {
      for (const range of ['bytes=0-1', 'bytes=99-']) {
        const answer = await alphabet({ Range: range, 'If-Range': version });
        expect([answer.status, answer.text]).toEqual([200, ALPHABET]);
      }
    },
  );

  test.each(['bytes=0-1', 'bytes=99-'])(
    'is ignored on HEAD, for which RFC 9110 section 14.2 defines none: %s',
    async (range) => {
      const answer = await alphabet({ Range: range }, 'HEAD');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-length')).toBe('26');
    },
  );

  test('a partial answer has the same protection as a whole one', async () => {
    const { headers } = await alphabet({ Range: 'bytes=0-1' });
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });
});

describe("a file's bytes are hostile", () => {
  const FILES = [
    [`${BUILD}/index.html`, 'text/html', 'attachment'],
    [`${BUILD}/assets/index-4f2a91c7.js`, 'text/javascript', 'attachment'],
    ['ModuleToS/terms.md', 'text/markdown', 'attachment'],
    ['ModuleImage/chart.svg', 'image/svg+xml', 'attachment'],
    ['ModuleLogo/logo.png', 'image/png', 'inline'],
  ] as const;

  test.each(FILES)('%s is answered as %s, %s, with no way to run', async (path, type, disposition) => {
    const { status, headers } = await file(path);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
    });
    expect(headers.get('content-disposition')?.split(';')[0]).toBe(disposition);
  });

  test('304 and 416 carry the same protection', async () => {
    for (const conditions of [{ 'If-None-Match': '*' }, { Range: 'bytes=99-' }]) {
      const { headers } = await alphabet(conditions);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    }
  });

  test('a raster image in place is the very image', async () => {
    const response = await fetch(
      `${app.url}/api/v8.0/${vendor.id}/modules/${moduleId}/files/ModuleLogo/logo.png`,
      { headers: { Authorization: vendor.member } },
    );
    expect(Buffer.from(await response.arrayBuffer()).equals(PIXEL)).toBe(true);
  });

  test('a page of another name is no raster image: the type is told by the content', async () => {
    const { moduleFiles } = sampleDescriptor(app.api.catalogue);
    const answer = await app.importPackage(
      vendor,
      samplePackage(app.api.catalogue, {
        descriptor: { moduleFiles: [...moduleFiles, { file: 'ModuleImage/page.png' }] },
        files: { 'ModuleImage/page.png': '<!doctype html><script>alert(1)</script>' },
      }),
    );
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ entry: 'ModuleImage/page.png' }]);
  });
});
