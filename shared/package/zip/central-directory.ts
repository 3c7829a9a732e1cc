import type { PackageLimits } from '../limits.ts';
import type { Problem } from '../problem.ts';
import { problem } from '../problem.ts';
import type { ByteWindow } from './byte-window.ts';
import { decodeName, labelOf } from './entry-name.ts';
import type { ExtraFields } from './extra-fields.ts';
import { readExtraFields, widen } from './extra-fields.ts';

const RECORD_SIGNATURE = 0x02014b50;
const RECORD_BYTES = 46;

/** One record of the central directory (APPNOTE 4.3.12) with what was found wrong in reading it. */
export interface DirectoryRecord {
  /** Offset of the record itself in the archive. */
  readonly recordOffset: number;
  readonly versionNeeded: number;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly packedBytes: number;
  readonly sizeBytes: number;
  readonly disk: number;
  readonly externalAttributes: number;
  readonly headerOffset: number;
  readonly name: Buffer;
  readonly extra: ExtraFields;
  /** The name in Unicode NFC, when it can be decoded. */
  readonly path?: string;
  readonly isFolder: boolean;
  /** The name as reports show it. */
  readonly label: string;
}

/** What the records' lengths add up to, before anything is made of them. */
interface Framing {
  readonly records: number;
  /** Where the records stop, as an index into the directory. */
  readonly end: number;
}

function recordEnd(bytes: Buffer, at: number): number {
  const name = bytes.readUInt16LE(at + 28);
  const extra = bytes.readUInt16LE(at + 30);
  const comment = bytes.readUInt16LE(at + 32);
  return at + RECORD_BYTES + name + extra + comment;
}

/** Counts the records without making anything of them, and stops over the limit. */
function measure(bytes: Buffer, maxEntries: number): Framing {
  let at = 0;
  let records = 0;
  while (records <= maxEntries && at + RECORD_BYTES <= bytes.length) {
    if (bytes.readUInt32LE(at) !== RECORD_SIGNATURE) break;
    const end = recordEnd(bytes, at);
    if (end > bytes.length) break;
    at = end;
    records++;
  }
  return { records, end: at };
}

/** The problem of an archive with more entries than the limit. */
export function tooManyEntries(limits: PackageLimits, offset: number): Problem {
  const detail = `The archive has more than ${limits.maxEntries} entries. Bundle the build into fewer files.`;
  return problem('archive-too-many-entries', detail, { offset });
}

function checkFraming(framing: Framing, { bytes, offset }: ByteWindow, declared: number): Problem[] {
  const problems: Problem[] = [];
  const stop = offset + framing.end;
  if (framing.end < bytes.length) {
    const rest = bytes.length - framing.end;
    const isRecord = rest >= 4 && bytes.readUInt32LE(framing.end) === RECORD_SIGNATURE;
    problems.push(
      isRecord
        ? problem(
            'archive-unreadable',
            'A record of the central directory runs past its end. Build the ZIP again.',
            { offset: stop },
          )
        : problem(
            'archive-ambiguous',
            `The central directory holds ${rest} bytes that are no entry's record. Build the ZIP again with an ordinary tool.`,
            { offset: stop },
          ),
    );
  }
  if (framing.records !== declared) {
    const detail = `The end record counts ${declared} entries, the central directory holds ${framing.records}.`;
    problems.push(
      problem('archive-ambiguous', `${detail} Build the ZIP again with an ordinary tool.`, { offset: stop }),
    );
  }
  return problems;
}

function disagree(what: string, entry: string, offset: number): Problem {
  const detail = `The directory's record of "${entry}" is at odds with itself: ${what}. Build the ZIP again with an ordinary tool.`;
  return problem('archive-entry-headers-disagree', detail, { entry, offset });
}

function readName(
  name: Buffer,
  flags: number,
  extra: ExtraFields,
): Pick<DirectoryRecord, 'path' | 'label'> & { fault?: (offset: number) => Problem } {
  const decoded = decodeName(name, flags, extra.unicodePath);
  if ('text' in decoded) {
    const path = decoded.text.normalize('NFC');
    return { path, label: labelOf(Buffer.from(path), 0x800) };
  }
  const label = labelOf(name, flags);
  const remedy = 'Rename the file, or build the ZIP with a tool that writes UTF-8 names.';
  const detail = `"${label}" is refused: ${decoded.fault}. ${remedy}`;
  return { label, fault: (offset) => problem(decoded.code, detail, { entry: label, offset }) };
}

function readRecord({ bytes, offset }: ByteWindow, at: number, problems: Problem[]): DirectoryRecord {
  const recordOffset = offset + at;
  const nameEnd = at + RECORD_BYTES + bytes.readUInt16LE(at + 28);
  const name = bytes.subarray(at + RECORD_BYTES, nameEnd);
  const flags = bytes.readUInt16LE(at + 8);
  const extra = readExtraFields(bytes.subarray(nameEnd, nameEnd + bytes.readUInt16LE(at + 30)));
  const { path, label, fault } = readName(name, flags, extra);
  if (fault !== undefined) problems.push(fault(recordOffset));
  if (extra.fault !== '') problems.push(disagree(extra.fault, label, recordOffset));
  const narrow = [
    bytes.readUInt32LE(at + 24),
    bytes.readUInt32LE(at + 20),
    bytes.readUInt32LE(at + 42),
  ] as const;
  const wide = widen(narrow, extra.zip64);
  if (typeof wide === 'string') problems.push(disagree(wide, label, recordOffset));
  const [sizeBytes, packedBytes, headerOffset] = typeof wide === 'string' ? narrow : wide;
  return {
    recordOffset,
    versionNeeded: bytes.readUInt16LE(at + 6),
    flags,
    method: bytes.readUInt16LE(at + 10),
    crc32: bytes.readUInt32LE(at + 16),
    packedBytes,
    sizeBytes,
    disk: bytes.readUInt16LE(at + 34),
    externalAttributes: bytes.readUInt32LE(at + 38),
    headerOffset,
    name,
    extra,
    ...(path === undefined ? {} : { path }),
    isFolder: name.at(-1) === 0x2f,
    label,
  };
}

/** Reads every record of the directory; the entries are counted before anything is made for them. */
export function readRecords(
  directory: ByteWindow,
  declared: number,
  limits: PackageLimits,
): { readonly records: readonly DirectoryRecord[]; readonly problems: Problem[] } {
  const framing = measure(directory.bytes, limits.maxEntries);
  if (framing.records > limits.maxEntries) {
    return { records: [], problems: [tooManyEntries(limits, directory.offset)] };
  }
  const problems = checkFraming(framing, directory, declared);
  const records: DirectoryRecord[] = [];
  for (let at = 0; at < framing.end; at = recordEnd(directory.bytes, at)) {
    records.push(readRecord(directory, at, problems));
  }
  return { records, problems };
}
