import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ObjectMissingError, type Storage } from '../../shared/storage/storage.ts';

/** What a make of storage does with a write that has not ended. */
export type Unfinished =
  /** Its object is listed already. */
  | 'listed'
  /** `removeUnfinished` finds it. */
  | 'removable'
  /** Nothing of it is kept. */
  | 'nothing';

/** A storage to try, opened and closed by who uses the contract. */
export interface TriedStorage {
  readonly storage: Storage;
  readonly unfinished: Unfinished;
}

/** Tests what every make of storage must do. It may keep other objects; those of the tests are `files/` and `packages/`. */
export function testStorage(open: () => Promise<TriedStorage>): void {
  let storage: Storage;
  let unfinished: Unfinished;

  beforeAll(async () => {
    ({ storage, unfinished } = await open());
  });

  afterAll(() => storage.close());

  async function keys(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of storage.list('files/')) found.push(key);
    return found;
  }

  test('a buffer is returned byte for byte', async () => {
    const key = newKey();
    const bytes = randomBytes(1_000);
    expect(await storage.put(key, bytes)).toBe(1_000);
    expect(bytes.equals(await buffer(await storage.stream(key)))).toBe(true);
  });

  test('a body in pieces larger than one part is returned byte for byte', async () => {
    const key = newKey();
    const bytes = randomBytes(11 * 1024 * 1024 + 7);
    expect(await storage.put(key, inPieces(bytes, 700_001))).toBe(bytes.length);
    expect(bytes.equals(await buffer(await storage.stream(key)))).toBe(true);
  });

  test('a body of exactly one part is stored completely', async () => {
    const key = newKey();
    const bytes = randomBytes(5 * 1024 * 1024);
    await storage.put(key, inPieces(bytes, 65_536));
    expect(bytes.equals(await buffer(await storage.stream(key)))).toBe(true);
  });

  test('an empty body is an object of no bytes', async () => {
    const key = newKey();
    expect(await storage.put(key, inPieces(Buffer.alloc(0), 1))).toBe(0);
    expect(await buffer(await storage.stream(key))).toHaveLength(0);
  });

  test('a range returns exactly its bytes', async () => {
    const key = newKey();
    const bytes = randomBytes(100_000);
    await storage.put(key, bytes);
    expect(await storage.read(key, 99_990, 10)).toEqual(bytes.subarray(99_990));
    expect(await storage.read(key, 5, 0)).toHaveLength(0);
    expect(await buffer(await storage.stream(key, { offset: 7, length: 50_000 }))).toEqual(
      bytes.subarray(7, 50_007),
    );
  });

  test('a range past the end is refused, never truncated', async () => {
    const key = newKey();
    await storage.put(key, randomBytes(10));
    await expect(storage.read(key, 5, 10)).rejects.toThrow();
  });

  test('an unknown object cannot be read, and can be removed', async () => {
    const key = newKey();
    await expect(storage.read(key, 0, 1)).rejects.toThrow(ObjectMissingError);
    await expect(storage.stream(key).then((stream) => buffer(stream))).rejects.toThrow(ObjectMissingError);
    await expect(storage.remove(key)).resolves.toBeUndefined();
  });

  test('a body that fails in the middle leaves no object', async () => {
    const key = newKey();
    async function* broken(): AsyncGenerator<Buffer> {
      yield randomBytes(6 * 1024 * 1024);
      await Promise.resolve();
      throw new Error('the client disconnected');
    }
    await expect(storage.put(key, broken())).rejects.toThrow('the client disconnected');
    expect(await keys()).not.toContain(key);
  });

  test('the list has every object under the prefix, with its size', async () => {
    const key = newKey();
    await storage.put(key, randomBytes(123));
    const found = new Map<string, number>();
    for await (const object of storage.list('files/')) found.set(object.key, object.sizeBytes);
    expect(found.get(key)).toBe(123);
  });

  test('the list has every object of many in folders below the prefix', async () => {
    const keys = Array.from({ length: 150 }, (_, index) => `packages/deep/of-${index % 2}/object-${index}`);
    for (const key of keys) await storage.put(key, Buffer.from(key));
    const listed: string[] = [];
    for await (const { key } of storage.list('packages/deep/')) listed.push(key);
    expect(listed.toSorted()).toEqual(keys.toSorted());
  });

  test('a removed object cannot be read', async () => {
    const key = newKey();
    await storage.put(key, randomBytes(1));
    await storage.remove(key);
    expect(await keys()).not.toContain(key);
  });

  test('many concurrent objects are all stored', async () => {
    const wanted = Array.from({ length: 64 }, newKey);
    await Promise.all(wanted.map((key) => storage.put(key, Buffer.from(key))));
    const read = await Promise.all(wanted.map((key) => storage.read(key, 0, key.length)));
    expect(read.map(String)).toEqual(wanted);
  });

  test('remains of unfinished writes are removed, unless they are recent', async () => {
    const never = new AbortController();
    async function* stuck(): AsyncGenerator<Buffer> {
      yield randomBytes(6 * 1024 * 1024);
      yield randomBytes(6 * 1024 * 1024);
      if (!never.signal.aborted) await once(never.signal, 'abort');
      throw new Error('the client disconnected');
    }
    const beforeMs = Date.now();
    const key = newKey();
    const put = storage.put(key, stuck());
    put.catch(() => undefined);
    const hour = 3_600_000;
    expect(await storage.removeUnfinished('files/', new Date(beforeMs - hour))).toBe(0);
    const remove = () => storage.removeUnfinished('files/', new Date(beforeMs + hour));
    if (unfinished === 'listed') await expect.poll(keys).toContain(key);
    if (unfinished === 'removable') await expect.poll(remove).toBe(1);
    expect(await remove()).toBe(0);
    never.abort();
    await expect(put).rejects.toThrow();
    expect(await keys()).not.toContain(key);
  });
}

function newKey(): string {
  return `files/${randomUUID()}`;
}

async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let start = 0; start < bytes.length; start += pieceBytes)
    yield bytes.subarray(start, start + pieceBytes);
}
