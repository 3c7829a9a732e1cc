import { crc32, deflateRawSync } from 'node:zlib';
import type { ZipEntrySpec } from '../zip-spec.ts';
import { littleEndian } from '../zip-bytes.ts';
import {
  type HostileArchive,
  text,
  file,
  other,
  localHeaderBytes,
  bombContent,
  lying,
} from './hostile-archive.ts';

/** A streamed entry with a valid descriptor, except that these numbers are added to its fields. */
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

/** Content that reads as an unknown extra field of no bytes, and more. */
const startsAsExtra = Buffer.concat([littleEndian([2, 0xcafe], [2, 0]), Buffer.from(text)]);

/** Local headers and data descriptors that disagree with the directory. */
export const headers: Record<string, HostileArchive> = {
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
  'a data descriptor that is correct except for its signature': lying(
    { ...descriptorOf('signed', { signature: 1 }) },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor that is correct except for its CRC-32': lying(
    { ...descriptorOf('unsigned', { crc: 1 }) },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor that is correct except for its packed size': lying(
    { ...descriptorOf('signed', { packed: 1 }) },
    'archive-entry-headers-disagree',
  ),
  'a data descriptor that is correct except for its unpacked size': lying(
    { ...descriptorOf('signed', { size: 1 }) },
    'archive-entry-headers-disagree',
  ),
  'a 64-bit data descriptor that is correct except for its unpacked size': lying(
    { ...descriptorOf('unsigned64', { size: 2 ** 32 }) },
    'archive-entry-headers-disagree',
  ),
  'an undeclared data descriptor': {
    entries: [{ ...file, after: Buffer.alloc(12) }, other],
    code: 'archive-ambiguous',
    offset: localHeaderBytes + deflateRawSync(text).length,
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
  'a wrong data descriptor without signature': lying(
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
    offset: localHeaderBytes + deflateRawSync(text).length,
    inPass: true,
  },
  'a name that is longer than the entry': lying({ local: { nameLength: 60_000 } }, 'archive-entries-overlap'),
  'extra fields that push the data into the next entry': lying(
    { local: { extraLength: 40 } },
    'archive-entries-overlap',
  ),
  // Correct fields, so that only the location of the data differs.
  'extra fields that are the start of its data': lying(
    { content: startsAsExtra, method: 'stored', local: { extraLength: 4 } },
    'archive-entries-overlap',
  ),
  'a large file with extra fields that are the start of its data': lying(
    {
      content: Buffer.concat([startsAsExtra, bombContent]),
      method: 'stored',
      local: { extraLength: 4 },
    },
    'archive-entries-overlap',
  ),
  'a large file behind another one, with extra fields that are the start of its data': {
    entries: [
      other,
      {
        ...file,
        content: Buffer.concat([startsAsExtra, bombContent]),
        method: 'stored',
        local: { extraLength: 4 },
      },
    ],
    code: 'archive-entries-overlap',
    entry: 'a.txt',
    offset: localHeaderBytes + deflateRawSync('other').length,
    inPass: true,
  },
};
