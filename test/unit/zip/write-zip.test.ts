import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';

import type { ZipFile } from '../../../shared/package/write-zip.ts';
import { writeZip } from '../../../shared/package/write-zip.ts';
import { buildZip } from '../../support/zip-builder.ts';
import { readArchive } from './read-archive.ts';

async function written(files: Iterable<ZipFile>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of writeZip(files)) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('a written archive', () => {
  const files = [
    { path: 'a.txt', content: Buffer.from('first') },
    { path: 'folder/\u00fc.txt', content: Buffer.from('second file') },
    { path: 'empty', content: Buffer.alloc(0) },
  ];

  test('has the same bytes on every machine: stored, of 1980, made by Unix', async () => {
    const fixed = { versionNeeded: 20, date: 0x0021, time: 0, flags: 0x800 };
    const expected = buildZip(
      files.map(({ path, content }) => ({
        path,
        content,
        method: 'stored',
        unixMode: 0o100644,
        local: fixed,
        central: { ...fixed, versionMadeBy: 0x0314 },
      })),
    );
    expect((await written(files)).equals(expected)).toBe(true);
  });

  test('has its names in NFC, and reads back', async () => {
    const { problems, files: read } = await readArchive(
      await written([{ path: 'u\u0308.txt', content: Buffer.from('x') }]),
    );
    expect(problems).toEqual([]);
    expect([...read.keys()]).toEqual(['\u00fc.txt']);
  });

  test('of nothing is an end record alone', async () => {
    expect((await written([])).equals(buildZip([]))).toBe(true);
  });

  test('has at most 65,534 files, as more would need ZIP64', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ path: `${index}`, content: Buffer.alloc(0) }));
    const archive = await written(many(65_534));
    expect(archive.readUInt16LE(archive.length - 12)).toBe(65_534);
    await expect(written(many(65_535))).rejects.toThrow(RangeError);
  });

  test('has its directory below 0xFFFFFFFF, which is the mark of ZIP64', async () => {
    const content = Buffer.alloc(64 * 1024 * 1024);
    const path = 'x';
    const whole = Math.floor(0xffffffff / (31 + content.length));
    const last = 0xffffffff - whole * (31 + content.length) - 31;
    const files = Array.from({ length: whole }, () => ({ path, content }));
    const archive = writeZip([...files, { path, content: content.subarray(0, last) }]);
    await expect(finished(Readable.from(archive).resume())).rejects.toThrow(RangeError);
  });
});
