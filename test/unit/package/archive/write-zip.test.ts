import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';

import { DEFAULT_PACKAGE_LIMITS } from '../../../../shared/package/limits.ts';
import { bufferSource, type PackageSource } from '../../../../shared/package/archive/source.ts';
import {
  type ZipFile,
  ZipLayout,
  type ZipStream,
  type ZipText,
  writeZip,
  zipLength,
} from '../../../../shared/package/archive/write-zip.ts';
import { readDirectory } from '../../../../shared/package/archive/read-directory.ts';
import {
  centralDirectoryHeader,
  endRecords,
  localHeader,
  type WrittenEntry,
} from '../../../../shared/package/archive/written-headers.ts';
import { buildZip } from '../../../support/zip-builder.ts';
import { readArchive } from './read-archive.ts';

async function writtenBytes(files: Iterable<ZipFile | ZipStream | ZipText>): Promise<Buffer> {
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
    expect((await writtenBytes(files)).equals(expected)).toBe(true);
  });

  test('has its names in NFC, and reads back', async () => {
    const { problems, files: read } = await readArchive(
      await writtenBytes([{ path: 'u\u0308.txt', content: Buffer.from('x') }]),
    );
    expect(problems).toEqual([]);
    expect([...read.keys()]).toEqual(['\u00fc.txt']);
  });

  test('without files is only an end of central directory record', async () => {
    expect((await writtenBytes([])).equals(buildZip([]))).toBe(true);
  });
});

describe('a streamed file', () => {
  const content = Buffer.from('content of the file');
  const stream = (overrides: Partial<ZipStream> = {}): ZipStream => ({
    path: 'a.txt',
    sizeBytes: content.length,
    crc32: crc32(content),
    open: () => [content.subarray(0, 5), content.subarray(5)],
    ...overrides,
  });

  test('has the same bytes as the same file in memory', async () => {
    const whole = await writtenBytes([{ path: 'a.txt', content }]);
    expect((await writtenBytes([stream()])).equals(whole)).toBe(true);
  });

  test.each([
    ['more bytes', { sizeBytes: content.length - 1 }],
    ['fewer bytes', { sizeBytes: content.length + 1 }],
    ['another CRC-32', { crc32: 1 }],
  ])('with %s than its header says breaks the archive', async (_, overrides) => {
    await expect(writtenBytes([stream(overrides)])).rejects.toThrow('a.txt has');
  });
});

describe('a text', () => {
  const text = (path: string, ...pieces: string[]): ZipText => ({
    path,
    pieces: () => Readable.from(pieces),
  });

  test('is deflated, has its size and CRC-32 after it, and reads back with the files around it', async () => {
    const long = 'Grünland '.repeat(10_000);
    const files = [{ path: 'a', content: Buffer.from('a') }, text('t.json', long, long), text('empty')];
    const archive = await writtenBytes([...files, { path: 'z', content: Buffer.from('z') }]);
    expect(archive.length).toBeLessThan(2_000);
    const { problems, files: read } = await readArchive(archive);
    expect(problems).toEqual([]);
    const contents = [...read].map(([path, content]) => [path, content.toString()]);
    expect(contents).toEqual([
      ['a', 'a'],
      ['t.json', long + long],
      ['empty', ''],
      ['z', 'z'],
    ]);
  });

  test('that fails breaks the archive with its own error', async () => {
    async function* failing() {
      yield 'a';
      await Promise.reject(new Error('the connection was lost'));
    }
    await expect(writtenBytes([{ path: 'a', pieces: failing }])).rejects.toThrow('the connection was lost');
  });
});

