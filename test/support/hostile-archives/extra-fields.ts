import { crc32, deflateRawSync } from 'node:zlib';
import { extraField, littleEndian, unicodePathField } from '../zip-bytes.ts';
import { type HostileArchive, text, file, cyrillic, lying, centralExtra } from './hostile-archive.ts';

const zip64Sizes = extraField(1, littleEndian([8, text.length], [8, deflateRawSync(text).length]));

const raw = Buffer.from('a.txt');
/** The name in a code page, with a Unicode path. */
function codePage(path: string, flags = 0): HostileArchive {
  return {
    entries: [{ path: cyrillic, content: text, flags, centralExtra: unicodePathField(path, cyrillic) }],
    code: 'archive-entry-headers-disagree',
    entry: '\\xe2\\xa5\\xe1\\xe2.txt',
  };
}

/** The same without its extension, and with a DEL in place of its last letter. */
const withDel = Buffer.from([0xe2, 0xa5, 0xe1, 0x7f]);

const overflowing = littleEndian([2, 0x5455], [2, 90], [1, 0]);

/** Extra fields that lie or overflow. */
export const extras: Record<string, HostileArchive> = {
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
  'a ZIP64 field with superfluous values': centralExtra(extraField(1, littleEndian([8, 7]))),
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
  'an empty Unicode path': centralExtra(unicodePathField('', raw)),
  'a Unicode path with a letter where the name has a DEL': {
    entries: [{ path: withDel, content: text, centralExtra: unicodePathField('тест', withDel) }],
    code: 'archive-entry-headers-disagree',
    entry: '\\xe2\\xa5\\xe1\\x7f',
  },
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
  'a Unicode path that is the start of the name': codePage('тест.tx'),
  'a Unicode path with more characters than the name': codePage('тест.txtx'),
  'a Unicode path beside a name that is marked as UTF-8': codePage('тест.txt', 0x800),
  'a Unicode path of another version': centralExtra(extraField(0x7075, Buffer.from([2, 0, 0, 0, 0, 97]))),
  'a Unicode path that is cut off': centralExtra(extraField(0x7075, Buffer.from([1, 0]))),
  'a Unicode path in the local header that names another file': lying(
    { localExtra: unicodePathField('evil.txt', raw) },
    'archive-entry-headers-disagree',
  ),
  'a Unicode path in the local header that differs from the one in the directory': {
    entries: [
      {
        path: cyrillic,
        content: text,
        localExtra: unicodePathField('тост.txt', cyrillic),
        centralExtra: unicodePathField('тест.txt', cyrillic),
      },
    ],
    code: 'archive-entry-headers-disagree',
    entry: 'тест.txt',
    offset: 0,
    inPass: true,
  },
};
