import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import { bufferSource } from '../../../shared/package/source.ts';
import { readDirectory } from '../../../shared/package/zip/read-directory.ts';
import { readEntries } from '../../../shared/package/zip/read-entries.ts';
import { buildZip } from '../../support/zip-builder.ts';
import { keepingVisitor, readArchive } from './read-archive.ts';

const MiB = 1024 * 1024;
const limits = DEFAULT_PACKAGE_LIMITS;

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
