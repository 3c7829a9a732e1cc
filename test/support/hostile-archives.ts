import { crc32, deflateRawSync } from 'node:zlib';

import type { PackageLimits } from '../../shared/package/limits.ts';
import type { PackageProblemCode } from '../../shared/package/problem-codes.ts';
import type { ZipEntrySpec, ZipOptions } from './zip-builder.ts';
import { buildZip, endRecords, extraField, littleEndian, unicodePathField } from './zip-builder.ts';

/** An archive that must be refused, and what for. */
export interface HostileArchive {
  readonly entries?: readonly ZipEntrySpec[];
  readonly options?: ZipOptions;
  readonly bytes?: Buffer;
  readonly limits?: Partial<PackageLimits>;
  readonly code: PackageProblemCode;
  /** The entry that the problem names. */
  readonly entry?: string;
  readonly offset?: number;
  /** Found by the pass over the entries; otherwise the directory shows it. */
  readonly inPass?: true;
}

const text = 'some text, some text, some text, some text';
const file: ZipEntrySpec = { path: 'a.txt', content: text };
const other: ZipEntrySpec = { path: 'b.txt', content: 'other' };
const LOCAL = 30 + 'a.txt'.length;
const good = buildZip([file, other]);
const endOffset = good.length - 22;
const directoryOffset = good.readUInt32LE(endOffset + 16);
/** A name in code page 866. */
const cyrillic = Buffer.from([0xe2, 0xa5, 0xe1, 0xe2, 0x2e, 0x74, 0x78, 0x74]);
const bombContent = Buffer.alloc(2_000_000);

function named(path: string | Buffer, entry?: string): HostileArchive {
  const shown = entry ?? (typeof path === 'string' ? path : undefined);
  return {
    entries: [{ path, content: 'x' }],
    code: 'archive-entry-name-unsafe',
    ...(shown === undefined ? {} : { entry: shown }),
    offset: 30 + Buffer.from(path).length + 3,
  };
}

function conflict(first: ZipEntrySpec, second: ZipEntrySpec, entry: string): HostileArchive {
  return { entries: [first, second], code: 'archive-entry-name-conflict', entry };
}

function lying(entry: Partial<ZipEntrySpec>, code: PackageProblemCode, offset = 0): HostileArchive {
  return { entries: [{ ...file, ...entry }, other], code, entry: 'a.txt', offset, inPass: true };
}

function structure(bytes: Buffer, code: PackageProblemCode, offset?: number): HostileArchive {
  return { bytes, code, ...(offset === undefined ? {} : { offset }) };
}

function patched(bytes: Buffer, patch: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  patch(copy);
  return copy;
}

