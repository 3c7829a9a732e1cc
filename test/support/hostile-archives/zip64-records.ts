import { buildZip, endRecords } from '../zip-builder.ts';
import { littleEndian } from '../zip-bytes.ts';
import { type HostileArchive, file, other, structure } from './hostile-archive.ts';

function patched(bytes: Buffer, patch: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  patch(copy);
  return copy;
}

const zip64 = buildZip([file, other], { zip64: true });
const zip64End = zip64.length - 22 - 20 - 56;

/** False ZIP64 end records and locators, or ones that contradict the end record. */
export const zip64Records: Record<string, HostileArchive> = {
  'a ZIP64 locator at the start': structure(
    Buffer.concat([littleEndian([4, 0x07064b50], [4, 0], [8, 0], [4, 1]), endRecords(0, 0, 0)]),
    'archive-ambiguous',
  ),
  'ZIP64 without its locator': structure(
    buildZip([file], { zip64: true, locator: false }),
    'archive-ambiguous',
  ),
  'a ZIP64 locator to the wrong location': structure(
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
  'end records that disagree about the count': structure(
    buildZip([file], { zip64: true, end: { entries: 2, entriesOnDisk: 2 } }),
    'archive-ambiguous',
  ),
  'end records that disagree about the location': structure(
    buildZip([file], { zip64: true, end: { directoryOffset: 1 } }),
    'archive-ambiguous',
  ),
  'end records that disagree about the size': structure(
    buildZip([file], { zip64: true, end: { directoryBytes: 1 } }),
    'archive-ambiguous',
  ),
  'end records that disagree about the disk': structure(
    buildZip([file], { zip64: true, end: { disk: 1 } }),
    'archive-ambiguous',
  ),
  "end records that disagree about the directory's disk": structure(
    buildZip([file], { zip64: true, end: { directoryDisk: 1 } }),
    'archive-ambiguous',
  ),
  'end records that disagree about the count of the disk': structure(
    buildZip([file], { zip64: true, end: { entriesOnDisk: 2 } }),
    'archive-ambiguous',
  ),
  'end records that disagree about the count of all disks': structure(
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
