import type { Problem } from '../problem.ts';
import { ambiguous, unreadable } from './archive-problems.ts';
import { type ByteWindow, SATURATED_16, SATURATED_32, readUInt64 } from './byte-window.ts';

/** End of central directory record (APPNOTE 4.3.16). */
const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');
const END_BYTES = 22;
/** ZIP64 end of central directory locator (APPNOTE 4.3.15). */
const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_BYTES = 20;
/** ZIP64 end of central directory record (APPNOTE 4.3.14). */
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_END_BYTES = 56;

/** As much of an archive's end as its end records can take: comment, end record, ZIP64 locator and record. */
export const MAX_TAIL_BYTES = 0xffff + END_BYTES + LOCATOR_BYTES + ZIP64_END_BYTES;

/** Where the central directory is and how many entries it has, as the end records agree. */
export interface EndOfCentralDirectory {
  readonly entries: number;
  readonly directoryOffset: number;
  readonly directoryBytes: number;
}

interface EndFields extends EndOfCentralDirectory {
  readonly disk: number;
  readonly directoryDisk: number;
  readonly entriesOnDisk: number;
}

/** Every offset of the signature where a reader may see the end record: a comment is at most 65,535 bytes. */
function everyIndexOf(bytes: Buffer, signature: Buffer): number[] {
  const found: number[] = [];
  const from = Math.max(0, bytes.length - END_BYTES - 0xffff);
  for (let at = bytes.indexOf(signature, from); at !== -1; at = bytes.indexOf(signature, at + 1))
    found.push(at);
  return found;
}

/** Whether the end record at this index ends, with its comment, where the archive ends. */
function fitsTheEnd(bytes: Buffer, at: number): boolean {
  return at + END_BYTES <= bytes.length && at + END_BYTES + bytes.readUInt16LE(at + 20) === bytes.length;
}

/**
 * The end record's index (APPNOTE 4.3.16). Readers look for its signature from the back, some of them
 * without checking the comment's length; so the last one must be the only possible one.
 */
function findEnd({ bytes, offset }: ByteWindow): number | Problem {
  const found = everyIndexOf(bytes, END_SIGNATURE);
  const last = found.at(-1);
  const fitting = found.filter((at) => fitsTheEnd(bytes, at));
  if (last === undefined || (last + END_BYTES > bytes.length && fitting.length === 0)) {
    const what = 'The file has no ZIP end record: it is not a ZIP archive, or it was cut off.';
    return unreadable(`${what} Check that the upload is the whole ZIP.`, offset + bytes.length);
  }
  if (!fitsTheEnd(bytes, last)) {
    if (fitting.length > 0)
      return ambiguous('The archive comment contains the signature of an end record.', offset + last);
    const declared = bytes.readUInt16LE(last + 20);
    const present = bytes.length - last - END_BYTES;
    const what = `The end record declares a comment of ${declared} bytes, but ${present} bytes follow it.`;
    return ambiguous(what, offset + last);
  }
  const first = fitting[0] ?? last;
  if (first !== last) return ambiguous('The archive has more than one end record.', offset + first);
  return last;
}

function readEndFields(bytes: Buffer, at: number): EndFields {
  return {
    disk: bytes.readUInt16LE(at + 4),
    directoryDisk: bytes.readUInt16LE(at + 6),
    entriesOnDisk: bytes.readUInt16LE(at + 8),
    entries: bytes.readUInt16LE(at + 10),
    directoryBytes: bytes.readUInt32LE(at + 12),
    directoryOffset: bytes.readUInt32LE(at + 16),
  };
}

function readZip64Fields(bytes: Buffer, at: number): EndFields {
  return {
    disk: bytes.readUInt32LE(at + 16),
    directoryDisk: bytes.readUInt32LE(at + 20),
    entriesOnDisk: readUInt64(bytes, at + 24),
    entries: readUInt64(bytes, at + 32),
    directoryBytes: readUInt64(bytes, at + 40),
    directoryOffset: readUInt64(bytes, at + 48),
  };
}

/** Each field of the short record is the ZIP64 record's, or refers to it (APPNOTE 4.4.1.4). */
function endRecordsAgree(short: EndFields, long: EndFields): boolean {
  const agree = (narrow: number, wide: number, saturated: number): boolean =>
    narrow === wide || narrow === saturated;
  return (
    agree(short.disk, long.disk, SATURATED_16) &&
    agree(short.directoryDisk, long.directoryDisk, SATURATED_16) &&
    agree(short.entriesOnDisk, long.entriesOnDisk, SATURATED_16) &&
    agree(short.entries, long.entries, SATURATED_16) &&
    agree(short.directoryBytes, long.directoryBytes, SATURATED_32) &&
    agree(short.directoryOffset, long.directoryOffset, SATURATED_32)
  );
}

