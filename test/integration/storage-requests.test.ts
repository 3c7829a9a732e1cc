import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Storage } from '../../shared/storage/storage.ts';
import type { RunningWorker } from '../../worker/run-worker.ts';
import { importInto } from '../support/exported-package.ts';
import { postponeCollection } from '../support/postpone-collection.ts';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
let worker: RunningWorker;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  await postponeCollection(app.api.database);
  worker = await app.startWorker();
});

afterAll(() => app.stop());

/** Records the calls that a process makes to its storage; a storage's calls to itself are not requests. */
function noteCalls(context: { readonly storage: Storage }): readonly string[] {
  const calls: string[] = [];
  const storage = new Proxy(context.storage, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]): unknown => {
        calls.push(String(name));
        return Reflect.apply(member, target, values);
      };
    },
  });
  Object.assign(context, { storage });
  return calls;
}

/** Imports a package with this many built files; returns its length, and the storage calls of each process. */
async function importFiles(count: number, bytes: number) {
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`PackageArtifact/build/${index}`, randomBytes(bytes)]),
  );
  const zip = samplePackage(app.api.catalogue, { files });
  const calls = { api: noteCalls(app.api), worker: noteCalls(worker.context) };
  await importInto(app, await app.organization(), zip);
  return { sizeBytes: zip.length, ...calls };
}

test('a package of ten files is written to storage once, by the API, and read from it once, by the worker', async () => {
  const calls = await importFiles(10, 2_000);
  expect(calls).toMatchObject({ api: ['put'], worker: ['read'] });
});

test('a package of 300 files that is too large for one read is written once, and read in at most three requests', async () => {
  const calls = await importFiles(300, 8_000);
  expect(calls.sizeBytes).toBeGreaterThan(2 * 1024 * 1024);
  expect(calls.api).toEqual(['put']);
  expect(calls.worker.length).toBeGreaterThan(0);
  expect(calls.worker.length).toBeLessThanOrEqual(3);
  for (const call of calls.worker) expect(['read', 'stream']).toContain(call);
});
