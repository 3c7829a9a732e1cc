import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { loadCatalogue } from '../../../shared/catalogue/catalogue.ts';
import { writeZip, type ZipFile } from '../../../shared/package/archive/write-zip.ts';
import { sampleDescriptor } from '../../support/sample-package.ts';
import { sharedStack } from '../../support/shared-stack.ts';

const MiB = 1024 * 1024;
const dataDir = path.join(inject('scratch'), `stack-${randomUUID()}`);
const local = sharedStack(dataDir);

function importAddress(): string {
  return `${local.stack.url}/api/v8.0/${local.stack.organizationId}/ImportModuleAsync`;
}

/** A package with this many incompressible files of this size, in pieces. */
async function* largePackage(files: number, bytes: number): AsyncGenerator<Buffer> {
  function* contents(): Generator<ZipFile> {
    yield {
      path: 'moduleSchema.json',
      content: Buffer.from(JSON.stringify({ ...sampleDescriptor(loadCatalogue()), moduleFiles: [] })),
    };
    for (let index = 0; index < files; index += 1) {
      yield { path: `PackageArtifact/build/data-${index}.bin`, content: randomBytes(bytes) };
    }
  }
  yield* writeZip(contents());
}

/** Uploads pieces without buffering them; resolves with status and body. */
async function upload(
  pieces: AsyncIterable<Buffer>,
  onSent: () => void = () => undefined,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const request = http.request(importAddress(), {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${local.stack.token}`,
      'Content-Type': 'multipart/form-data; boundary=x',
    },
  });
  const answer = new Promise<http.IncomingMessage>((resolve, reject) =>
    request.on('response', resolve).on('error', reject),
  );
  request.write('--x\r\nContent-Disposition: form-data; name="file"; filename="large.zip"\r\n\r\n');
  for await (const piece of pieces) {
    if (!request.write(piece)) await new Promise((resolve) => request.once('drain', resolve));
  }
  request.end('\r\n--x--\r\n', onSent);
  const response = await answer;
  let text = '';
  for await (const bytes of response) text += String(bytes);
  return { status: response.statusCode ?? 0, body: JSON.parse(text) as Record<string, unknown> };
}

async function peakResidentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

test('the waiting request gets its 200 even if the worker is killed during the import', async () => {
  const [before = 0] = (await local.stack.pids('worker')).slice(-1);
  const { status, body } = await upload(largePackage(24, 4 * MiB), () =>
    setTimeout(() => process.kill(before, 'SIGKILL'), 60),
  );
  expect(status).toBe(200);
  expect(body).toMatchObject({ outcome: 'created' });
  expect((await local.stack.pids('worker')).at(-1)).not.toBe(before);
});

test('a package of 600 MB leaves API and worker below 300 MB resident, and writes only to the store', async () => {
  const { status, body } = await upload(largePackage(15, 40 * MiB));
  expect(status, JSON.stringify(body)).toBe(200);
  const [api = 0, worker = 0] = [
    (await local.stack.pids('api')).at(-1),
    (await local.stack.pids('worker')).at(-1),
  ];
  expect(await peakResidentMiB(api)).toBeLessThan(300);
  expect(await peakResidentMiB(worker)).toBeLessThan(300);
  const written = (await readdir(dataDir)).toSorted();
  expect(written).toEqual([
    'encryption-key',
    'example-module.zip',
    'issuer.json',
    'logs',
    'objects',
    'postgres',
  ]);
}, 240_000);