const names: Record<string, HostileArchive> = {
  'a parent segment': named('../evil.txt'),
  'a parent segment in the middle': named('a/../../evil.txt'),
  'a parent segment at the end': named('a/..'),
  'an absolute path': named('/etc/passwd'),
  'a backslash': named('..\\evil.txt'),
  'a backslash as separator': named('a\\b.txt'),
  'a drive letter': named('C:/evil.txt'),
  'a drive letter without a slash': named('C:evil.txt'),
  'a UNC path': named('//server/share/evil.txt'),
  'a UNC path in backslashes': named('\\\\server\\share\\evil.txt'),
  'a drive letter in lower case': named('z:evil.txt'),
  'a dot segment': named('./a.txt'),
  'a dot segment in the middle': named('a/./b.txt'),
  'an empty segment': named('a//b.txt'),
  'an empty name': named('', ''),
  'a NUL': named('a.txt\0.png', 'a.txt\\u{0}.png'),
  'a line feed': named('a\nb.txt', 'a\\u{a}b.txt'),
  'an escape character': named('a\x1b[2Jb.txt', 'a\\u{1b}[2Jb.txt'),
  'a DEL': named('a\x7f.txt', 'a\\u{7f}.txt'),
  'a C1 control': named('a\u0085.txt', 'a\\u{85}.txt'),
  'an overlong UTF-8 form': {
    ...named(Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61]), '\\xc0\\xae\\xc0\\xae/a'),
    entries: [{ path: Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61]), content: 'x', flags: 0x800 }],
  },
  'a lone surrogate in UTF-8': {
    ...named(Buffer.from([0xed, 0xa0, 0x80]), '\\xed\\xa0\\x80'),
    entries: [{ path: Buffer.from([0xed, 0xa0, 0x80]), content: 'x', flags: 0x800 }],
  },
  'invalid UTF-8': {
    ...named(Buffer.from([0x61, 0xff]), 'a\\xff'),
    entries: [{ path: Buffer.from([0x61, 0xff]), content: 'x', flags: 0x800 }],
  },
  'a name that is neither ASCII nor marked as UTF-8': named(Buffer.from('für.txt'), 'f\\xc3\\xbcr.txt'),
  'a right-to-left override': named('a\u202egnp.js', 'a\\u{202e}gnp.js'),
  'a bidirectional isolate': named('a\u2066b.js', 'a\\u{2066}b.js'),
  'a zero-width space': named('a\u200bb.js', 'a\\u{200b}b.js'),
  'a zero-width joiner': named('a\u200db.js', 'a\\u{200d}b.js'),
  'a byte order mark': named('\ufeffa.js', '\\u{feff}a.js'),
  'a soft hyphen': named('a\u00adb.js', 'a\\u{ad}b.js'),
  'a Hangul filler': named('a\u3164.js'),
  'a line separator': named('a\u2028b.js', 'a\\u{2028}b.js'),
  'an alternate data stream': named('a.txt:stream'),
  'a Windows device': named('NUL'),
  'a Windows device with an extension': named('a/con.txt'),
  'a Windows device in a folder': named('a/prn'),
  'a folder named like a Windows device': named('aux/b.txt'),
  'a numbered printer': named('LPT9'),
  'a numbered printer as a folder': named('a/lpt0/b'),
  'a port without extension': named('com0'),
  'a Windows device with two extensions': named('aux.tar.gz'),
  'a numbered Windows device': named('Com1.log'),
  'a Windows device with a superscript number': named('lpt².txt'),
  'a Windows device with a space before its extension': named('nul .txt'),
  'a Windows device with spaces before its extension': named('a/con  .txt'),
  'a port with a superscript number': named('com¹'),
  'a console device': named('CONIN$'),
  'a console device with an extension': named('conout$.txt'),
  'a trailing dot': named('a.txt.'),
  'a trailing space': named('a.txt '),
  'a folder with a trailing dot': named('a./b.txt'),
  'a trailing space in a folder': named('a /b.txt'),
  'a dot at the end of a folder': named('a.b./c'),
  'two dots at the end': named('b..'),
  'a name of 1025 characters': named('\u0430'.repeat(1025), `${'\u0430'.repeat(1024)}…`),
  'a name of 1024 bytes that cannot be decoded': named(Buffer.alloc(256, 0xff), '\\xff'.repeat(256)),
  'a name of 1025 bytes that cannot be decoded': named(
    Buffer.concat([Buffer.alloc(256, 0xff), Buffer.from('a')]),
    `${'\\xff'.repeat(256)}…`,
  ),
  'a plain name over the limit that is set': {
    ...named('abcdefghijklmnopqrstu'),
    limits: { maxPathBytes: 20 },
  },
  'a plain name deeper than the limit that is set': { ...named('a/b/c'), limits: { maxPathDepth: 2 } },
  'over 512 bytes': named(`${'a/'.repeat(20)}${'b'.repeat(473)}`),
  'over 512 bytes in its decomposed form only': {
    ...named('u\u0308'.repeat(171)),
    entry: '\u00fc'.repeat(171),
  },
  'over the limit as a Unicode path only': {
    entries: [
      {
        path: cyrillic,
        content: 'x',
        centralExtra: unicodePathField('\u0442\u0435\u0441\u0442.txt', cyrillic),
      },
    ],
    limits: { maxPathBytes: 11 },
    code: 'archive-entry-name-unsafe',
    entry: '\u0442\u0435\u0441\u0442.txt',
  },
  'over 512 bytes in UTF-8 only': named('ü'.repeat(257)),
  'over 32 levels': named(`${'a/'.repeat(32)}b`),
};

const conflicts: Record<string, HostileArchive> = {
  'equal names': conflict(file, file, 'a.txt'),
  'names equal ignoring case': conflict(file, { ...file, path: 'A.TXT' }, 'A.TXT'),
  'names equal ignoring case outside ASCII': conflict({ path: 'ä/ß.js' }, { path: 'Ä/SS.js' }, 'Ä/SS.js'),
  'a composed and a decomposed name': conflict(
    { path: 'f\u00fcr.js' },
    { path: 'fu\u0308r.js' },
    'f\u00fcr.js',
  ),
  'a compatibility form': conflict({ path: '\ufb01le.js' }, { path: 'file.js' }, 'file.js'),
  'a file and a folder entry of one name': conflict({ path: 'a', content: 'x' }, { path: 'a/' }, 'a/'),
  'a folder entry and a file of one name': conflict({ path: 'a/' }, { path: 'a', content: 'x' }, 'a'),
  'a file and a folder that others lie in': conflict({ path: 'a', content: 'x' }, { path: 'A/b' }, 'a'),
  'a file and a folder further up': conflict({ path: 'x/y/z' }, { path: 'x', content: 'x' }, 'x'),
  'a file and a folder that several lie in': {
    entries: [{ path: 'x/a/b' }, { path: 'x/a/c/d' }, { path: 'x/a' }, { path: 'x/e' }, { path: 'y' }],
    code: 'archive-entry-name-conflict',
    entry: 'x/a',
  },
  'three names equal ignoring case': {
    entries: [{ path: 'a' }, { path: 'A' }, { path: 'b' }, { path: 'a' }],
    code: 'archive-entry-name-conflict',
    entry: 'A',
  },
  'a folder entry twice': conflict({ path: 'a/' }, { path: 'a/' }, 'a/'),
  'a folder entry with data': {
    entries: [{ path: 'a/', content: 'data', method: 'stored' }],
    code: 'archive-entry-name-conflict',
    entry: 'a/',
  },
};

