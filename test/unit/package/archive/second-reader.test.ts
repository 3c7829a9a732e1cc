import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { DEFAULT_PACKAGE_LIMITS } from '../../../../shared/package/limits.ts';
import { bufferSource } from '../../../../shared/package/archive/source.ts';
import type { CentralDirectoryHeader } from '../../../../shared/package/archive/central-directory.ts';
import { Pacer } from '../../../../shared/package/archive/pacer.ts';
import { readAgain } from '../../../../shared/package/archive/second-reader.ts';
import { readDirectory } from '../../../../shared/package/archive/read-directory.ts';
import { buildZip } from '../../../support/zip-builder.ts';

const archive = buildZip([
  { path: 'a.txt', content: 'a', method: 'stored' },
  { path: 'ü.txt', content: 'some text', method: 'deflate' },
  { path: 'folder/' },
  { path: Buffer.from('./unmarked-ü.txt') },
]);

async function recordsOf(bytes: Buffer): Promise<CentralDirectoryHeader[]> {
  return [...(await readDirectory(bufferSource(bytes), DEFAULT_PACKAGE_LIMITS)).entries];
}

/** The second reader's problem where the record at the index differs from the archive's. */
async function readWith(index: number, change: Partial<CentralDirectoryHeader>) {
  const records = await recordsOf(archive);
  const changed = records.map((each, at) => (at === index ? { ...each, ...change } : each));
  const problem = await readAgain({ bytes: archive, offset: 0 }, changed);
  return problem && [problem.code, problem.offset];
}

describe('a second reader', () => {
  test('has nothing to say of an archive that it reads as the first reader does', async () => {
    const records = await recordsOf(archive);
    expect(records.map(({ path }) => path)).toEqual(['a.txt', 'ü.txt', 'folder/', 'unmarked-ü.txt']);
    expect(await readAgain({ bytes: archive, offset: 0 }, records)).toBeUndefined();
  });

  test.each<[string, Partial<CentralDirectoryHeader>]>([
    ['name', { rawName: 'b.txt' }],
    ['method', { method: 8 }],
    ['CRC-32', { crc32: 1 }],
    ['packed size', { packedBytes: 2 }],
    ['unpacked size', { sizeBytes: 2 }],
    ['offset', { headerOffset: 1 }],
    ['decoded name', { path: 'other.txt' }],
  ])('refuses an archive whose %s it reads differently', async (_what, change) => {
    const [record] = await recordsOf(archive);
    expect(await readWith(0, change)).toEqual(['archive-ambiguous', record?.recordOffset]);
  });

  test('decodes names that are not ASCII, and reports the first record that differs', async () => {
    const [, second] = await recordsOf(archive);
    expect(await readWith(1, {})).toBeUndefined();
    expect(await readWith(1, { path: 'ö.txt' })).toEqual(['archive-ambiguous', second?.recordOffset]);
    expect(await readWith(1, { path: undefined })).toEqual(['archive-ambiguous', second?.recordOffset]);
    expect(await readWith(3, {})).toBeUndefined();
    expect(await readWith(3, { path: './unmarked-ü.txt' })).toHaveLength(2);
  });

  test('leaves turns for others', async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const records = await recordsOf(archive);
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5));
    const turn = vi.spyOn(Pacer.prototype, 'turn');
    await readAgain({ bytes: archive, offset: 0 }, records);
    expect(turn).toHaveBeenCalledTimes(records.length);
  });

  test('refuses an archive in which it finds a different number of entries', async () => {
    const records = await recordsOf(archive);
    const problem = await readAgain({ bytes: archive, offset: 0 }, records.slice(1));
    expect(problem).toMatchObject({ code: 'archive-ambiguous', offset: 0 });
    expect(problem).toHaveProperty('detail', expect.stringContaining('the number of entries'));
  });

  test('refuses an archive that it cannot open, or cannot read to the end', async () => {
    const records = await recordsOf(archive);
    const cut = { bytes: archive.subarray(-30, -10), offset: 7 };
    expect(await readAgain(cut, records)).toMatchObject({ code: 'archive-ambiguous', offset: 7 });
    const second = records[1]?.recordOffset ?? 0;
    const short = { bytes: archive.subarray(second), offset: second };
    expect(await readAgain(short, records)).toMatchObject({ code: 'archive-ambiguous', offset: second });
    const damaged = Buffer.from(archive);
    damaged.writeUInt32LE(0, second);
    expect(await readAgain({ bytes: damaged, offset: 0 }, records)).toMatchObject({
      code: 'archive-ambiguous',
      offset: second,
    });
  });
});
