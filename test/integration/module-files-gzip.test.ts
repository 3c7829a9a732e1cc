import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { samplePackage } from '../support/sample-package.ts';
import { ALPHABET, BUILD, PACKED, startServedModule, type ServedModule } from '../support/served-module.ts';

let served: ServedModule;

beforeAll(async () => {
  served = await startServedModule();
});

afterAll(() => served.app.stop());

interface RawAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Reads a file with exactly these headers: fetch would request gzip and unpack it. */
async function read(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', moduleId = served.moduleId } = {},
): Promise<RawAnswer> {
  const { app, vendor } = served;
  const address = new URL(`/api/v8.0/${vendor.id}/modules/${moduleId}/files/${path}`, app.url);
  const options = { method, headers: { Authorization: vendor.member, ...headers } };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.request(address, options, resolve).once('error', reject).end();
  });
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: await buffer(response) };
}

const GZIP = { 'Accept-Encoding': 'gzip' };
const packed = `${BUILD}/packed.txt`;

describe('a file that is deflated in its archive', () => {
  test('is sent as gzip to a client that accepts it: the bytes of the archive between header and trailer', async () => {
    const { status, headers, bytes } = await read(packed, GZIP);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(bytes.length),
      'content-type': 'text/plain',
      vary: 'Accept-Encoding',
    });
    expect(gunzipSync(bytes).toString()).toBe(PACKED);
    const row = await served.app.api
      .database('module_files as f')
      .join('module_revisions as r', (join) => join.using(['moduleId', 'revision']))
      .where({ moduleId: served.moduleId, path: packed })
      .first<{ archiveKey: string; dataOffset: number; packedBytes: number }>();
    const data = await served.app.api.storage.read(row.archiveKey, row.dataOffset, row.packedBytes);
    expect(bytes.subarray(10, -8).equals(data)).toBe(true);
  });

  test.each([
    [{}],
    [{ 'Accept-Encoding': 'identity' }],
    [{ 'Accept-Encoding': 'br' }],
    [{ 'Accept-Encoding': 'gzip;q=0' }],
    [{ 'Accept-Encoding': 'identity;q=1, gzip;q=0.5' }],
  ])('is sent inflated to a client that does not accept or prefer gzip: %j', async (wanted) => {
    const { headers, bytes } = await read(packed, wanted);
    expect(bytes.toString()).toBe(PACKED);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['content-length']).toBe(String(PACKED.length));
    expect(headers.vary).toBe('Accept-Encoding');
  });

  test('has a strong ETag for each form, which matches only that form', async () => {
    const [gzip, plain] = [await read(packed, GZIP), await read(packed)];
    const tags = [gzip.headers.etag ?? '', plain.headers.etag ?? ''];
    for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/);
    expect(tags[0]).not.toBe(tags[1]);
    const statusOf = async (tag: string | undefined, headers: Readonly<Record<string, string>>) =>
      (await read(packed, { 'If-None-Match': tag ?? '', ...headers })).status;
    expect(await statusOf(tags[0], GZIP)).toBe(304);
    expect(await statusOf(tags[1], GZIP)).toBe(200);
    expect(await statusOf(tags[1], {})).toBe(304);
    expect(await statusOf(tags[0], {})).toBe(200);
  });

  test.each([[GZIP], [{}]])(
    'is answered with the same headers for HEAD as for GET, and no body: %j',
    async (headers) => {
      const [get, head] = [await read(packed, headers), await read(packed, headers, { method: 'HEAD' })];
      const names = ['content-length', 'content-encoding', 'content-type', 'etag', 'vary'] as const;
      expect(names.map((name) => head.headers[name])).toEqual(names.map((name) => get.headers[name]));
      expect(head.bytes).toHaveLength(0);
    },
  );

  test.each([[GZIP], [{}]])('is sent completely for a range request: %j', async (headers) => {
    const whole = await read(packed, headers);
    const ranged = await read(packed, { ...headers, Range: 'bytes=0-3' });
    expect(ranged.status).toBe(200);
    expect(ranged.headers['accept-ranges']).toBe('none');
    expect(ranged.bytes.equals(whole.bytes)).toBe(true);
  });

  test('has another gzip ETag if the same content is compressed differently', async () => {
    const path = `${BUILD}/again.txt`;
    const moduleIds = [PACKED, PACKED].map((content, index) =>
      importSample(served.app, served.vendor, {
        files: { [path]: content },
        ...(index === 1 && { stored: [path] }),
      }),
    );
    const [deflated = '', stored = ''] = await Promise.all(moduleIds);
    const tag = async (moduleId: string) => (await read(path, GZIP, { moduleId })).headers.etag;
    expect(await tag(deflated)).not.toBe(await tag(stored));
    const plain = async (moduleId: string) => (await read(path, {}, { moduleId })).headers.etag;
    expect(await plain(deflated)).toBe(await plain(stored));
  });
});

test('a file that is stored in its archive has one form, whatever the client accepts', async () => {
  const { headers, bytes } = await read(`${BUILD}/alphabet.txt`, GZIP);
  expect(bytes.toString()).toBe(ALPHABET);
  expect(headers['content-encoding']).toBeUndefined();
  expect(headers['accept-ranges']).toBe('bytes');
});

describe('a large file', () => {
  const large = Buffer.concat([randomBytes(3_000_000), Buffer.alloc(3_000_000, 'x')]);
  const path = `${BUILD}/large.bin`;
  let moduleId: string;

  beforeAll(async () => {
    moduleId = await importSample(served.app, served.vendor, { files: { [path]: large } });
  });

  test('has the same bytes as gzip and inflated', async () => {
    const gzip = await read(path, GZIP, { moduleId });
    expect(gzip.headers['content-length']).toBe(String(gzip.bytes.length));
    expect(gunzipSync(gzip.bytes).equals(large)).toBe(true);
    expect((await read(path, {}, { moduleId })).bytes.equals(large)).toBe(true);
  });

  test('is never sent completely if its bytes differ from the import', async () => {
    const { storage, database } = served.app.api;
    const zip = samplePackage(served.app.api.catalogue, { files: { [path]: large }, stored: [path] });
    const { body } = await served.app.importPackage(served.vendor, zip);
    const other = body.moduleId as string;
    const row = await database('module_revisions').where({ moduleId: other }).first<{ archiveKey: string }>();
    zip[zip.indexOf(large)] = (large[0] ?? 0) ^ 1;
    await storage.remove(row.archiveKey);
    await storage.put(row.archiveKey, zip);
    await expect(read(path, {}, { moduleId: other })).rejects.toThrow('aborted');
  });
});

test('a small file whose bytes differ from the import is 503, and is not sent', async () => {
  const { storage, database, catalogue } = served.app.api;
  const path = `${BUILD}/small.txt`;
  const zip = samplePackage(catalogue, { files: { [path]: 'what was imported' }, stored: [path] });
  const { body } = await served.app.importPackage(served.vendor, zip);
  const moduleId = body.moduleId as string;
  const row = await database('module_revisions').where({ moduleId }).first<{ archiveKey: string }>();
  zip.write('what was damaged', zip.indexOf('what was imported'));
  await storage.remove(row.archiveKey);
  await storage.put(row.archiveKey, zip);
  const answer = await read(path, {}, { moduleId });
  expect(answer.status).toBe(503);
  expect(answer.bytes.toString()).not.toContain('damaged');
});
