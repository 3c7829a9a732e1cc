import type { PackageLimits } from '../limits.ts';
import type { PackageCheck } from '../package-check.ts';
import { type FoundProblems, type Problem, problem } from '../problem.ts';
import { ambiguous, misbuilt, unreadable } from './archive-problems.ts';
import type { ByteWindow } from './byte-window.ts';
import { labelOfBytes, labelOfText, pathOf } from './entry-name.ts';
import { type ExtraFields, readExtraFields, widen } from './extra-fields.ts';

/** Central directory header (APPNOTE 4.3.12): its signature, and the length of its fixed part. */
const HEADER_SIGNATURE = 0x02014b50;
export const CENTRAL_HEADER_BYTES = 46;

/** A central directory header (APPNOTE 4.3.12). */
export interface CentralDirectoryHeader {
  /** Offset of the header itself in the archive. */
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
  /** The name's bytes, one character each: a string of them takes far less memory than a buffer. */
  readonly rawName: string;
  readonly extra: ExtraFields;
  /** The name in Unicode NFC without a leading `./`, when it can be decoded. */
  readonly path: string | undefined;
  readonly isFolder: boolean;
  /** The name as reports show it. */
  readonly label: string;
}

/** The sum of the headers' lengths, checked before they are parsed. */
interface Framing {
  /** Where each record starts, as an index into the directory. */
  readonly starts: readonly number[];
  /** Where the records stop. */
  readonly end: number;
}

function recordEnd(bytes: Buffer, at: number): number {
  const name = bytes.readUInt16LE(at + 28);
  const extra = bytes.readUInt16LE(at + 30);
  const comment = bytes.readUInt16LE(at + 32);
  return at + CENTRAL_HEADER_BYTES + name + extra + comment;
}

/** Finds the headers without making anything of them, and stops over the limit. */
function measure(bytes: Buffer, maxEntries: number): Framing {
  let at = 0;
  const starts: number[] = [];
  while (starts.length <= maxEntries && at + CENTRAL_HEADER_BYTES <= bytes.length) {
    if (bytes.readUInt32LE(at) !== HEADER_SIGNATURE) break;
    const end = recordEnd(bytes, at);
    if (end > bytes.length) break;
    starts.push(at);
    at = end;
  }
  return { starts, end: at };
}

/** The problem of an archive with more entries than the limit. */
export function tooManyEntries(limits: PackageLimits, offset: number): Problem {
  const detail = `The archive has more than ${limits.maxEntries} entries. Bundle the build into fewer files.`;
  return problem('archive-too-many-entries', detail, { offset });
}

function checkFraming(
  framing: Framing,
  { bytes, offset }: ByteWindow,
  declared: number,
  problems: FoundProblems,
): void {
  const stop = offset + framing.end;
  const rest = bytes.length - framing.end;
  if (rest >= 4 && bytes.readUInt32LE(framing.end) === HEADER_SIGNATURE)
    problems.add(
      unreadable('A record of the central directory runs past its end. Build the ZIP again.', stop),
    );
  else if (rest > 0)
    problems.add(
      ambiguous(`The central directory has ${rest} bytes that do not belong to any entry's record.`, stop),
    );
  if (framing.starts.length !== declared) {
    const detail = `The end record counts ${declared} entries, the central directory has ${framing.starts.length}.`;
    problems.add(ambiguous(detail, stop));
  }
}

function disagree(what: string, entry: string, offset: number): Problem {
  const detail = `The directory's record of "${entry}" contradicts itself: ${what}.`;
  return misbuilt('archive-entry-headers-disagree', detail, { entry, offset });
}

function readName(
  name: Buffer,
  flags: number,
  extra: ExtraFields,
  offset: number,
  problems: FoundProblems,
): Pick<CentralDirectoryHeader, 'path' | 'label'> {
  const decoded = pathOf(name, flags, extra.unicodePath);
  if ('path' in decoded) {
    const { path } = decoded;
    return { path, label: labelOfText(path === '' ? name.toString('latin1') : path) };
  }
  const entry = labelOfBytes(name);
  const remedy =
    'Rename the file, or build the ZIP with `modulectl pack .` or `7z a -tzip -mcu=on package.zip *`, which write UTF-8.';
  problems.add(
    problem(decoded.code, `"${entry}" is rejected: ${decoded.issue}. ${remedy}`, { entry, offset }),
  );
  return { path: undefined, label: entry };
}

function readRecord(
  { bytes, offset }: ByteWindow,
  at: number,
  problems: FoundProblems,
): CentralDirectoryHeader {
  const recordOffset = offset + at;
  const nameEnd = at + CENTRAL_HEADER_BYTES + bytes.readUInt16LE(at + 28);
  const name = bytes.subarray(at + CENTRAL_HEADER_BYTES, nameEnd);
  const flags = bytes.readUInt16LE(at + 8);
  const extra = readExtraFields(bytes.subarray(nameEnd, nameEnd + bytes.readUInt16LE(at + 30)));
  const rawName = name.toString('latin1');
  const { path, label } = readName(name, flags, extra, recordOffset, problems);
  if (extra.issue !== '') problems.add(disagree(extra.issue, label, recordOffset));
  const narrow = [
    bytes.readUInt32LE(at + 24),
    bytes.readUInt32LE(at + 20),
    bytes.readUInt32LE(at + 42),
  ] as const;
  const wide = widen(narrow, extra.zip64);
  if (typeof wide === 'string') problems.add(disagree(wide, label, recordOffset));
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
    rawName,
    extra,
    path,
    isFolder: rawName.endsWith('/'),
    label,
  };
}

/** Reads every central directory header, unless there are too many: they are counted before anything is made for them. */
export async function readCentralDirectory(
  directory: ByteWindow,
  declared: number,
  { limits, problems, pacer }: PackageCheck,
): Promise<readonly CentralDirectoryHeader[] | Problem> {
  const framing = measure(directory.bytes, limits.maxEntries);
  if (framing.starts.length > limits.maxEntries) return tooManyEntries(limits, directory.offset);
  checkFraming(framing, directory, declared, problems);
  const records: CentralDirectoryHeader[] = [];
  await pacer.forEach(framing.starts, (at) => {
    records.push(readRecord(directory, at, problems));
  });
  return records;
}
