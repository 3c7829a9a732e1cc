import { randomBytes } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import { listProblems } from '../../../shared/package/problem.ts';
import { bufferSource } from '../../../shared/package/source.ts';
import { readDirectory } from '../../../shared/package/zip/read-directory.ts';
import { readEntries } from '../../../shared/package/zip/read-entries.ts';
import { buildZip } from '../../support/zip-builder.ts';
import { countingSource, keepingVisitor, readArchive } from './read-archive.ts';

const MiB = 1024 * 1024;
const limits = DEFAULT_PACKAGE_LIMITS;

describe('fetching from the source', () => {
  const small = { path: 'small', content: 'small' };
  const large = { path: 'large', content: randomBytes(4 * MiB) };

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
      const archive = buildZip([small, large, { path: 'c', content: 'c' }]);
      const source = countingSource(archive, piece);
      const { problems, files } = await readArchive(source);
      expect(problems).toEqual([]);
      expect(files.get('large')?.equals(large.content)).toBe(true);
      expect(source.fetched).toBeLessThan(archive.length * 1.05);
    },
  );

  test('a large directory is fetched in two reads and nothing twice', async () => {
    const entries = Array.from({ length: 20_000 }, (_, index) => ({
      path: `folder/number-${index}`,
      content: 'x',
    }));
    const archive = buildZip([...entries, { path: 'big', content: randomBytes(2 * MiB) }]);
    const source = countingSource(archive, 65_536);
    const { problems, files } = await readArchive(source);
    expect(problems).toEqual([]);
    expect(files.size).toBe(20_001);
    expect(source.fetched).toBeLessThan(archive.length * 1.05);
  });

  test('a directory that is longer than the end that was read is fetched again, in one read', async () => {
    const comment = Buffer.alloc(50_000);
    const entries = ['a', 'b', 'c'].map((path) => ({ path, content: path, central: { comment } }));
    const archive = buildZip([...entries, { path: 'big', content: randomBytes(2 * MiB) }]);
    const source = countingSource(archive, 65_536);
    const { problems, files } = await readArchive(source);
    expect(problems).toEqual([]);
    expect([...files.keys()]).toEqual(['a', 'b', 'c', 'big']);
    expect(source.fetched).toBeLessThan(archive.length + 70_000);
  });

  test('a directory may take 1 MiB, however few entries are allowed', async () => {
    const archive = buildZip([{ path: 'a', central: { comment: Buffer.alloc(20_000) } }]);
    expect((await readArchive(archive, { maxEntries: 20 })).problems).toEqual([]);
  });

  test('a refused package costs its end only', async () => {
    const source = countingSource(buildZip([large, { path: '../evil' }]), 65_536);
    const { problems } = await readArchive(source);
    expect(problems).toHaveLength(1);
    expect(source.fetched).toBeLessThan(70_000);
  });

  test('a fault of the source passes through and aborts the file', async () => {
    const source = bufferSource(buildZip([large, small]));
    const broken = {
      ...source,
      async *stream(offset: number, length: number) {
        for await (const piece of source.stream(offset, length)) yield piece.subarray(0, 2 * MiB);
        throw new Error('connection reset');
      },
    };
    const visitor = keepingVisitor(false);
    const directory = await readDirectory(source, limits);
    await expect(readEntries(broken, directory, limits, visitor)).rejects.toThrow('connection reset');
    expect(visitor.aborted).toEqual(['large']);
  });

  test('a source that ends early is a fault, not a problem of the package', async () => {
    const source = bufferSource(buildZip([large, small]));
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

test('a source in memory gives the ranges it holds, and no others', async () => {
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

describe('the visitor', () => {
  const archive = buildZip([
    { path: 'first', content: 'first' },
    { path: 'folder/' },
    { path: 'large', content: randomBytes(3 * MiB) },
    { path: 'last', content: 'last' },
  ]);

  test('gets files in the order of their offsets and folders not at all', async () => {
    const { files } = await readArchive(archive, {}, false);
    expect([...files.keys()]).toEqual(['first', 'large', 'last']);
  });

  test('is waited for, piece by piece', async () => {
    const directory = await readDirectory(bufferSource(archive), limits);
    let busy = 0;
    let most = 0;
    const slow = async (): Promise<void> => {
      most = Math.max(most, ++busy);
      await new Promise((resolve) => setTimeout(resolve, 1));
      busy--;
    };
    await readEntries(bufferSource(archive), directory, limits, {
      wantsWhole: ({ path }) => path === 'last',
      whole: slow,
      pieces: () => ({ write: slow, end: slow, abort: slow }),
    });
    expect(most).toBe(1);
  });

  test.each(['first', 'large'])(
    'whose writing of %s fails ends the reading with its own fault',
    async (path) => {
      const directory = await readDirectory(bufferSource(archive), limits);
      const ended: string[] = [];
      const reading = readEntries(bufferSource(archive), directory, limits, {
        wantsWhole: () => false,
        whole: () => undefined,
        pieces: (entry) => ({
          write: () => (entry.path === path ? Promise.reject(new Error('disk full')) : undefined),
          end: () => void ended.push(`end ${entry.path}`),
          abort: () => void ended.push(`abort ${entry.path}`),
        }),
      });
      await expect(reading).rejects.toThrow('disk full');
      expect(ended.at(-1)).toBe(`abort ${path}`);
    },
  );

  test.each(['first', 'large'])('whose end of %s fails has the file aborted', async (path) => {
    const directory = await readDirectory(bufferSource(archive), limits);
    for (const fail of [
      () => Promise.reject(new Error('disk full')),
      () => {
        throw new Error('disk full');
      },
    ]) {
      const ended: string[] = [];
      const reading = readEntries(bufferSource(archive), directory, limits, {
        wantsWhole: () => false,
        whole: () => undefined,
        pieces: (entry) => ({
          write: () => undefined,
          end: () => (entry.path === path ? fail() : undefined),
          abort: () => void ended.push(entry.path),
        }),
      });
      await expect(reading).rejects.toThrow('disk full');
      if (path === 'first') expect(ended).toEqual(['first']);
    }
  });

  test('whose writing fails at once has the file aborted, before the reading ends', async () => {
    const directory = await readDirectory(bufferSource(archive), limits);
    const events: string[] = [];
    const reading = readEntries(bufferSource(archive), directory, limits, {
      wantsWhole: () => false,
      whole: () => undefined,
      pieces: () => ({
        write: () => {
          throw new Error('disk full');
        },
        end: () => void events.push('end'),
        abort: async () => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          events.push('aborted');
        },
      }),
    });
    await expect(reading).rejects.toThrow('disk full');
    expect(events).toEqual(['aborted']);
  });

  test('gets nothing written of an empty file, and its end', async () => {
    const bytes = buildZip([{ path: 'empty' }, { path: 'empty.deflate', method: 'deflate' }]);
    const directory = await readDirectory(bufferSource(bytes), limits);
    const events: string[] = [];
    await readEntries(bufferSource(bytes), directory, limits, {
      wantsWhole: () => false,
      whole: () => undefined,
      pieces: ({ path }) => ({
        write: () => void events.push(`write ${path}`),
        end: () => void events.push(`end ${path}`),
        abort: () => undefined,
      }),
    });
    expect(events).toEqual(['end empty', 'end empty.deflate']);
  });

  test('keeps little more of the archive alive than the bytes of a small file', async () => {
    const content = randomBytes(10_000);
    const bytes = buildZip([
      { path: 'small', content, method: 'stored' },
      { path: 'large', content: randomBytes(500_000) },
    ]);
    const { files } = await readArchive(bytes);
    expect(files.get('small')?.equals(content)).toBe(true);
    expect(files.get('small')?.buffer.byteLength).toBeLessThan(30_000);
  });

  test('is told of progress up to the end of the entries', async () => {
    const directory = await readDirectory(bufferSource(archive), limits);
    const told: number[] = [];
    await readEntries(bufferSource(archive), directory, limits, keepingVisitor(false), (bytes) =>
      told.push(bytes),
    );
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(directory.directoryOffset);
    expect(told.length).toBeGreaterThan(2);
  });

  test('gets corrupt files not at all, or aborted, and all others', async () => {
    const wrong = { crc32: 1 };
    const damaged = buildZip([
      { path: 'small-corrupt', content: 'x', local: wrong, central: wrong },
      { path: 'good', content: 'good' },
      { path: 'large-corrupt', content: randomBytes(2 * MiB), local: wrong, central: wrong },
      { path: 'disagreeing', content: 'x', local: { method: 3 } },
      { path: 'last', content: 'last' },
    ]);
    const reading = await readArchive(damaged, {}, false);
    expect(reading.entryProblems.map(({ code, entry }) => [code, entry])).toEqual([
      ['archive-entry-corrupt', 'small-corrupt'],
      ['archive-entry-corrupt', 'large-corrupt'],
      ['archive-entry-headers-disagree', 'disagreeing'],
    ]);
    expect([...reading.files.keys()]).toEqual(['good', 'last']);
    expect(reading.aborted).toEqual(['large-corrupt']);
  });

  test('never gets more of a file than it declares', async () => {
    const declared = 4 * MiB;
    const size = { sizeBytes: declared };
    const bomb = buildZip([{ path: 'bomb', content: Buffer.alloc(64 * MiB), local: size, central: size }]);
    const directory = await readDirectory(bufferSource(bomb), limits);
    let received = 0;
    const problems = await readEntries(bufferSource(bomb), directory, limits, {
      wantsWhole: () => false,
      whole: () => undefined,
      pieces: () => ({
        write: (piece) => void (received += piece.length),
        end: () => undefined,
        abort: () => undefined,
      }),
    });
    expect(problems.map(({ code }) => code)).toEqual(['archive-entry-corrupt']);
    expect(received).toBeLessThanOrEqual(declared);
  });
});

describe('limits counted on real bytes', () => {
  test('many entries that declare little stop the reading once the archive has unpacked too much', async () => {
    const size = { sizeBytes: 300_000 };
    const lying = Array.from({ length: 20 }, (_, index) => ({
      path: `bomb-${index}`,
      content: Buffer.alloc(2 * MiB),
      local: size,
      central: size,
    }));
    const reading = await readArchive(buildZip(lying), { maxUnpackedBytes: 6_000_000 }, false);
    const codes = new Set(reading.entryProblems.map(({ code }) => code));
    expect(codes).toEqual(new Set(['archive-entry-corrupt', 'archive-expands-too-far']));
    expect(reading.entryProblems.at(-1)?.code).toBe('archive-expands-too-far');
  });

  test('small entries count too once others have unpacked too much, and nothing is read after them', async () => {
    const size = { sizeBytes: 300_000 };
    const lying = Array.from({ length: 2 }, (_, index) => ({
      path: `bomb-${index}`,
      content: Buffer.alloc(2 * MiB),
      local: size,
      central: size,
    }));
    const small = Array.from({ length: 10 }, (_, index) => ({
      path: `small-${index}`,
      content: Buffer.alloc(50_000),
    }));
    const archive = buildZip([...lying, ...small, { path: 'after', content: 'x' }]);
    // 1,100,001 bytes are declared, and each lying entry unpacks a piece more before it is stopped.
    const reading = await readArchive(archive, { maxUnpackedBytes: 1_110_000 }, false);
    expect(reading.entryProblems.map(({ code, entry }) => [code, entry])).toEqual([
      ['archive-entry-corrupt', 'bomb-0'],
      ['archive-entry-corrupt', 'bomb-1'],
      ['archive-expands-too-far', 'small-9'],
    ]);
    expect([...reading.files.keys()]).toEqual(small.slice(0, 9).map(({ path }) => path));
  });

  test('exactly what an archive may unpack to is read', async () => {
    const archive = buildZip([
      { path: 'a', content: Buffer.alloc(400_000) },
      { path: 'b', content: Buffer.alloc(1000) },
    ]);
    expect((await readArchive(archive, { maxUnpackedBytes: 401_000 })).problems).toEqual([]);
    const { problems } = await readArchive(archive, { maxUnpackedBytes: 400_999 });
    expect(problems.map(({ code }) => code)).toEqual(['archive-expands-too-far']);
    const grace = { expansionGraceBytes: 1000, maxExpansionRatio: 401_000 / 2 };
    const packed = archive.length - 22 - 2 * (46 + 1) - 2 * (30 + 1);
    const ratio = { ...grace, maxExpansionRatio: 401_000 / packed };
    expect((await readArchive(archive, ratio)).problems).toEqual([]);
    const less = { ...grace, maxExpansionRatio: 400_000 / packed };
    expect((await readArchive(archive, less)).problems.map(({ code }) => code)).toEqual([
      'archive-expands-too-far',
    ]);
  });

  test('the limits themselves are allowed: entries, and bytes of one', async () => {
    const archive = buildZip([{ path: 'a', content: Buffer.alloc(1000) }, { path: 'b' }]);
    expect((await readArchive(archive, { maxEntries: 2, maxEntryBytes: 1000 })).problems).toEqual([]);
    expect((await readArchive(archive, { maxEntryBytes: 999 })).problems).toHaveLength(1);
  });

  test('the event loop turns while thousands of small files are read', async () => {
    const entries = Array.from({ length: 5000 }, (_, index) => ({
      path: `file-${index}`,
      content: `content ${index} `.repeat(200),
    }));
    const archive = buildZip(entries);
    const source = bufferSource(archive);
    const directory = await readDirectory(source, limits);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await readEntries(source, directory, limits, keepingVisitor(true));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });
});

describe('every problem that the directory shows is told, in order', () => {
  test('several problems of several entries, and nothing is read', async () => {
    const archive = buildZip([
      { path: 'b/../c', content: 'x', flags: 1 },
      { path: 'a', content: 'x', unixMode: 0o120777 },
      { path: 'A', content: 'x', local: { method: 12 }, central: { method: 12 } },
    ]);
    const reading = await readArchive(archive);
    expect(reading.entryProblems).toEqual([]);
    const { errors } = listProblems(reading.problems, 100);
    expect(errors.map(({ code, entry }) => [entry, code])).toEqual([
      ['A', 'archive-compression-unsupported'],
      ['A', 'archive-entry-name-conflict'],
      ['a', 'archive-entry-kind-forbidden'],
      ['b/../c', 'archive-encrypted'],
      ['b/../c', 'archive-entry-name-unsafe'],
    ]);
  });

  test('a local header problem has the offset of the local header', async () => {
    const archive = buildZip([
      { path: 'a', content: 'abc', method: 'stored' },
      { path: 'b', local: { method: 3 } },
    ]);
    const { entryProblems } = await readArchive(archive);
    expect(entryProblems).toEqual([
      expect.objectContaining({ code: 'archive-entry-headers-disagree', entry: 'b', offset: 34 }),
    ]);
  });
});
