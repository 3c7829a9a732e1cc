import { deflateRawSync } from 'node:zlib';
import { buildZip } from '../zip-builder.ts';
import {
  type HostileArchive,
  text,
  file,
  other,
  localHeaderBytes,
  bombContent,
  lying,
} from './hostile-archive.ts';

/** Deflate blocks without content (RFC 1951, 3.2.4). */
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);
const emptyBlocks = (bytes: number) => Buffer.alloc(bytes, EMPTY_BLOCK);

/** False sizes, checksums and locations of data. */
export const sizes: Record<string, HostileArchive> = {
  'a size declared too small': lying(
    { local: { sizeBytes: 9 }, central: { sizeBytes: 9 } },
    'archive-entry-corrupt',
  ),
  'a size declared too large': lying(
    { local: { sizeBytes: 99 }, central: { sizeBytes: 99 } },
    'archive-entry-corrupt',
  ),
  'a size declared empty': lying(
    { local: { sizeBytes: 0 }, central: { sizeBytes: 0 } },
    'archive-entry-corrupt',
  ),
  'a wrong CRC-32': lying({ local: { crc32: 1 }, central: { crc32: 1 } }, 'archive-entry-corrupt'),
  'a wrong CRC-32 of a stored file': lying(
    { method: 'stored', local: { crc32: 1 }, central: { crc32: 1 } },
    'archive-entry-corrupt',
  ),
  'a stored file of two sizes': {
    entries: [{ ...file, method: 'stored', local: { sizeBytes: 9 }, central: { sizeBytes: 9 } }],
    code: 'archive-entry-corrupt',
    entry: 'a.txt',
    offset: localHeaderBytes + text.length,
  },
  'bytes after the end of the deflate stream': lying(
    { packed: Buffer.concat([deflateRawSync(text), Buffer.from('hidden')]) },
    'archive-entry-corrupt',
  ),
  'a second deflate stream': lying(
    { packed: Buffer.concat([deflateRawSync(text), deflateRawSync('hidden')]) },
    'archive-entry-corrupt',
  ),
  'a deflate stream cut off': lying(
    { packed: deflateRawSync(text).subarray(0, -3) },
    'archive-entry-corrupt',
  ),
  'a damaged deflate stream': lying({ packed: Buffer.from([7, 0xff, 0xff]) }, 'archive-entry-corrupt'),
  'a large file declared too small': lying(
    { content: bombContent, local: { sizeBytes: 300_000 }, central: { sizeBytes: 300_000 } },
    'archive-entry-corrupt',
  ),
  'a large file declared far too large': lying(
    { content: text, local: { sizeBytes: 9_000_000 }, central: { sizeBytes: 9_000_000 } },
    'archive-entry-corrupt',
  ),
  'a large file declared a little too large': lying(
    { content: bombContent, local: { sizeBytes: 2_000_001 }, central: { sizeBytes: 2_000_001 } },
    'archive-entry-corrupt',
  ),
  'a small file padded with empty blocks': lying(
    { packed: Buffer.concat([emptyBlocks(300_000), deflateRawSync(text)]) },
    'archive-entry-corrupt',
  ),
  'a large damaged deflate stream': lying(
    { content: bombContent, packed: Buffer.alloc(600_000, 7) },
    'archive-entry-corrupt',
  ),
  'a large file padded with empty blocks': lying(
    { content: bombContent, packed: Buffer.concat([emptyBlocks(5_000_000), deflateRawSync(bombContent)]) },
    'archive-entry-corrupt',
  ),
  'a large file with a wrong CRC-32': lying(
    { content: bombContent, local: { crc32: 1 }, central: { crc32: 1 } },
    'archive-entry-corrupt',
  ),
  'a large file with bytes after its deflate stream': lying(
    { content: bombContent, packed: Buffer.concat([deflateRawSync(bombContent), Buffer.alloc(600_000, 1)]) },
    'archive-entry-corrupt',
  ),
  'a large file with a second deflate stream': lying(
    { content: bombContent, packed: Buffer.concat([deflateRawSync(bombContent), deflateRawSync('x')]) },
    'archive-entry-corrupt',
  ),
  'a large file cut off': lying(
    { content: bombContent, packed: deflateRawSync(bombContent).subarray(0, -9) },
    'archive-entry-corrupt',
  ),
  'an entry over the limit': {
    entries: [{ path: 'a.txt', content: bombContent }],
    limits: { maxEntryBytes: 1_999_999 },
    code: 'archive-entry-too-large',
    entry: 'a.txt',
  },
  'all entries over the limit together': {
    entries: [file, other],
    limits: { maxUnpackedBytes: 20 },
    code: 'archive-expands-too-far',
  },
  'a last file beyond the limit of all files': {
    entries: ['a.txt', 'b.txt', 'c.txt'].map((path) => ({ path, content: '0123456789' })),
    limits: { maxUnpackedBytes: 20 },
    code: 'archive-expands-too-far',
    entry: 'c.txt',
  },
  'expansion over the ratio': {
    entries: [{ path: 'a.txt', content: bombContent }],
    limits: { expansionGraceBytes: 1_000_000 },
    code: 'archive-expands-too-far',
  },
  'too many entries': {
    entries: [file, other, { path: 'c.txt' }],
    limits: { maxEntries: 2 },
    code: 'archive-too-many-entries',
  },
  'more entries in the directory than declared, over the limit': {
    entries: [file, other, { path: 'c.txt' }],
    options: { end: { entries: 1, entriesOnDisk: 1 } },
    limits: { maxEntries: 2 },
    code: 'archive-too-many-entries',
  },
  'two records for the same bytes': {
    entries: [file, { ...file, path: 'b.txt', central: { offset: 0 }, withoutLocal: true }],
    code: 'archive-entries-overlap',
    entry: 'b.txt',
    offset: 0,
  },
  'an entry inside another one': {
    entries: [
      { path: 'a.txt', content: buildZip([other]), method: 'stored' },
      { ...other, withoutLocal: true, central: { offset: localHeaderBytes } },
    ],
    code: 'archive-entries-overlap',
    entry: 'b.txt',
    offset: localHeaderBytes,
  },
  'two entries inside another one, and one after it': {
    entries: [
      { path: 'a.txt', content: buildZip([other, { path: 'c.txt', content: 'c' }]), method: 'stored' },
      { ...other, withoutLocal: true, central: { offset: localHeaderBytes } },
      { path: 'c.txt', content: 'c', withoutLocal: true, central: { offset: localHeaderBytes + 30 + 5 + 7 } },
      { path: 'd.txt', content: 'd' },
    ],
    code: 'archive-entries-overlap',
    entry: 'c.txt',
    offset: localHeaderBytes + 30 + 5 + 7,
  },
  'a header that has no room before the directory': {
    entries: [file, { path: 'b.txt', withoutLocal: true, central: { offset: localHeaderBytes + 1 } }],
    code: 'archive-unreadable',
    entry: 'b.txt',
  },
  'data that runs into the directory by a byte': {
    entries: [
      file,
      { path: 'b.txt', content: 'b', method: 'stored', central: { packedBytes: 2, sizeBytes: 2 } },
    ],
    code: 'archive-entries-overlap',
    entry: 'b.txt',
  },
  'a directory that is longer than its entries need': {
    entries: Array.from({ length: 17 }, (_, index) => ({
      path: `${index}`,
      central: { comment: Buffer.alloc(65_535) },
    })),
    limits: { maxEntries: 20 },
    code: 'archive-too-many-entries',
  },
  'a folder with data over the limit': {
    entries: [{ path: 'a/', content: 'data', method: 'stored' }],
    limits: { maxEntryBytes: 1 },
    code: 'archive-entry-name-conflict',
    entry: 'a/',
  },
  'data that runs into the directory': {
    entries: [file, { ...other, method: 'stored', central: { packedBytes: 60, sizeBytes: 60 } }],
    code: 'archive-entries-overlap',
    entry: 'b.txt',
  },
};