function ofMode(unixMode: number): HostileArchive {
  return { entries: [{ ...file, unixMode }], code: 'archive-entry-kind-forbidden', entry: 'a.txt' };
}

function withAttributes(externalAttributes: number): HostileArchive {
  return { ...ofMode(0), entries: [{ ...file, central: { externalAttributes } }] };
}

const kinds: Record<string, HostileArchive> = {
  'a symbolic link': ofMode(0o120777),
  'a symbolic link from another system': {
    ...ofMode(0),
    entries: [{ ...file, unixMode: 0o120777, central: { versionMadeBy: 20 } }],
  },
  'a character device': ofMode(0o020644),
  'a block device': ofMode(0o060644),
  'a FIFO': ofMode(0o010644),
  'a socket': ofMode(0o140644),
  'a folder by mode with a file name': ofMode(0o040755),
  'a folder by DOS attribute with a file name': withAttributes(0x10),
  'a volume label': withAttributes(0x08),
  'a Windows reparse point': withAttributes(0x400),
};

/** A streamed entry whose descriptor is right, but that the numbers given are added to its own. */
function descriptorOf(
  form: 'signed' | 'unsigned' | 'unsigned64',
  { signature = 0, crc = 0, packed = 0, size = 0 },
): Partial<ZipEntrySpec> {
  const width = form === 'unsigned64' ? 8 : 4;
  const mark = form === 'signed' ? littleEndian([4, 0x08074b50 + signature]) : Buffer.alloc(0);
  const values = littleEndian(
    [4, crc32(text) ^ crc],
    [width, deflateRawSync(text).length + packed],
    [width, text.length + size],
  );
  return { descriptor: form, descriptorBytes: Buffer.concat([mark, values]) };
}

const zip64Sizes = extraField(1, littleEndian([8, text.length], [8, deflateRawSync(text).length]));

