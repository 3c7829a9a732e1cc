import { createHook } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DirectoryStorage } from '../../../shared/storage/directory-storage.ts';

let root: string;
let storage: DirectoryStorage;
const newKey = () => `files/${randomUUID()}`;

beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'directory-storage-'));
  storage = await DirectoryStorage.open(root);
  await storage.put(newKey(), Buffer.from('makes the folder'));
});

afterAll(() => rm(root, { recursive: true }));

/** The number of calls of the file system that an action makes in the thread pool. */
async function callsInPool(act: () => Promise<unknown>): Promise<number> {
  let calls = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type.startsWith('FSREQ') || type === 'FILEHANDLECLOSEREQ') calls += 1;
    },
  }).enable();
  await act();
  hook.disable();
  return calls;
}

test('a small package waits in the thread pool for the sync of its file and of its folder alone', async () => {
  const [key, bytes] = [newKey(), randomBytes(200_000)];
  expect(await callsInPool(() => storage.put(key, bytes))).toBe(2);
  expect((await storage.read(key, 0, bytes.length)).equals(bytes)).toBe(true);
});

test('up to 64 KiB are read without the thread pool, and more in it', async () => {
  const key = newKey();
  await storage.put(key, randomBytes(65_537));
  expect(await callsInPool(() => storage.read(key, 1, 65_536))).toBe(0);
  expect(await callsInPool(() => storage.read(key, 0, 65_537))).toBe(1);
});
