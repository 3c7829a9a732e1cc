import { extraField } from '../zip-bytes.ts';
import { type HostileArchive, file, lying, centralExtra } from './hostile-archive.ts';

/** Encryption and compression that is not accepted. */
export const codecs: Record<string, HostileArchive> = {
  encryption: { ...centralExtra(Buffer.alloc(0), 'archive-encrypted'), entries: [{ ...file, flags: 1 }] },
  'strong encryption': {
    ...centralExtra(Buffer.alloc(0), 'archive-encrypted'),
    entries: [{ ...file, flags: 0x41 }],
  },
  'masked headers': {
    ...centralExtra(Buffer.alloc(0), 'archive-encrypted'),
    entries: [{ ...file, flags: 0x2000 }],
  },
  'encryption of a file whose name cannot be decoded': {
    entries: [{ ...file, path: Buffer.from('a\xff', 'latin1'), flags: 1 }],
    code: 'archive-encrypted',
    entry: 'a\\xff',
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
  'a version that some readers check first': {
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