const headers: Record<string, HostileArchive> = {
  'another name': lying({ local: { name: Buffer.from('z.txt') } }, 'archive-entry-headers-disagree'),
  'a longer name': lying({ local: { name: Buffer.from('a.txt.js') } }, 'archive-entry-headers-disagree'),
  'another method': lying({ local: { method: 0 } }, 'archive-entry-headers-disagree'),
  'another packed size': lying({ local: { packedBytes: 3 } }, 'archive-entry-headers-disagree'),
  'another unpacked size': lying({ local: { sizeBytes: 3 } }, 'archive-entry-headers-disagree'),
  'a packed size of zero': lying({ local: { packedBytes: 0 } }, 'archive-entry-headers-disagree'),
  'another CRC-32': lying({ local: { crc32: 1 } }, 'archive-entry-headers-disagree'),
  'a descriptor flag of its own': lying({ local: { flags: 8 } }, 'archive-entry-headers-disagree'),
  'no descriptor flag': lying(
    { descriptor: 'signed', local: { flags: 0 } },
    'archive-entry-headers-disagree',
  ),
  'an encryption flag of its own': lying({ local: { flags: 1 } }, 'archive-entry-headers-disagree'),
  'no UTF-8 flag for a UTF-8 name': {
    entries: [{ path: 'für.txt', content: text, local: { flags: 0 } }],
    code: 'archive-entry-headers-disagree',
    entry: 'für.txt',
    offset: 0,
    inPass: true,
  },
  'an encryption flag of its own, masked': lying(
    { local: { flags: 0x2000 } },
    'archive-entry-headers-disagree',
  ),
  'a strong encryption flag of its own': lying({ local: { flags: 0x40 } }, 'archive-entry-headers-disagree'),
  'a flag of patched data of its own': lying({ local: { flags: 0x20 } }, 'archive-entry-headers-disagree'),
  'several values of its own': lying(
    { local: { flags: 1, crc32: 1, packedBytes: 1, sizeBytes: 1, method: 0, versionNeeded: 46 } },
    'archive-entry-headers-disagree',
  ),
  'a CRC-32 in a streamed header': lying(
    { descriptor: 'signed', local: { crc32: 7 } },
    'archive-entry-headers-disagree',
  ),
  'a packed size in a streamed header': lying(
    { descriptor: 'signed', local: { packedBytes: 7 } },
    'archive-entry-headers-disagree',
  ),
  'a CRC-32 of zero': lying({ local: { crc32: 0 } }, 'archive-entry-headers-disagree'),
  'an unpacked size of zero': lying({ local: { sizeBytes: 0 } }, 'archive-entry-headers-disagree'),
  'a large file with another name': lying(
    { content: bombContent, local: { name: Buffer.from('z.txt') } },
    'archive-entry-headers-disagree',
  ),
  'a large file with a name that is longer than the entry': lying(
    { content: bombContent, local: { nameLength: 60_000 } },
    'archive-entries-overlap',
  ),
  'a large file with extra fields that are its data': lying(
    { content: bombContent, local: { extraLength: 40 } },
    'archive-entry-headers-disagree',
  ),
  'a large file with a data descriptor that is not there': lying(
    { content: bombContent, descriptor: 'missing' },
    'archive-entry-headers-disagree',
  ),
  'a large file with a wrong data descriptor': lying(
    {
      content: bombContent,
      descriptor: 'signed',
      descriptorBytes: littleEndian([4, 0x08074b50], [4, 1], [4, 2], [4, 3]),
    },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor that is right but for its signature': lying(
    { ...descriptorOf('signed', { signature: 1 }) },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor that is right but for its CRC-32': lying(
    { ...descriptorOf('unsigned', { crc: 1 }) },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor that is right but for its packed size': lying(
    { ...descriptorOf('signed', { packed: 1 }) },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor that is right but for its unpacked size': lying(
    { ...descriptorOf('signed', { size: 1 }) },
    'archive-entry-headers-disagree',
  ),
  'a 64-bit data descriptor that is right but for its unpacked size': lying(
    { ...descriptorOf('unsigned64', { size: 2 ** 32 }) },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor that nothing announces': {
    entries: [{ ...file, after: Buffer.alloc(12) }, other],
    code: 'archive-ambiguous',
    offset: LOCAL + deflateRawSync(text).length,
    inPass: true,
  },
  'a newer version needed': lying({ local: { versionNeeded: 63 } }, 'archive-entry-headers-disagree'),
  'no signature': lying({ local: { signature: 0x04034b51 } }, 'archive-entry-headers-disagree'),
  'a size in a streamed header': lying(
    { descriptor: 'signed', local: { sizeBytes: 7 } },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor with a wrong CRC-32': lying(
    { descriptor: 'signed', descriptorBytes: littleEndian([4, 0x08074b50], [4, 1], [4, 2], [4, 3]) },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor without signature and wrong': lying(
    { descriptor: 'unsigned', descriptorBytes: littleEndian([4, 1], [4, 2], [4, 3]) },
    'archive-entry-headers-disagree',
  ),
  'a 64-bit data descriptor that is wrong': lying(
    { descriptor: 'signed64', descriptorBytes: littleEndian([4, 0x08074b50], [4, 1], [8, 2], [8, 3]) },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor that is not there': lying({ descriptor: 'missing' }, 'archive-entry-headers-disagree'),
  'a data descriptor with bytes after it': {
    entries: [{ ...file, descriptor: 'signed', after: Buffer.from('stray') }, other],
    code: 'archive-ambiguous',
    offset: LOCAL + deflateRawSync(text).length,
    inPass: true,
  },
  'a name that is longer than the entry': lying({ local: { nameLength: 60_000 } }, 'archive-entries-overlap'),
  'extra fields that push the data into the next entry': lying(
    { local: { extraLength: 40 } },
    'archive-entries-overlap',
  ),
};

const sizes: Record<string, HostileArchive> = {
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
    offset: LOCAL + text.length,
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
      { ...other, withoutLocal: true, central: { offset: LOCAL } },
    ],
    code: 'archive-entries-overlap',
    entry: 'b.txt',
    offset: LOCAL,
  },
  'two entries inside another one, and one after it': {
    entries: [
      { path: 'a.txt', content: buildZip([other, { path: 'c.txt', content: 'c' }]), method: 'stored' },
      { ...other, withoutLocal: true, central: { offset: LOCAL } },
      { path: 'c.txt', content: 'c', withoutLocal: true, central: { offset: LOCAL + 30 + 5 + 7 } },
      { path: 'd.txt', content: 'd' },
    ],
    code: 'archive-entries-overlap',
    entry: 'c.txt',
    offset: LOCAL + 30 + 5 + 7,
  },
  'a header that has no room before the directory': {
    entries: [file, { path: 'b.txt', withoutLocal: true, central: { offset: LOCAL + 1 } }],
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

const zip64 = buildZip([file, other], { zip64: true });
const zip64End = zip64.length - 22 - 20 - 56;
const fakeEnd = endRecords(0, 0, 0);

const structures: Record<string, HostileArchive> = {
  'a prefix': structure(Buffer.concat([Buffer.from('#!/bin/sh\n'), good]), 'archive-ambiguous'),
  'a prefix that the offsets count': structure(
    buildZip([{ ...file, before: Buffer.alloc(70_000) }, other]),
    'archive-ambiguous',
    0,
  ),
  'a short prefix that the offsets count': structure(
    buildZip([{ ...file, before: Buffer.from('MZ') }]),
    'archive-ambiguous',
    0,
  ),
  'a short gap between entries': {
    ...structure(buildZip([file, { ...other, before: Buffer.from('gap') }]), 'archive-ambiguous'),
    offset: LOCAL + deflateRawSync(text).length,
    inPass: true,
  },
  'a long gap between entries': structure(
    buildZip([file, { ...other, before: Buffer.alloc(70_000) }]),
    'archive-ambiguous',
  ),
  'a hidden local record': {
    ...structure(
      buildZip([file, { ...other, withoutCentral: true }, { path: 'c.txt', content: 'c' }]),
      'archive-ambiguous',
    ),
    inPass: true,
  },
  'a hidden local record before the directory': {
    ...structure(buildZip([file, { ...other, withoutCentral: true }]), 'archive-ambiguous'),
    inPass: true,
  },
  'a hidden local record in front': structure(
    buildZip([{ ...other, withoutCentral: true }, file]),
    'archive-ambiguous',
    0,
  ),
  'bytes before the directory': {
    ...structure(buildZip([file], { beforeDirectory: Buffer.from('stray') }), 'archive-ambiguous'),
    inPass: true,
  },
  'bytes between the directory and the end record': structure(
    buildZip([file], { afterDirectory: Buffer.from('stray') }),
    'archive-ambiguous',
  ),
  'bytes inside the directory': structure(
    buildZip([file, other], { directoryOrder: ([a, b]) => [a!, Buffer.from('stray'), b!] }),
    'archive-ambiguous',
  ),
  'trailing data': structure(Buffer.concat([good, Buffer.from('stray')]), 'archive-ambiguous', endOffset),
  'two archives in a row': structure(Buffer.concat([good, good]), 'archive-ambiguous'),
  'two end records': structure(Buffer.concat([good, good.subarray(endOffset)]), 'archive-ambiguous'),
  'an end record inside the comment': structure(buildZip([file], { comment: fakeEnd }), 'archive-ambiguous'),
  'an end record with a comment inside the comment': structure(
    buildZip([file], { comment: Buffer.concat([endRecords(0, 0, 0, { comment: 'xyz' })]) }),
    'archive-ambiguous',
  ),
  "the end record's mark inside the comment": structure(
    buildZip([file], { comment: `PK\x05\x06${' '.repeat(40)}` }),
    'archive-ambiguous',
  ),
  "the end record's mark at the end of the comment": structure(
    buildZip([file], { comment: 'PK\x05\x06' }),
    'archive-ambiguous',
  ),
  'an end record in an entry that reaches to the end': structure(
    buildZip([
      { path: 'a', content: endRecords(0, 0, 0, { end: { commentLength: 22 + 47 } }), method: 'stored' },
    ]),
    'archive-ambiguous',
    31,
  ),
  'a comment length that is too long': structure(
    buildZip([file], { comment: 'hello', end: { commentLength: 9 } }),
    'archive-ambiguous',
  ),
  'a comment length that is too short': structure(
    buildZip([file], { comment: 'hello', end: { commentLength: 2 } }),
    'archive-ambiguous',
  ),
  'a count that is too small': structure(
    buildZip([file, other], { end: { entries: 1, entriesOnDisk: 1 } }),
    'archive-ambiguous',
  ),
  'a count that is too large': structure(
    buildZip([file, other], { end: { entries: 3, entriesOnDisk: 3 } }),
    'archive-ambiguous',
  ),
  'two counts that differ': structure(
    buildZip([file, other], { end: { entriesOnDisk: 1 } }),
    'archive-ambiguous',
    endOffset,
  ),
  'a directory size that is too small': structure(
    buildZip([file, other], { end: { directoryBytes: 51 } }),
    'archive-ambiguous',
  ),
  'a directory size that is too large': structure(
    buildZip([file, other], { end: { directoryBytes: 5000 } }),
    'archive-unreadable',
    endOffset,
  ),
  'a directory offset out of bounds': structure(
    buildZip([file, other], { end: { directoryOffset: 0xfffffff0 } }),
    'archive-unreadable',
    endOffset,
  ),
  'a header offset out of bounds': {
    entries: [file, { ...other, central: { offset: 0xfffffff0 } }],
    code: 'archive-unreadable',
    entry: 'b.txt',
  },
  'a record that runs past the directory': structure(
    buildZip([file, { ...other, central: { commentLength: 500 } }]),
    'archive-unreadable',
  ),
  'the mark of a record at the end of the directory': structure(
    buildZip([file], { directoryOrder: (records) => [...records, Buffer.from('PK\x01\x02')] }),
    'archive-unreadable',
  ),
  'the start of a mark at the end of the directory': structure(
    buildZip([file], { directoryOrder: (records) => [...records, Buffer.from('PK\x01')] }),
    'archive-ambiguous',
  ),
  'the mark of an end record alone': structure(Buffer.from('PK\x05\x06'), 'archive-unreadable', 4),
  'a ZIP64 locator at the start': structure(
    Buffer.concat([littleEndian([4, 0x07064b50], [4, 0], [8, 0], [4, 1]), endRecords(0, 0, 0)]),
    'archive-ambiguous',
  ),
  'a gap that no extra field can explain': structure(
    buildZip([file, { ...other, before: Buffer.alloc(65_536) }]),
    'archive-ambiguous',
    LOCAL + deflateRawSync(text).length + 65_535,
  ),
  'a gap that the longest extra field might explain': {
    ...structure(buildZip([file, { ...other, before: Buffer.alloc(65_535) }]), 'archive-ambiguous'),
    offset: LOCAL + deflateRawSync(text).length,
    inPass: true,
  },
  'a gap that no extra field and descriptor can explain': structure(
    buildZip([
      { ...file, descriptor: 'signed64' },
      { ...other, before: Buffer.alloc(65_536) },
    ]),
    'archive-ambiguous',
    LOCAL + deflateRawSync(text).length + 24 + 65_535,
  ),
  'a gap before the directory that nothing can explain': structure(
    buildZip([file], { beforeDirectory: Buffer.alloc(65_536) }),
    'archive-ambiguous',
    LOCAL + deflateRawSync(text).length + 65_535,
  ),
  'several disks': structure(buildZip([file], { end: { disk: 1, directoryDisk: 1 } }), 'archive-unreadable'),
  'a directory on another disk': structure(
    buildZip([file], { end: { directoryDisk: 1 } }),
    'archive-unreadable',
  ),
  'an entry on another disk': {
    entries: [{ ...file, central: { disk: 1 } }],
    code: 'archive-unreadable',
    entry: 'a.txt',
  },
  'truncation in the end record': structure(good.subarray(0, -5), 'archive-unreadable', good.length - 5),
  'truncation in the directory': structure(good.subarray(0, directoryOffset + 60), 'archive-unreadable'),
  'truncation of an archive that holds another one': structure(
    buildZip([
      { path: 'a.zip', content: good, method: 'stored' },
      { path: 'b', content: Buffer.alloc(90_000), method: 'stored' },
    ]).subarray(0, 85_000),
    'archive-unreadable',
  ),
  'truncation in the first entry': structure(good.subarray(0, 20), 'archive-unreadable'),
  'a missing start': structure(good.subarray(10), 'archive-unreadable'),
  'an empty file': structure(Buffer.alloc(0), 'archive-unreadable', 0),
  'another kind of file': structure(
    Buffer.from('<!doctype html><title>Sign in</title>'),
    'archive-unreadable',
  ),
  'ZIP64 without its locator': structure(
    buildZip([file], { zip64: true, locator: false }),
    'archive-ambiguous',
  ),
  'a ZIP64 locator to the wrong place': structure(
    buildZip([file], { zip64: true, locator: { offset: 3 } }),
    'archive-ambiguous',
  ),
  'a ZIP64 locator past the end': structure(
    buildZip([file], { zip64: true, locator: { offset: 2 ** 52 } }),
    'archive-ambiguous',
  ),
  'a ZIP64 locator without its record': structure(
    patched(zip64, (copy) => copy.writeUInt32LE(0, zip64End)),
    'archive-ambiguous',
  ),
  'a ZIP64 locator in the last comment of the directory': structure(
    buildZip([{ ...file, central: { comment: littleEndian([4, 0x07064b50], [4, 0], [8, 0], [4, 1]) } }]),
    'archive-ambiguous',
  ),
  'a ZIP64 end record of another length': structure(
    buildZip([file], { zip64: true, zip64End: { recordBytes: 52 } }),
    'archive-ambiguous',
  ),
  'end records at odds about the count': structure(
    buildZip([file], { zip64: true, end: { entries: 2, entriesOnDisk: 2 } }),
    'archive-ambiguous',
  ),
  'end records at odds about the place': structure(
    buildZip([file], { zip64: true, end: { directoryOffset: 1 } }),
    'archive-ambiguous',
  ),
  'end records at odds about the size': structure(
    buildZip([file], { zip64: true, end: { directoryBytes: 1 } }),
    'archive-ambiguous',
  ),
  'end records at odds about the disk': structure(
    buildZip([file], { zip64: true, end: { disk: 1 } }),
    'archive-ambiguous',
  ),
  "end records at odds about the directory's disk": structure(
    buildZip([file], { zip64: true, end: { directoryDisk: 1 } }),
    'archive-ambiguous',
  ),
  'end records at odds about the count of the disk': structure(
    buildZip([file], { zip64: true, end: { entriesOnDisk: 2 } }),
    'archive-ambiguous',
  ),
  'end records at odds about the count of all disks': structure(
    buildZip([file], { zip64: true, end: { entries: 2 } }),
    'archive-ambiguous',
  ),
  'another disk in the ZIP64 end record': structure(
    buildZip([file], { zip64: true, end: { disk: 0xffff }, zip64End: { disk: 1 } }),
    'archive-unreadable',
  ),
  'a directory on another disk in the ZIP64 end record': structure(
    buildZip([file], { zip64: true, end: { directoryDisk: 0xffff }, zip64End: { directoryDisk: 1 } }),
    'archive-unreadable',
  ),
  'two counts that differ in the ZIP64 end record': structure(
    buildZip([file], { zip64: true, zip64End: { entriesOnDisk: 2 } }),
    'archive-ambiguous',
  ),
  'a count over 32 bits': structure(
    buildZip([file], { zip64: true, zip64End: { entriesOnDisk: 2 ** 32 + 1, entries: 2 ** 32 + 1 } }),
    'archive-too-many-entries',
  ),
  'a count that the directory has no room for': structure(
    buildZip([file], { end: { entriesOnDisk: 3, entries: 3 } }),
    'archive-ambiguous',
  ),
  'a directory size over 32 bits': structure(
    buildZip([file], { zip64: true, zip64End: { directoryBytes: 2 ** 33 } }),
    'archive-unreadable',
  ),
  'a ZIP64 locator to another disk': structure(
    buildZip([file], { zip64: true, locator: { disk: 1 } }),
    'archive-unreadable',
  ),
  'several disks in ZIP64': structure(
    buildZip([file], { zip64: true, locator: { disks: 2 } }),
    'archive-unreadable',
  ),
};

function centralExtra(
  extra: Buffer,
  code: PackageProblemCode = 'archive-entry-headers-disagree',
): HostileArchive {
  return { entries: [{ ...file, centralExtra: extra }], code, entry: 'a.txt' };
}

const raw = Buffer.from('a.txt');
/** The name in a code page beside a Unicode path. */
function codePage(path: string, flags = 0): HostileArchive {
  return {
    entries: [{ path: cyrillic, content: text, flags, centralExtra: unicodePathField(path, cyrillic) }],
    code: 'archive-entry-headers-disagree',
    entry: '\\xe2\\xa5\\xe1\\xe2.txt',
  };
}

const overflowing = littleEndian([2, 0x5455], [2, 90], [1, 0]);

const extras: Record<string, HostileArchive> = {
  'an extra field that overflows in the directory': centralExtra(overflowing),
  'an extra field that overflows in the local header': lying(
    { localExtra: overflowing },
    'archive-entry-headers-disagree',
  ),
  'bytes after the last extra field': centralExtra(Buffer.from([1, 2])),
  'a ZIP64 field twice': centralExtra(Buffer.concat([zip64Sizes, zip64Sizes])),
  'a ZIP64 field twice in the local header': lying(
    { zip64: true, localExtra: zip64Sizes },
    'archive-entry-headers-disagree',
  ),
  'a ZIP64 field that lacks a value': {
    entries: [{ ...file, central: { sizeBytes: 0xffffffff }, centralExtra: extraField(1, Buffer.alloc(4)) }],
    code: 'archive-entry-headers-disagree',
    entry: 'a.txt',
  },
  'a ZIP64 value without its field': {
    entries: [{ ...file, central: { sizeBytes: 0xffffffff } }],
    code: 'archive-entry-headers-disagree',
    entry: 'a.txt',
  },
  'a ZIP64 field with values that nothing asks for': centralExtra(extraField(1, littleEndian([8, 7]))),
  'a ZIP64 field in the local header with other values': lying(
    { localExtra: extraField(1, littleEndian([8, 7], [8, 7])) },
    'archive-entry-headers-disagree',
  ),
  'a Unicode path twice': centralExtra(
    Buffer.concat([unicodePathField('a.txt', raw), unicodePathField('a.txt', raw)]),
  ),
  'a Unicode path that names another file': centralExtra(unicodePathField('evil.txt', raw)),
  'a Unicode path that names another file of the same length': centralExtra(unicodePathField('b.txt', raw)),
  'a Unicode path with a wrong CRC-32': centralExtra(unicodePathField('a.txt', raw, 1)),
  'a Unicode path of four bytes': centralExtra(extraField(0x7075, Buffer.from([1, 0, 0, 0]))),
  'a Unicode path that is not UTF-8': {
    entries: [
      {
        ...file,
        centralExtra: extraField(
          0x7075,
          Buffer.concat([littleEndian([1, 1], [4, crc32(raw)]), Buffer.from([0xff])]),
        ),
      },
    ],
    code: 'archive-entry-name-unsafe',
    entry: 'a.txt',
  },
  'a Unicode path with another ASCII character than the name': codePage('тест.tyt'),
  'a Unicode path with an ASCII character where the name has none': codePage('aест.txt'),
  'a Unicode path with fewer characters than the name': codePage('тес.txt'),
  'a Unicode path with more characters than the name': codePage('тест.txtx'),
  'a Unicode path beside a name that is marked as UTF-8': codePage('тест.txt', 0x800),
  'a Unicode path of another version': centralExtra(extraField(0x7075, Buffer.from([2, 0, 0, 0, 0, 97]))),
  'a Unicode path that is cut off': centralExtra(extraField(0x7075, Buffer.from([1, 0]))),
  'a Unicode path in the local header that names another file': lying(
    { localExtra: unicodePathField('evil.txt', raw) },
    'archive-entry-headers-disagree',
  ),
};

const codecs: Record<string, HostileArchive> = {
  encryption: { ...centralExtra(Buffer.alloc(0), 'archive-encrypted'), entries: [{ ...file, flags: 1 }] },
  'strong encryption': {
    ...centralExtra(Buffer.alloc(0), 'archive-encrypted'),
    entries: [{ ...file, flags: 0x41 }],
  },
  'masked headers': {
    ...centralExtra(Buffer.alloc(0), 'archive-encrypted'),
    entries: [{ ...file, flags: 0x2000 }],
  },
  'AES encryption': {
    ...centralExtra(Buffer.alloc(0), 'archive-encrypted'),
    entries: [{ ...file, local: { method: 99 }, central: { method: 99 } }],
  },
  'an AES field': centralExtra(extraField(0x9901, Buffer.alloc(7)), 'archive-encrypted'),
  'an AES field in the local header': lying(
    { localExtra: extraField(0x9901, Buffer.alloc(7)) },
    'archive-entry-headers-disagree',
  ),
  ...Object.fromEntries(
    Object.entries({ shrunk: 1, imploded: 6, deflate64: 9, bzip2: 12, lzma: 14, zstd: 93, xz: 95 }).map(
      ([name, method]): [string, HostileArchive] => [
        `method ${method}, ${name}`,
        {
          entries: [{ ...file, local: { method }, central: { method } }],
          code: 'archive-compression-unsupported',
          entry: 'a.txt',
        },
      ],
    ),
  ),
  'patched data': {
    ...centralExtra(Buffer.alloc(0), 'archive-compression-unsupported'),
    entries: [{ ...file, flags: 0x20 }],
  },
  'a version that some readers ask about first': {
    entries: [{ ...file, central: { versionNeeded: 0x0214 } }],
    code: 'archive-compression-unsupported',
    entry: 'a.txt',
  },
  'a version next above all stored and deflated files': {
    entries: [{ ...file, central: { versionNeeded: 46 } }],
    code: 'archive-compression-unsupported',
    entry: 'a.txt',
  },
  'a version above all stored and deflated files': {
    entries: [{ ...file, central: { versionNeeded: 63 } }],
    code: 'archive-compression-unsupported',
    entry: 'a.txt',
  },
};

/** Archives that must be refused, by what is wrong with them. */
export const HOSTILE_ARCHIVES: Readonly<Record<string, Readonly<Record<string, HostileArchive>>>> = {
  names,
  conflicts,
  kinds,
  'local headers': headers,
  sizes,
  structure: structures,
  'extra fields': extras,
  codecs,
};

/** The bytes of a hostile archive. */
export function hostileBytes({ bytes, entries = [], options }: HostileArchive): Buffer {
  return bytes ?? buildZip(entries, options);
}
