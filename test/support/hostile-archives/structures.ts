import { deflateRawSync } from 'node:zlib';
import { buildZip, endRecords } from '../zip-builder.ts';
import { type HostileArchive, text, file, other, localHeaderBytes, structure } from './hostile-archive.ts';

const good = buildZip([file, other]);
const endOffset = good.length - 22;
const directoryOffset = good.readUInt32LE(endOffset + 16);
const fakeEnd = endRecords(0, 0, 0);

/** Records that contradict each other. */
export const structures: Record<string, HostileArchive> = {
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
    offset: localHeaderBytes + deflateRawSync(text).length,
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
  'a comment that was cut off': structure(
    buildZip([file], { end: { commentLength: 5 } }),
    'archive-ambiguous',
  ),
  'a directory record without its signature': structure(
    buildZip([file, { ...other, central: { signature: 0x02014b51 } }]),
    'archive-ambiguous',
    directoryOffset + 46 + 'a.txt'.length,
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
  'a gap that no extra field can explain': structure(
    buildZip([file, { ...other, before: Buffer.alloc(65_536) }]),
    'archive-ambiguous',
    localHeaderBytes + deflateRawSync(text).length + 65_535,
  ),
  'a gap that the longest extra field might explain': {
    ...structure(buildZip([file, { ...other, before: Buffer.alloc(65_535) }]), 'archive-ambiguous'),
    offset: localHeaderBytes + deflateRawSync(text).length,
    inPass: true,
  },
  'a gap that no extra field and descriptor can explain': structure(
    buildZip([
      { ...file, descriptor: 'signed64' },
      { ...other, before: Buffer.alloc(65_536) },
    ]),
    'archive-ambiguous',
    localHeaderBytes + deflateRawSync(text).length + 24 + 65_535,
  ),
  'a gap before the directory that nothing can explain': structure(
    buildZip([file], { beforeDirectory: Buffer.alloc(65_536) }),
    'archive-ambiguous',
    localHeaderBytes + deflateRawSync(text).length + 65_535,
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
  'truncation of an archive that contains another one': structure(
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
  'a count that the directory has no room for': structure(
    buildZip([file], { end: { entriesOnDisk: 3, entries: 3 } }),
    'archive-ambiguous',
  ),
};
