import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { PIXEL, sampleDescriptor, samplePackage } from '../support/sample-package.ts';
import {
  ALPHABET,
  BUILD,
  ETAG,
  ODD_NAMES,
  startServedModule,
  type ServedModule,
} from '../support/served-module.ts';
import type { Answer, TestOrganization } from '../support/test-app.ts';

let served: ServedModule;

beforeAll(async () => {
  served = await startServedModule();
});

afterAll(() => served.app.stop());

const INDEX = `${BUILD}/index.html`;
const TERMS = 'ModuleToS/terms.md';

const importIndex = (vendor: TestOrganization, moduleId: string, text: string) =>
  importSample(served.app, vendor, { descriptor: { moduleId }, files: { [INDEX]: text } });

/** Imports a module whose page is `old` in revision 1 and `new` in revision 2, after the prefix. */
async function importTwice(vendor: TestOrganization, prefix = '') {
  const id = randomUUID();
  for (const text of ['old', 'new']) await importIndex(vendor, id, `${prefix}${text}`);
  const address = `/api/v8.0/${vendor.id}/modules/${id}/files`;
  const headers = { Authorization: vendor.member };
  const textOf = async (query: string, path = INDEX) =>
    (await served.app.fetch(`${address}/${path}${query}`, { headers })).text;
  return { id, textOf };
}

describe('GET and HEAD', () => {
  test('a file is sent byte for byte, with its length and the hash of its content as ETag', async () => {
    const answer = await served.alphabet();
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
    const [get, head] = [await served.alphabet(), await served.alphabet({}, 'HEAD')];
    expect([head.status, head.text]).toEqual([200, '']);
    const headersOf = ({ headers }: Answer) =>
      [...headers].filter(([name]) => !['date', 'x-trace-id', 'connection', 'keep-alive'].includes(name));
    expect(headersOf(head)).toEqual(headersOf(get));
  });

  test('HEAD of an unknown file is 404 without a body', async () => {
    const answer = await served.file(`${BUILD}/none.txt`, { method: 'HEAD' });
    expect([answer.status, answer.text]).toEqual([404, '']);
  });

  test('an empty file is 200 with no bytes', async () => {
    const answer = await served.file(`${BUILD}/empty.txt`);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.get('content-length')).toBe('0');
  });

  test('every file of the module has the size, type and hash that the module lists', async () => {
    const module = await served.app
      .as(served.vendor, served.vendor.member)
      .get(`/modules/${served.moduleId}`);
    const files = module.body.files as {
      path: string;
      sizeBytes: number;
      mediaType: string;
      sha256: string;
    }[];
    expect(files.length).toBeGreaterThan(ODD_NAMES.length);
    for (const { path, sizeBytes, mediaType, sha256 } of files) {
      const { status, headers } = await served.file(path, {
        method: 'HEAD',
        headers: { 'Accept-Encoding': 'identity' },
      });
      expect(
        [status, headers.get('content-length'), headers.get('content-type'), headers.get('etag')],
        path,
      ).toEqual([200, String(sizeBytes), mediaType, `"${sha256}"`]);
    }
  });

  test('?revision=N returns the file of that revision', async () => {
    const { textOf } = await importTwice(served.vendor);
    expect([await textOf(''), await textOf('?revision=1'), await textOf('?revision=2')]).toEqual([
      'new',
      'old',
      'new',
    ]);
  });

  test('concurrent requests each get their own file, with their own access rights', async () => {
    const [{ id, textOf }, other] = [
      await importTwice(served.vendor),
      await importTwice(served.vendor, 'other '),
    ];
    const stranger = await served.app.organization();
    const address = `/api/v8.0/${stranger.id}/modules/${id}/files/${INDEX}`;
    const refused = async () =>
      (await served.app.fetch(address, { headers: { Authorization: stranger.member } })).status;
    for (let round = 0; round < 10; round += 1) {
      const answers = [
        textOf(''),
        textOf(''),
        textOf('?revision=1'),
        other.textOf(''),
        refused(),
        textOf('', TERMS),
      ];
      expect(await Promise.all(answers)).toEqual(['new', 'new', 'old', 'other new', 404, '# Terms\n']);
    }
  });

  test('a read after an import or a deletion sees it, whatever reads are running', async () => {
    const { id, textOf } = await importTwice(served.vendor);
    const state = { isDone: false };
    const reading = (async () => {
      while (!state.isDone) await textOf('');
    })();
    for (let revision = 3; revision <= 6; revision += 1) {
      await importIndex(served.vendor, id, `text ${revision}`);
      expect(await textOf('')).toBe(`text ${revision}`);
    }
    const { status } = await served.app.as(served.vendor).delete(`/modules/${id}`);
    expect(status).toBe(204);
    expect(await textOf('')).toContain('/problems/not-found');
    state.isDone = true;
    await reading;
  });
});