describe('ZIP64', () => {
  const GiB = 1024 ** 3;
  const entry = (name: string, sizeBytes: number, offset: number) => ({
    name: Buffer.from(name),
    crc32: 0,
    method: 'stored' as const,
    sizeBytes,
    packedBytes: sizeBytes,
    offset,
  });

  /** The archive from its directory on; the contents before it are absent. */
  async function directoryOf(entries: readonly WrittenEntry[], directoryOffset: number) {
    const records = Buffer.concat(entries.map(centralDirectoryHeader));
    const end = endRecords(entries.length, records.length, directoryOffset);
    return readTail(Buffer.concat([records, end]), directoryOffset);
  }

  async function readTail(tail: Buffer, directoryOffset: number) {
    const source: PackageSource = {
      sizeBytes: directoryOffset + tail.length,
      read: (offset, length) => {
        const bytes = Buffer.alloc(length);
        tail.copy(bytes, Math.max(0, directoryOffset - offset), Math.max(0, offset - directoryOffset));
        return Promise.resolve(bytes);
      },
      stream: () => {
        throw new Error('contents are not read');
      },
    };
    const limits = { ...DEFAULT_PACKAGE_LIMITS, maxEntryBytes: 8 * GiB, maxUnpackedBytes: 8 * GiB };
    const { problems, entries: read } = await readDirectory(source, limits);
    return {
      problems,
      locations: read.map(({ path, sizeBytes, headerOffset }) => [path, sizeBytes, headerOffset]),
    };
  }

  test.each([
    ['one byte less needs none', 4 * GiB - 2, 30 + 5],
    ['4 GiB - 1 means "see ZIP64" and needs it', 4 * GiB - 1, 30 + 5 + 20],
    ['5 GiB needs it', 5 * GiB, 30 + 5 + 20],
  ])('records the sizes and locations of large files: %s', async (_, sizeBytes, headerBytes) => {
    const large = entry('large', sizeBytes, 0);
    expect(localHeader(large)).toHaveLength(headerBytes);
    const behind = entry('behind', 7, headerBytes + sizeBytes);
    const directoryOffset = behind.offset + localHeader(behind).length + 7;
    expect(await directoryOf([large, behind], directoryOffset)).toEqual({
      problems: [],
      locations: [
        ['large', sizeBytes, 0],
        ['behind', 7, behind.offset],
      ],
    });
  });

  test('records the sizes of a text in 8 bytes where 4 are too few, and what follows is found', async () => {
    const layout = new ZipLayout();
    const header = layout.startText('large');
    const sizes = { sizeBytes: 5 * GiB, packedBytes: 4 * GiB, crc32: 0 };
    const descriptor = layout.endText('large', sizes);
    expect([header.length, descriptor.length]).toEqual([30 + 5, 24]);
    const behind = header.length + sizes.packedBytes + descriptor.length;
    layout.add({ path: 'behind', sizeBytes: 7, packedBytes: 7, crc32: 0, method: 'stored' });
    expect(await readTail(Buffer.concat(layout.end()), layout.offset)).toEqual({
      problems: [],
      locations: [
        ['large', 5 * GiB, 0],
        ['behind', 7, behind],
      ],
    });
  });

  test('records the number of entries from 65,535 files on, and is absent below', async () => {
    const content = Buffer.alloc(0);
    const files = Array.from({ length: 65_535 }, (_, index) => ({ path: `${index}`, content }));
    const wide = await writtenBytes(files);
    const narrowEnd = endRecords(65_534, 1, 1);
    const entriesOf = (archive: Buffer) => archive.readUInt16LE(archive.length - 12);
    expect([entriesOf(narrowEnd), entriesOf(wide)]).toEqual([65_534, 0xffff]);
    expect([narrowEnd, wide].map((each) => each.includes('PK\x06\x07'))).toEqual([false, true]);
    const limits = { ...DEFAULT_PACKAGE_LIMITS, maxEntries: 100_000 };
    const read = await readDirectory(bufferSource(wide), limits);
    expect([read.problems, read.entries.length]).toEqual([[], 65_535]);
  });
});

test('the length of an archive is known before its bytes', async () => {
  const files = [
    { path: 'a', content: Buffer.from('first') },
    { path: 'folder/u\u0308.txt', content: Buffer.alloc(70_000) },
    { path: 'empty', content: Buffer.alloc(0) },
  ];
  const length = zipLength(files.map(({ path, content }) => ({ path, sizeBytes: content.length })));
  expect(length).toBe((await writtenBytes(files)).length);
});
