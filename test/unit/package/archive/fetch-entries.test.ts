import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DEFAULT_PACKAGE_LIMITS } from '../../../../shared/package/limits.ts';
import { bufferSource } from '../../../../shared/package/archive/source.ts';
import { readDirectory } from '../../../../shared/package/archive/read-directory.ts';
import { readEntries } from '../../../../shared/package/archive/read-entries.ts';
import { buildZip } from '../../../support/zip-builder.ts';
import { countingSource, keepingVisitor, readArchive } from './read-archive.ts';

const MiB = 1024 * 1024;
const limits = DEFAULT_PACKAGE_LIMITS;

describe('fetching from the source', () => {
  const small = { path: 'small', content: 'small' };
  const large = { path: 'large', content: randomBytes(2.5 * MiB) };
  const largePackage = buildZip([large, small, { path: 'c', content: 'c' }]);

  test('a small package is fetched once, in one read', async () => {
    const archive = buildZip([small, { path: 'b', content: randomBytes(1 * MiB) }]);
    const source = countingSource(archive, 1000);
    const { problems } = await readArchive(source);
    expect(problems).toEqual([]);
    expect(source.fetched).toBe(archive.length);
  });

  test.each([100, 65_536, 10 * MiB])(
    'a large package is fetched once, in pieces of %d bytes',
    async (piece) => {
      const source = countingSource(largePackage, piece);
      const { problems, files } = await readArchive(source);
      expect(problems).toEqual([]);
      expect(files.get('large')?.equals(large.content)).toBe(true);
      expect(source.fetched).toBeLessThan(largePackage.length * 1.05);
    },
  );

  test('a large directory is fetched in two reads and nothing twice', async () => {
    // The directory alone has over 180 kB, nearly three times the tail.
    const entries = Array.from({ length: 3_000 }, (_, index) => ({
      path: `folder/number-${index}`,
      content: 'x',
      method: 'stored' as const,
    }));
    const archive = buildZip([...entries, { path: 'big', content: randomBytes(2 * MiB) }]);
    const source = countingSource(archive, 65_536);
    const { problems, files } = await readArchive(source);
    expect(problems).toEqual([]);
    expect(files.size).toBe(3_001);
    expect(source.fetched).toBeLessThan(archive.length * 1.05);
  });

  test('a directory longer than the tail that was read is fetched again, in one read', async () => {
    const comment = Buffer.alloc(50_000);
    const entries = ['a', 'b', 'c'].map((path) => ({ path, content: path, central: { comment } }));
    const archive = buildZip([...entries, { path: 'big', content: randomBytes(2 * MiB) }]);
    const source = countingSource(archive, 65_536);
    const { problems, files } = await readArchive(source);
    expect(problems).toEqual([]);
    expect([...files.keys()]).toEqual(['a', 'b', 'c', 'big']);
    expect(source.fetched).toBeLessThan(archive.length + 70_000);
  });

  test.each([
    ['1 MiB, however few entries are allowed', 20, 1 * MiB],
    [
      'its headers, the longest paths and 256 bytes more for each allowed entry',
      2_000,
      2_000 * (46 + 512 + 256),
    ],
  ])('a directory has at most %s', async (_what, maxEntries, most) => {
    const ofDirectory = (bytes: number) => {
      const comment = Buffer.alloc(65_000);
      const full = Math.floor(bytes / (46 + 2 + comment.length));
      const entries = Array.from({ length: full }, (_, index) => ({
        path: `${10 + index}`,
        central: { comment },
      }));
      const left = bytes - full * (46 + 2 + comment.length) - (46 + 4);
      return buildZip([...entries, { path: 'last', central: { comment: comment.subarray(0, left) } }]);
    };
    const codes = async (bytes: number) =>
      (await readArchive(ofDirectory(bytes), { maxEntries })).problems.map(({ code }) => code);
    expect(await codes(most)).toEqual([]);
    expect(await codes(most + 1)).toEqual(['archive-too-many-entries']);
  });

  test('of a refused package only the tail is fetched', async () => {
    const source = countingSource(buildZip([large, { path: '../evil' }]), 65_536);
    source.stream = () => expect.unreachable('its entries are not read');
    const { problems } = await readArchive(source);
    expect(problems).toHaveLength(1);
    expect(source.fetched).toBeLessThan(70_000);
  });

  test('the source is closed at the end, and where the visitor fails', async () => {
    const source = bufferSource(largePackage);
    let closed = 0;
    const closing = {
      ...source,
      async *stream(offset: number, length: number) {
        try {
          yield* source.stream(offset, length);
        } finally {
          closed += 1;
        }
      },
    };
    const directory = await readDirectory(source, limits);
    const visitor = keepingVisitor(false);
    await readEntries(closing, directory, limits, visitor);
    expect(closed).toBe(1);
    const failing = {
      ...visitor,
      passed: () => {
        throw new Error('the disk is full');
      },
    };
    await expect(readEntries(closing, directory, limits, failing)).rejects.toThrow('the disk is full');
    expect(closed).toBe(2);
  });

  test('an error of the source is rethrown, and the file is not delivered', async () => {
    const source = bufferSource(largePackage);
    const broken = {
      ...source,
      async *stream(offset: number, length: number) {
        for await (const piece of source.stream(offset, length)) yield piece.subarray(0, 2 * MiB);
        throw new Error('connection reset');
      },
    };
    const visitor = keepingVisitor(false);
    const directory = await readDirectory(source, limits);
    await expect(readEntries(broken, directory, limits, visitor)).rejects.toThrow(
      new Error('connection reset'),
    );
    expect(visitor.files.size).toBe(0);
  });

  test('a source that ends early is an internal error, not a problem of the package', async () => {
    const source = bufferSource(largePackage);
    const short = {
      ...source,
      stream: (offset: number, length: number) => source.stream(offset, length / 2),
    };
    const directory = await readDirectory(source, limits);
    await expect(readEntries(short, directory, limits, keepingVisitor(false))).rejects.toThrow(
      'ended before',
    );
  });
});

test('a source in memory returns the ranges it has, and no others', async () => {
  const source = bufferSource(Buffer.from('abcdef'));
  expect(source.sizeBytes).toBe(6);
  expect((await source.read(2, 3)).toString()).toBe('cde');
  expect((await source.read(0, 6)).toString()).toBe('abcdef');
  expect(await source.read(6, 0)).toHaveLength(0);
  for (const [offset, length] of [
    [-1, 2],
    [2, -1],
    [4, 3],
    [7, 0],
  ] as const) {
    await expect(source.read(offset, length)).rejects.toThrow(
      new RangeError('read past the end of the package'),
    );
  }
  const pieces: string[] = [];
  for await (const piece of source.stream(1, 4)) pieces.push(piece.toString());
  expect(pieces.join('')).toBe('bcde');
});
