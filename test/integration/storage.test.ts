import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStorage } from '../../shared/storage/open-storage.ts';
import { ObjectMissingError } from '../../shared/storage/storage.ts';
import { testStorage } from '../support/storage-contract.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
});

afterAll(() => app.stop());

testStorage(async () => ({
  storage: await openStorage(app.config),
  // In a directory it already has its key, so collection finds it among the objects.
  unfinished: app.config.s3 === null ? 'listed' : 'removable',
}));

test('a key of a forbidden form is refused by the directory store', async () => {
  if (app.config.s3 !== null) return;
  const storage = await openStorage(app.config);
  await expect(storage.put('../escape', Buffer.alloc(1))).rejects.toThrow(RangeError);
});

test('without its directory, which may come back, the directory store has lost no object', async () => {
  if (app.config.s3 !== null) return;
  const dataDir = path.join(app.config.dataDir, 'away');
  const storage = await openStorage({ ...app.config, dataDir });
  await storage.put('packages/one', Buffer.alloc(1));
  await rm(dataDir, { recursive: true });
  const error: unknown = await storage.read('packages/one', 0, 1).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect(error).not.toBeInstanceOf(ObjectMissingError);
});
