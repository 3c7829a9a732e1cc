import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Storage } from '../../shared/storage.ts';
import type { RunningWorker } from '../../worker/run-worker.ts';
import { importInto } from '../support/exported-package.ts';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp } from '../support/test-app.ts';

let app: TestApp;
let worker: RunningWorker;

beforeEach(async () => {
  app = await startTestApp({ worker: false });
  worker = await app.startWorker();
});

afterEach(() => app.stop());

/** Counts the requests that write or read bytes. */
function countRequests(storage: Storage) {
  const [put, read, stream] = [
    vi.spyOn(storage, 'put'),
    vi.spyOn(storage, 'read'),
    vi.spyOn(storage, 'stream'),
  ];
  return () => ({ writes: put.mock.calls.length, reads: read.mock.calls.length + stream.mock.calls.length });
}

/** Imports a package with so many built files; tells its length, and what each process requests of storage. */
async function importFiles(count: number, bytes: number) {
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`PackageArtifact/build/${index}`, randomBytes(bytes)]),
  );
  const zip = samplePackage(app.api.catalogue, { files });
  const counts = [countRequests(app.api.storage), countRequests(worker.context.storage)];
  await importInto(app, await app.organization(), zip);
  const [api, jobs] = counts.map((count) => count());
  return { sizeBytes: zip.length, api, jobs };
}

test('a package of ten files is written to storage once, by the API, and read from it once, by the worker', async () => {
  const { api, jobs } = await importFiles(10, 2_000);
  expect(api).toEqual({ writes: 1, reads: 0 });
  expect(jobs).toEqual({ writes: 0, reads: 1 });
});

test('a package of 2,000 files that is too large to be read at once is written once, and read in three requests at most', async () => {
  const { sizeBytes, api, jobs } = await importFiles(2_000, 2_000);
  expect(sizeBytes).toBeGreaterThan(2 * 1024 * 1024);
  expect(api).toEqual({ writes: 1, reads: 0 });
  expect(jobs?.writes).toBe(0);
  expect(jobs?.reads).toBeGreaterThan(0);
  expect(jobs?.reads).toBeLessThanOrEqual(3);
});