describe('paths', () => {
  test.each(ODD_NAMES)('a file with an unusual name is found: %s', async (name) => {
    const answer = await served.file(`${BUILD}/${name}`);
    expect([answer.status, answer.text]).toEqual([200, `content of ${name}`]);
  });

  test.each(ODD_NAMES)('the download of a file with an unusual name keeps the name: %s', async (name) => {
    const disposition = (await served.file(`${BUILD}/${name}`)).headers.get('content-disposition') ?? '';
    const [, plain, encoded] =
      /^attachment; filename="([ -~]*)"; filename\*=UTF-8''(\S+)$/.exec(disposition) ?? [];
    expect(plain).not.toMatch(/["\\%]/);
    expect(encoded).toMatch(/^[\w!#$&+.^`|~%-]+$/);
    expect(decodeURIComponent(encoded ?? '')).toBe(name);
  });

  test('a name is found in either Unicode normal form', async () => {
    const name = 'Übersicht äöü.txt';
    expect((await served.file(`${BUILD}/${name.normalize('NFD')}`)).text).toBe(`content of ${name}`);
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
  ])('a path that is not a file of the module is 404: %s', async (path) => {
    const answer = await served.address(path);
    expect(answer.status, answer.text).toBe(404);
    expect(answer.body).toMatchObject({ type: '/problems/not-found' });
    expect(answer.headers.get('content-disposition')).toBeNull();
  });

  test.each(['%', `${BUILD}/100%.txt`, '%ff', '%c3%28', '%ed%a0%80'])(
    'a path that is not percent-encoded UTF-8 is 400: %s',
    async (path) => {
      const answer = await served.address(path);
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body).toMatchObject({ type: '/problems/request-invalid' });
    },
  );
});

describe("a file's bytes are hostile", () => {
  const FILES = [
    [`${BUILD}/index.html`, 'text/html', 'attachment'],
    [`${BUILD}/assets/index-4f2a91c7.js`, 'text/javascript', 'attachment'],
    ['ModuleToS/terms.md', 'text/markdown', 'attachment'],
    ['ModuleImage/chart.svg', 'image/svg+xml', 'attachment'],
    ['ModuleLogo/logo.png', 'image/png', 'inline'],
  ] as const;

  test.each(FILES)('%s is sent as %s, %s, and cannot run', async (path, type, disposition) => {
    const { status, headers } = await served.file(path);
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

  test('304 and 416 have the same security headers', async () => {
    for (const conditions of [{ 'If-None-Match': '*' }, { Range: 'bytes=99-' }]) {
      const { headers } = await served.alphabet(conditions);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    }
  });

  test('an inline raster image has exactly the bytes of the image', async () => {
    const response = await fetch(
      `${served.app.url}/api/v8.0/${served.vendor.id}/modules/${served.moduleId}/files/ModuleLogo/logo.png`,
      { headers: { Authorization: served.vendor.member } },
    );
    expect(Buffer.from(await response.arrayBuffer()).equals(PIXEL)).toBe(true);
  });

  test('a web page with the name of an image is rejected: the content decides the type', async () => {
    const { moduleFiles } = sampleDescriptor(served.app.api.catalogue);
    const answer = await served.app.importPackage(
      served.vendor,
      samplePackage(served.app.api.catalogue, {
        descriptor: { moduleFiles: [...moduleFiles, { file: 'ModuleImage/page.png' }] },
        files: { 'ModuleImage/page.png': '<!doctype html><script>alert(1)</script>' },
      }),
    );
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ entry: 'ModuleImage/page.png' }]);
  });
});
