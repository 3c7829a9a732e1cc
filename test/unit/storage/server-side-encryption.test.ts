import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../shared/config/config.ts';
import { PART_BYTES } from '../../../shared/storage/part-buffers.ts';
import { S3Storage } from '../../../shared/storage/s3-storage.ts';

const HEADER = 'x-amz-server-side-encryption';

/** The requests that a store gets, each with its encryption header; it accepts everything. */
async function requestsOf(
  settings: Readonly<Record<string, string>>,
  act: (storage: S3Storage) => Promise<unknown>,
): Promise<readonly string[]> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '', 'http://s3');
    seen.push(
      `${request.method ?? ''}${address.search.replace(/=.*/, '')} ${String(request.headers[HEADER])}`,
    );
    request.resume().once('end', () => {
      response.setHeader('ETag', '"e"');
      if (request.method === 'PUT') response.end();
      else response.end('<Result><UploadId>u</UploadId></Result>');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { s3 } = loadConfig({
    S3_BUCKET: 'b',
    S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 's',
    ...settings,
  });
  if (s3 === null) throw new Error('no bucket');
  const storage = new S3Storage(s3);
  await act(storage).finally(() => storage.close());
  return seen;
}

async function* pieces(bytes: number) {
  yield Promise.resolve(Buffer.alloc(bytes));
}

test.each(['AES256', 'aws:kms'])(
  'every object is stored with the request to encrypt it with %s',
  async (encryption) => {
    const settings = { S3_SERVER_SIDE_ENCRYPTION: encryption };
    const small = Buffer.from('x');
    expect(await requestsOf(settings, (storage) => storage.put('k', small))).toEqual([
      `PUT?x-id ${encryption}`,
    ]);
    expect(await requestsOf(settings, (storage) => storage.put('k', pieces(1)))).toEqual([
      `PUT?x-id ${encryption}`,
    ]);
    const large = await requestsOf(settings, (storage) => storage.put('k', pieces(PART_BYTES + 1)));
    // The parts of an upload have its encryption.
    expect(large[0]).toBe(`POST?uploads ${encryption}`);
    expect(large).toHaveLength(4);
  },
);

test('without the setting the bucket decides', async () => {
  const large = await requestsOf({}, (storage) => storage.put('k', pieces(PART_BYTES + 1)));
  const small = await requestsOf({}, (storage) => storage.put('k', Buffer.from('x')));
  for (const request of [...large, ...small]) expect(request).toMatch(/ undefined$/);
});

test('another encryption is refused at start', () => {
  const bucket = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 's' };
  expect(() => loadConfig({ ...bucket, S3_SERVER_SIDE_ENCRYPTION: 'rot13' })).toThrow(
    'S3_SERVER_SIDE_ENCRYPTION must be one of AES256, aws:kms',
  );
});
