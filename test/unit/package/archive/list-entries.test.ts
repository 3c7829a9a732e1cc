import { describe, expect, test } from 'vitest';

import { DEFAULT_PACKAGE_LIMITS } from '../../../../shared/package/limits.ts';
import { bufferSource } from '../../../../shared/package/archive/source.ts';
import type { CentralDirectoryHeader } from '../../../../shared/package/archive/central-directory.ts';
import { listEntries } from '../../../../shared/package/archive/list-entries.ts';
import { readDirectory } from '../../../../shared/package/archive/read-directory.ts';
import { buildZip } from '../../../support/zip-builder.ts';

const archive = buildZip([
  { path: 'a.txt', content: 'a', method: 'stored' },
  { path: 'ü.txt', content: 'some text', method: 'deflate' },
  { path: 'folder/' },
]);

async function recordsOf(bytes: Buffer): Promise<CentralDirectoryHeader[]> {
  return [...(await readDirectory(bufferSource(bytes), DEFAULT_PACKAGE_LIMITS)).records];
}

/** The second reader's result where the record at the index differs from the archive's. */
async function listedWith(index: number, change: Partial<CentralDirectoryHeader>) {
  const records = await recordsOf(archive);
  const changed = records.map((each, at) => (at === index ? { ...each, ...change } : each));
  const listed = await listEntries({ bytes: archive, offset: 0 }, changed);
  return 'code' in listed ? [listed.code, listed.offset] : listed.map(({ path }) => path);
}

describe('a second reader', () => {
  test('returns the entries as the first reader read them', async () => {
    const records = await recordsOf(archive);
    const listed = await listEntries({ bytes: archive, offset: 0 }, records);
    expect(listed).toEqual(
      records.map(({ path, isFolder, method, packedBytes, sizeBytes, crc32, headerOffset }) => ({
        path,
        isFolder,
        method: method === 8 ? 'deflate' : 'stored',
        packedBytes,
        sizeBytes,
        crc32,
        headerOffset,
      })),
    );
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
    expect(await listedWith(0, change)).toEqual(['archive-ambiguous', record?.recordOffset]);
  });

  test('decodes names that are not ASCII, and reports the first record that differs', async () => {
    const [, second] = await recordsOf(archive);
    expect(await listedWith(1, {})).toEqual(['a.txt', 'ü.txt', 'folder/']);
    expect(await listedWith(1, { path: 'ö.txt' })).toEqual(['archive-ambiguous', second?.recordOffset]);
    expect(await listedWith(1, { path: undefined })).toEqual(['archive-ambiguous', second?.recordOffset]);
  });

  test('refuses an archive in which it finds a different number of entries', async () => {
    const records = await recordsOf(archive);
    const listed = await listEntries({ bytes: archive, offset: 0 }, records.slice(1));
    expect(listed).toMatchObject({ code: 'archive-ambiguous', offset: 0 });
    expect(listed).toHaveProperty('detail', expect.stringContaining('the number of entries'));
  });

  test('refuses an archive that it cannot open, or cannot read to the end', async () => {
    const records = await recordsOf(archive);
    const cut = { bytes: archive.subarray(-30, -10), offset: 7 };
    expect(await listEntries(cut, records)).toMatchObject({ code: 'archive-ambiguous', offset: 7 });
    const second = records[1]?.recordOffset ?? 0;
    const short = { bytes: archive.subarray(second), offset: second };
    expect(await listEntries(short, records)).toMatchObject({ code: 'archive-ambiguous', offset: second });
    const damaged = Buffer.from(archive);
    damaged.writeUInt32LE(0, second);
    expect(await listEntries({ bytes: damaged, offset: 0 }, records)).toMatchObject({
      code: 'archive-ambiguous',
      offset: second,
    });
  });
});
