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

describe('the visitor', () => {
  const archive = buildZip([
    { path: 'first', content: 'first' },
    { path: 'folder/' },
    { path: 'large', content: randomBytes(3 * MiB) },
    { path: 'last', content: 'last' },
  ]);

  test('receives files in the order of their offsets, and no folders', async () => {
    const { files } = await readArchive(archive, {}, false);
    expect([...files.keys()]).toEqual(['first', 'large', 'last']);
  });

  test('receives whole the files it wants whole, and the verified facts of all others', async () => {
    const directory = await readDirectory(bufferSource(archive), limits);
    const received: string[] = [];
    await readEntries(bufferSource(archive), directory, limits, {
      wantsWhole: ({ path }) => path !== 'first',
      whole: ({ entry }) => void received.push(`${entry.path} whole ${entry.sizeBytes}`),
      passed: ({ path }) => void received.push(`${path} passed`),
    });
    expect(received).toEqual(['first passed', `large whole ${3 * MiB}`, 'last whole 4']);
  });

  test.each([true, false])('receives empty files too (whole: %s)', async (isWhole) => {
    const bytes = buildZip([{ path: 'empty' }, { path: 'empty.deflate', method: 'deflate' }]);
    const { files } = await readArchive(bytes, {}, isWhole);
    expect([...files.values()].map(({ length }) => length)).toEqual([0, 0]);
  });

  test.each(['stored', 'deflate'] as const)(
    'receives the location of the data of a %s file',
    async (method) => {
      const content = Buffer.concat([randomBytes(MiB), Buffer.alloc(MiB)]);
      const bytes = buildZip([
        { path: 'small', content: 'x'.repeat(100), method },
        { path: 'large', content, method },
        { path: 'last', content: 'last', method },
      ]);
      for (const source of [bytes, countingSource(bytes, 65_536)]) {
        const { files } = await readArchive(source, {}, false);
        expect(files.get('small')?.toString()).toBe('x'.repeat(100));
        expect(files.get('large')?.equals(content)).toBe(true);
        expect(files.get('last')?.toString()).toBe('last');
      }
    },
  );

  test('receives progress up to the end of the entries', async () => {
    const directory = await readDirectory(bufferSource(archive), limits);
    const progress: number[] = [];
    await readEntries(bufferSource(archive), directory, limits, keepingVisitor(false), (bytes) =>
      progress.push(bytes),
    );
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(directory.directoryOffset);
    expect(progress.length).toBeGreaterThan(2);
  });

  test('receives all files except corrupt ones', async () => {
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
  });

  test('never receives a file that unpacks to more than it declares', async () => {
    const size = { sizeBytes: 4 * MiB };
    const bomb = buildZip([{ path: 'bomb', content: Buffer.alloc(64 * MiB), local: size, central: size }]);
    for (const isWhole of [true, false]) {
      const { entryProblems, files } = await readArchive(bomb, {}, isWhole);
      expect(entryProblems.map(({ code }) => code)).toEqual(['archive-entry-corrupt']);
      expect(files.size).toBe(0);
    }
  });
});
