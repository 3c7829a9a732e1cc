import { deflateRawSync } from 'node:zlib';

import type { ZipEntrySpec, ZipOptions } from './zip-spec.ts';
import { buildZip } from './zip-builder.ts';
import { extraField, littleEndian, unicodePathField } from './zip-bytes.ts';

const content = 'content, content, content, content';
const noise = Buffer.from(
  Array.from({ length: 700_000 }, (_, index) => ((index * 2654435761) >>> 13) & 0xff),
);
const inner = buildZip([{ path: '../../evil', content }], { comment: 'nested' });
const cyrillic = Buffer.from([0xe2, 0xa5, 0xe1, 0xe2, 0x2e, 0x74, 0x78, 0x74]);

/** Entries that must pass, and the paths that they are known by afterwards, where those differ. */
export interface HonestArchive {
  readonly entries: readonly ZipEntrySpec[];
  readonly options?: ZipOptions;
  readonly paths?: readonly string[];
}

const honest: Record<string, HonestArchive> = {
  'an archive without entries': { entries: [] },
  'an archive without entries in ZIP64': { entries: [], options: { zip64: true } },
  'a deflated file': { entries: [{ path: 'a', content }] },
  'a stored file': { entries: [{ path: 'a', content, method: 'stored' }] },
  'an empty file': { entries: [{ path: 'a' }] },
  'an empty file that is deflated': { entries: [{ path: 'a', method: 'deflate' }] },
  'a streamed file whose flag is in the local header alone': {
    entries: [
      { path: 'a', content, descriptor: 'signed', central: { flags: 0 } },
      { path: 'b', content },
    ],
  },
  'a large streamed file whose flag is in the local header alone': {
    entries: [{ path: 'a', content: noise, descriptor: 'unsigned', central: { flags: 0 } }],
  },
  'a folder': { entries: [{ path: 'a/' }, { path: 'a/b', content }] },
  'a folder with a name that is not plain': { entries: [{ path: 'a b/' }, { path: 'ü/' }] },
  'a folder after its files': { entries: [{ path: 'a/b', content }, { path: 'a/' }] },
  'a folder that is deflated to two bytes': { entries: [{ path: 'a/', method: 'deflate' }] },
  'a folder with the mode of a file': { entries: [{ path: 'a/', unixMode: 0o100644 }] },
  'a large file, deflated': { entries: [{ path: 'a', content: noise }] },
  'a large file, stored': { entries: [{ path: 'a', content: noise, method: 'stored' }] },
  'a file that compresses a thousandfold': { entries: [{ path: 'a', content: Buffer.alloc(9_000_000) }] },
  'a nested archive, stored at the end': { entries: [{ path: 'a.zip', content: inner, method: 'stored' }] },
  'a nested archive, deflated': { entries: [{ path: 'a.zip', content: inner }] },
  'names of object members': {
    entries: [
      { path: '__proto__', content },
      { path: 'constructor', content },
      { path: 'x/toString', content },
    ],
  },
  'names with odd but harmless characters': {
    entries: [
      { path: '[id].js', content },
      { path: '...a b (1)~$&;=@!%23?*"<>|', content },
      { path: '.hidden', content },
      { path: 'console.js', content },
      { path: 'com10.js', content },
      { path: 'my falcon.txt', content },
      { path: 'a b/null.txt', content },
      { path: 'lpt10 b', content },
      { path: 'a b/.con', content },
      { path: '日本/😀.png', content },
    ],
  },
  'folders that differ in case only': { entries: [{ path: 'A/x' }, { path: 'a/y' }] },
  'files of operating systems': { entries: [{ path: '__MACOSX/._a' }, { path: '.DS_Store' }] },
  'a name of exactly 512 bytes and 32 levels': {
    entries: [{ path: `${'a/'.repeat(31)}${'b'.repeat(450)}` }],
  },
  'a decomposed name, known by its composed form': {
    entries: [{ path: 'fu\u0308r.txt', content }],
    paths: ['f\u00fcr.txt'],
  },
  'unmarked UTF-8': {
    entries: [{ path: Buffer.from('f\u00fcr \u0442\u0435\u0441\u0442.txt'), content }],
  },
  'unmarked UTF-8 in its decomposed form': {
    entries: [{ path: Buffer.from('fu\u0308r.txt'), content }],
    paths: ['f\u00fcr.txt'],
  },
  'a leading dot segment, and the root': {
    entries: [{ path: './' }, { path: './a/' }, { path: './a/b', content }, { path: './f\u00fcr.txt' }],
    paths: ['a/b', 'f\u00fcr.txt'],
  },
  'a leading dot segment in an unmarked name and in its Unicode path': {
    entries: [
      {
        path: Buffer.from('./f\u00fcr.txt'),
        content,
        localExtra: unicodePathField('./f\u00fcr.txt', Buffer.from('./f\u00fcr.txt')),
        centralExtra: unicodePathField('./f\u00fcr.txt', Buffer.from('./f\u00fcr.txt')),
      },
    ],
    paths: ['f\u00fcr.txt'],
  },
  'an ASCII name with a leading dot segment, marked as UTF-8 in one header alone': {
    entries: [{ path: './a', content, local: { flags: 0x800 } }],
    paths: ['a'],
  },
  'a comment': { entries: [{ path: 'a', content }], options: { comment: 'PK\x07\x08 a comment' } },
  'the longest comment': {
    entries: [{ path: 'a', content }],
    options: { comment: Buffer.alloc(0xffff, 'x') },
  },
  'comments of entries': {
    entries: [{ path: 'a', content, central: { comment: Buffer.from('a comment') } }],
  },
  'comments of entries that make a directory of more than 1 MiB': {
    entries: Array.from({ length: 17 }, (_, index) => ({
      path: `${index}`,
      central: { comment: Buffer.alloc(65_535) },
    })),
  },
  'set-uid bits': { entries: [{ path: 'a', content, unixMode: 0o104755 }] },
  'ZIP64 end records': { entries: [{ path: 'a', content }], options: { zip64: true } },
  'ZIP64 end records beside a filled end record': {
    entries: [{ path: 'a', content }],
    options: { zip64: true, end: { entries: 1, entriesOnDisk: 1 } },
  },
  'ZIP64 end records beside an end record that leaves the disks to them': {
    entries: [{ path: 'a', content }],
    options: { zip64: true, end: { disk: 0xffff, directoryDisk: 0xffff } },
  },
  'ZIP64 end records beside an end record that has all but the counts': {
    entries: [{ path: 'a', content, method: 'stored' }],
    options: { zip64: true, end: { directoryBytes: 47, directoryOffset: 31 + content.length } },
  },
  'ZIP64 sizes': { entries: [{ path: 'a', content, zip64: true }] },
  'ZIP64 sizes, streamed': { entries: [{ path: 'a', content, zip64: true, descriptor: 'signed64' }] },
  'ZIP64 fields that repeat the sizes': {
    entries: [
      {
        path: 'a',
        content,
        centralExtra: extraField(1, littleEndian([8, content.length], [8, deflateRawSync(content).length])),
      },
    ],
  },
  'timestamps, owners and unknown extra fields': {
    entries: [
      {
        path: 'a',
        content,
        localExtra: Buffer.concat([
          extraField(0x5455, Buffer.alloc(9)),
          extraField(0x7875, Buffer.alloc(11)),
        ]),
        centralExtra: Buffer.concat([
          extraField(0x5455, Buffer.alloc(5)),
          extraField(0xcafe, Buffer.alloc(0)),
        ]),
      },
    ],
  },
  'extra fields padded with zeros': { entries: [{ path: 'a', content, localExtra: Buffer.alloc(3) }] },
  'an extra field of the greatest length': {
    entries: [{ path: 'a', content, localExtra: extraField(0x4141, Buffer.alloc(65_531)) }, { path: 'b' }],
  },
  'a Unicode path that repeats the name': {
    entries: [{ path: 'a.txt', content, centralExtra: unicodePathField('a.txt', Buffer.from('a.txt')) }],
  },
  'a Unicode path in both headers': {
    entries: [
      {
        path: 'für.txt',
        content,
        localExtra: unicodePathField('für.txt', Buffer.from('für.txt')),
        centralExtra: unicodePathField('für.txt', Buffer.from('für.txt')),
      },
    ],
  },
  'a Unicode path for unmarked UTF-8': {
    entries: [
      {
        path: Buffer.from('für.txt'),
        content,
        centralExtra: unicodePathField('für.txt', Buffer.from('für.txt')),
      },
    ],
    paths: ['für.txt'],
  },
  'a Unicode path for a name in a code page': {
    entries: [{ path: cyrillic, content, centralExtra: unicodePathField('тест.txt', cyrillic) }],
    paths: ['тест.txt'],
  },
  'a directory in another order than the entries': {
    entries: [{ path: 'a', content }, { path: 'b' }, { path: 'c', content: noise }],
    options: { directoryOrder: (records) => records.toReversed() },
  },
  'hint bits in the flags of one header alone': {
    entries: [{ path: 'a', content, local: { flags: 6 } }],
  },
  'an ASCII name marked as UTF-8 in one header alone': {
    entries: [{ path: 'a', content, local: { flags: 0x800 } }],
  },
  'the newest version that stored and deflated files need': {
    entries: [{ path: 'a', content, local: { versionNeeded: 45 }, central: { versionNeeded: 45 } }],
  },
  'a version of another system than VMS': {
    entries: [{ path: 'a', content, central: { versionNeeded: 0x0314 } }],
  },
  'a folder with the attribute of one': {
    entries: [{ path: 'a/', central: { externalAttributes: 0x10 } }],
  },
  'a file without any attribute': { entries: [{ path: 'a', content, central: { externalAttributes: 0 } }] },
  'a streamed header that has the values already': {
    entries: [{ path: 'a', content: 'x', method: 'stored', descriptor: 'signed', local: { sizeBytes: 1 } }],
  },
};

for (const descriptor of ['signed', 'unsigned', 'signed64', 'unsigned64'] as const) {
  for (const method of ['stored', 'deflate'] as const) {
    honest[`a data descriptor, ${descriptor}, ${method}`] = {
      entries: [
        { path: 'a', content, method, descriptor },
        { path: 'b', content: noise, method, descriptor },
        { path: 'c', method, descriptor },
      ],
    };
  }
}

/** Archives that must be accepted, by what is unusual about them. */
export const HONEST_ARCHIVES: Readonly<Record<string, HonestArchive>> = honest;
