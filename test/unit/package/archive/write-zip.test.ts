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
  stored,
  writeZip,
  zipLength,
} from '../../../../shared/package/archive/write-zip.ts';
import { readDirectory } from '../../../../shared/package/archive/read-directory.ts';
import {
  centralDirectoryHeader,
  dataDescriptor,
  endRecords,
  localHeader,
  type WrittenEntry,
} from '../../../../shared/package/archive/written-headers.ts';
import { buildZip, endRecords as buildEnd } from '../../../support/zip-builder.ts';
import { extraField, littleEndian } from '../../../support/zip-bytes.ts';
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

  test('has both sizes in the local header where one of them needs it, and no more than that one in the directory', () => {
    const deflated = { ...entry('a', 5 * GiB, 7), method: 'deflate' as const, packedBytes: 1 * GiB };
    const field = (...values: readonly number[]) =>
      extraField(1, littleEndian(...values.map((value) => [8, value] as const)));
    const header = localHeader(deflated);
    expect(header.readUInt16LE(4)).toBe(45);
    expect([header.readUInt32LE(18), header.readUInt32LE(22)]).toEqual([0xffffffff, 0xffffffff]);
    expect(header.subarray(31)).toEqual(field(5 * GiB, 1 * GiB));
    const record = centralDirectoryHeader(deflated);
    expect(record.readUInt16LE(6)).toBe(45);
    expect([record.readUInt32LE(20), record.readUInt32LE(24)]).toEqual([1 * GiB, 0xffffffff]);
    expect(record.subarray(47)).toEqual(field(5 * GiB));
    const small = entry('a', 7, 0);
    expect([localHeader(small).readUInt16LE(4), centralDirectoryHeader(small).readUInt16LE(6)]).toEqual([
      20, 20,
    ]);
  });

  test.each([
    ['4 bytes for sizes that fit in them', 4, 2, 4 * GiB - 2],
    ['8 bytes where the content needs them', 8, 1 * GiB, 4 * GiB - 1],
    ['8 bytes where the compressed data needs them', 8, 4 * GiB - 1, 4 * GiB - 2],
  ] as const)('has in a data descriptor %s', (_what, width, packedBytes, sizeBytes) => {
    const expected = littleEndian([4, 0x08074b50], [4, 9], [width, packedBytes], [width, sizeBytes]);
    expect(dataDescriptor({ crc32: 9, packedBytes, sizeBytes })).toEqual(expected);
  });

  test.each([
    ['65,535 entries', 0xffff, 1, 1],
    ['4 GiB - 1 of the directory', 0xfffe, 4 * GiB - 1, 1],
    ['4 GiB - 1 before the directory', 0xfffe, 1, 4 * GiB - 1],
  ])('adds its end records from %s on', (_what, entries, directoryBytes, directoryOffset) => {
    const madeByUnix = littleEndian([2, 0x0300 + 45], [2, 45]);
    const end = endRecords(entries, directoryBytes, directoryOffset);
    expect(end).toHaveLength(56 + 20 + 22);
    expect(end.subarray(12, 16)).toEqual(madeByUnix);
    expect(end.subarray(24, 56)).toEqual(
      littleEndian([8, entries], [8, entries], [8, directoryBytes], [8, directoryOffset]),
    );
  });

  test('adds no end record where each number fits in the ordinary one', () => {
    const most = [0xfffe, 4 * GiB - 2, 4 * GiB - 2] as const;
    expect(endRecords(...most)).toEqual(buildEnd(...most));
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

test('the directory of an archive is written in pieces of 64 KiB, the last with the end record', async () => {
  const paths = Array.from({ length: 2_050 }, (_, index) => `files/number-${10_000 + index}`);
  const layout = new ZipLayout();
  for (const path of paths) layout.add(stored({ path, sizeBytes: 0, crc32: 0 }));
  expect(layout.end().map(({ length }) => length)).toEqual([65_536, 65_536, 2 * (46 + 18) + 22]);
  const archive = await writtenBytes(paths.map((path) => ({ path, content: Buffer.alloc(0) })));
  const { entries } = await readDirectory(bufferSource(archive), DEFAULT_PACKAGE_LIMITS);
  expect(entries.map(({ path }) => path)).toEqual(paths);
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
