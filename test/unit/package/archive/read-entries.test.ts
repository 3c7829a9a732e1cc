import { deflateRawSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_PACKAGE_LIMITS } from '../../../../shared/package/limits.ts';
import { listProblems } from '../../../../shared/package/problem.ts';
import { bufferSource } from '../../../../shared/package/archive/source.ts';
import { Pacer } from '../../../../shared/package/archive/pacer.ts';
import { readDirectory } from '../../../../shared/package/archive/read-directory.ts';
import { readEntries } from '../../../../shared/package/archive/read-entries.ts';
import { buildZip } from '../../../support/zip-builder.ts';
import { keepingVisitor, readArchive } from './read-archive.ts';

const MiB = 1024 * 1024;
const limits = DEFAULT_PACKAGE_LIMITS;

describe('limits on actual bytes', () => {
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

  test('small entries are refused too once others have unpacked too much, and nothing is read after them', async () => {
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
    // 1,100,001 bytes are declared, and each entry with a false size unpacks a piece more before it is stopped.
    const reading = await readArchive(archive, { maxUnpackedBytes: 1_110_000 }, false);
    expect(reading.entryProblems.map(({ code, entry }) => [code, entry])).toEqual([
      ['archive-entry-corrupt', 'bomb-0'],
      ['archive-entry-corrupt', 'bomb-1'],
      ['archive-expands-too-far', 'small-9'],
    ]);
    expect([...reading.files.keys()]).toEqual(small.slice(0, 9).map(({ path }) => path));
  });

  test('an archive at the limit of unpacked bytes is read', async () => {
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

  test('the limits themselves are allowed: entries, and bytes of an entry', async () => {
    const archive = buildZip([{ path: 'a', content: Buffer.alloc(1000) }, { path: 'b' }]);
    expect((await readArchive(archive, { maxEntries: 2, maxEntryBytes: 1000 })).problems).toEqual([]);
    expect((await readArchive(archive, { maxEntryBytes: 999 })).problems).toHaveLength(1);
  });

  test('compressed data has at most twice the bytes of its content and 64 KiB', async () => {
    const content = Buffer.alloc(300_000);
    const deflated = deflateRawSync(content);
    /** Empty blocks of 5 bytes, and of 6 where a block of another kind is in front. */
    const padding = (bytes: number) => {
      const sixes = bytes % 5;
      const six = Buffer.from([2, 0, 0, 0, 0xff, 0xff]);
      return Buffer.concat([Buffer.alloc(6 * sixes, six), Buffer.alloc(bytes - 6 * sixes, six.subarray(1))]);
    };
    const problemsOf = async (packedBytes: number) => {
      const packed = Buffer.concat([padding(packedBytes - deflated.length), deflated]);
      const { problems } = await readArchive(buildZip([{ path: 'a', content, packed }]), {}, false);
      return problems.map(({ detail }) => detail);
    };
    const most = 2 * content.length + 64 * 1024;
    expect(await problemsOf(most)).toEqual([]);
    expect(await problemsOf(most + 1)).toEqual([expect.stringContaining('too long for the size')]);
  });

  test('others get their turns between the pieces of a large file', async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const archive = buildZip([{ path: 'a', content: Buffer.alloc(1 * MiB), method: 'stored' }]);
    const source = bufferSource(archive);
    const directory = await readDirectory(source, limits);
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5));
    const turn = vi.spyOn(Pacer.prototype, 'turn');
    await readEntries(source, directory, limits, keepingVisitor(false));
    expect(turn.mock.calls.length).toBeGreaterThan(3);
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

describe('every problem of the directory is reported, in order', () => {
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