/**
 * The ZIP64 end of central directory record (APPNOTE 4.3.14), which must be directly before its locator (4.3.15): a
 * reader that follows the locator and one that looks in front of it must find the same record. Its
 * extensible data sector is rejected: no writer of unencrypted archives uses it.
 */
function readZip64End({ bytes, offset }: ByteWindow, locatorAt: number): EndFields | Problem {
  const at = locatorAt - ZIP64_END_BYTES;
  const locatorOffset = offset + locatorAt;
  if (bytes.readUInt32LE(locatorAt + 4) !== 0 || bytes.readUInt32LE(locatorAt + 16) !== 1) {
    return unreadable('The archive is split over several disks. Build it as a single file.', locatorOffset);
  }
  const pointsTo = readUInt64(bytes, locatorAt + 8);
  if (at < 0 || pointsTo !== offset + at || bytes.readUInt32LE(at) !== ZIP64_END_SIGNATURE) {
    return ambiguous(
      'The ZIP64 locator does not point to a ZIP64 end record directly before it.',
      locatorOffset,
    );
  }
  if (readUInt64(bytes, at + 4) !== ZIP64_END_BYTES - 12) {
    return ambiguous('The ZIP64 end record has a wrong length.', offset + at);
  }
  return readZip64Fields(bytes, at);
}

/** Whether a record of this signature and length is directly before an index. */
function hasBefore(bytes: Buffer, end: number, signature: number, length: number): boolean {
  return end >= length && bytes.readUInt32LE(end - length) === signature;
}

function countsProblem(fields: EndFields, offset: number): Problem | null {
  if (fields.disk !== 0 || fields.directoryDisk !== 0)
    return unreadable('The archive is split over several disks. Build it as a single file.', offset);
  if (fields.entriesOnDisk === fields.entries) return null;
  return ambiguous(
    `The end record counts ${fields.entriesOnDisk} entries in one field and ${fields.entries} in another.`,
    offset,
  );
}

/** The directory must end where the end records start: anything between or in front shifts the offsets. */
function locationProblem(fields: EndFields, directoryEnd: number): Problem | null {
  const declaredEnd = fields.directoryOffset + fields.directoryBytes;
  if (declaredEnd > directoryEnd) {
    const what = `The central directory is declared to end at byte ${declaredEnd}, past its end record.`;
    return unreadable(`${what} The ZIP was cut off or damaged; build it again.`, directoryEnd);
  }
  if (declaredEnd === directoryEnd) return null;
  const what = `${directoryEnd - declaredEnd} bytes before the archive, or between its directory and its end record, do not belong to any entry.`;
  return ambiguous(what, declaredEnd);
}

/** The fields of the end records, and the offset of the first of these. */
function readEnd(tail: ByteWindow): { readonly fields: EndFields; readonly endOffset: number } | Problem {
  const { bytes, offset } = tail;
  if (offset + bytes.length === 0)
    return unreadable('The file is empty. Check that the upload is the whole ZIP.', 0);
  const endAt = findEnd(tail);
  if (typeof endAt !== 'number') return endAt;
  const short = readEndFields(bytes, endAt);
  if (!hasBefore(bytes, endAt, LOCATOR_SIGNATURE, LOCATOR_BYTES)) {
    if (!hasBefore(bytes, endAt, ZIP64_END_SIGNATURE, ZIP64_END_BYTES))
      return { fields: short, endOffset: offset + endAt };
    // Nothing points to it, but a reader may find it by its signature.
    const stray = offset + endAt - ZIP64_END_BYTES;
    return ambiguous('The archive has a ZIP64 end record without its locator.', stray);
  }
  const locatorAt = endAt - LOCATOR_BYTES;
  const long = readZip64End(tail, locatorAt);
  if ('code' in long) return long;
  if (!endRecordsAgree(short, long))
    return ambiguous('The end record and the ZIP64 end record contradict each other.', offset + endAt);
  return { fields: long, endOffset: offset + locatorAt - ZIP64_END_BYTES };
}

/** Reads the end records from the archive's tail; every ambiguity is a problem. */
export function readEndOfCentralDirectory(tail: ByteWindow): EndOfCentralDirectory | readonly Problem[] {
  const end = readEnd(tail);
  if ('code' in end) return [end];
  const { fields, endOffset } = end;
  const problems = [countsProblem(fields, endOffset), locationProblem(fields, endOffset)];
  const found = problems.filter((each) => each !== null);
  return found.length > 0 ? found : fields;
}
