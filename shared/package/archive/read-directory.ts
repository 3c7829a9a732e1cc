import type { PackageLimits } from '../limits.ts';
import type { PackageCheck } from '../package-check.ts';
import { type CodeCounts, type Problem, FoundProblems, problem } from '../problem.ts';
import { WHOLE_READ_BYTES, type PackageSource } from './source.ts';
import { ambiguous } from './archive-problems.ts';
import type { ArchiveEntry } from './archive.ts';
import type { ByteWindow } from './byte-window.ts';
import {
  type CentralDirectoryHeader,
  CENTRAL_HEADER_BYTES,
  readCentralDirectory,
  tooManyEntries,
} from './central-directory.ts';
import { type EndOfCentralDirectory, MAX_TAIL_BYTES, readEndOfCentralDirectory } from './end-record.ts';
import { checkLocations } from './entry-locations.ts';
import { checkRecord, checkSeparators, checkTotals } from './entry-rules.ts';
import { findNameConflicts } from './name-conflicts.ts';
import { Pacer } from './pacer.ts';
import { readAgain } from './second-reader.ts';

/** The largest size of extra fields and comment per entry; a larger directory is not read. */
const SPARE_BYTES_PER_ENTRY = 256;
const SMALLEST_CAP_BYTES = 1024 * 1024;

/** The contents of the end of central directory records and the central directory. */
export interface ArchiveDirectory {
  /** Files and folders in the order of their offsets; empty when there are problems. */
  readonly entries: readonly ArchiveEntry[];
  /** The `archive-…` problems that the directory shows: the first by `compareProblems`, in no particular order. */
  readonly problems: readonly Problem[];
  /** The further ones. */
  readonly omittedErrors: CodeCounts;
  /** Where the entries end and the directory starts; 0 where there are problems. */
  readonly directoryOffset: number;
  /** The whole package, where it is small enough to have been fetched in one read. */
  readonly whole?: Buffer;
}

function rejected(problems: readonly Problem[], omittedErrors: CodeCounts = new Map()): ArchiveDirectory {
  return { entries: [], problems, omittedErrors, directoryOffset: 0 };
}

async function readTail(source: PackageSource): Promise<ByteWindow> {
  const { sizeBytes } = source;
  const length = sizeBytes <= WHOLE_READ_BYTES ? sizeBytes : MAX_TAIL_BYTES;
  const offset = sizeBytes - length;
  return { bytes: await source.read(offset, length), offset };
}

/** The archive's end from the directory on, or earlier; a long one is fetched again in one piece, which needs no copy. */
async function reachBack(source: PackageSource, tail: ByteWindow, offset: number): Promise<ByteWindow> {
  if (offset >= tail.offset) return tail;
  return { bytes: await source.read(offset, source.sizeBytes - offset), offset };
}

/** Rejects an archive by the counts alone, before the directory is fetched. */
function checkCounts(end: EndOfCentralDirectory, limits: PackageLimits): Problem[] {
  const { entries, directoryBytes, directoryOffset: offset } = end;
  if (entries > limits.maxEntries) return [tooManyEntries(limits, offset)];
  if (directoryBytes < entries * CENTRAL_HEADER_BYTES) {
    const detail = `The end record counts ${entries} entries, for which its directory of ${directoryBytes} bytes is too short.`;
    return [ambiguous(detail, offset)];
  }
  const cap = limits.maxEntries * (CENTRAL_HEADER_BYTES + limits.maxPathBytes + SPARE_BYTES_PER_ENTRY);
  if (directoryBytes <= Math.max(cap, SMALLEST_CAP_BYTES)) return [];
  const detail = `The central directory has ${directoryBytes} bytes, more than ${limits.maxEntries} entries need.`;
  return [problem('archive-too-many-entries', `${detail} Leave out comments and extra fields.`, { offset })];
}

/** Adds every problem of the records, and returns them in the order of their offsets. */
async function checkRecords(
  records: readonly CentralDirectoryHeader[],
  directoryOffset: number,
  check: PackageCheck,
): Promise<readonly CentralDirectoryHeader[]> {
  const { limits, problems, pacer } = check;
  await pacer.forEach(records, (record) => checkRecord(record, check));
  const inOrder = await pacer.sort(
    records,
    (a, b) => a.headerOffset - b.headerOffset || a.recordOffset - b.recordOffset,
  );
  await findNameConflicts(records, check);
  await checkLocations(inOrder, directoryOffset, check);
  await checkSeparators(records, check);
  problems.addAll(checkTotals(records, limits));
  return inOrder;
}

/** A name that cannot be decoded is a problem, so that each entry of an archive without problems has a path. */
function hasPath(record: CentralDirectoryHeader): record is ArchiveEntry {
  return record.path !== undefined;
}

/**
 * Reads the archive's directory in one or two reads and validates it: every problem that it shows, with
 * nothing inflated. Throws only what the source throws.
 */
export async function readDirectory(source: PackageSource, limits: PackageLimits): Promise<ArchiveDirectory> {
  const tail = await readTail(source);
  const end = readEndOfCentralDirectory(tail);
  if (!('directoryOffset' in end)) return rejected(end);
  const { directoryOffset, directoryBytes } = end;
  const counts = checkCounts(end, limits);
  if (counts.length > 0) return rejected(counts);

  const rest = await reachBack(source, tail, directoryOffset);
  const at = directoryOffset - rest.offset;
  const directory = { bytes: rest.bytes.subarray(at, at + directoryBytes), offset: directoryOffset };
  const check = { limits, problems: new FoundProblems(limits.maxReportedProblems), pacer: new Pacer() };
  const records = await readCentralDirectory(directory, end.entries, check);
  if ('code' in records) return rejected([records]);
  const inOrder = await checkRecords(records, directoryOffset, check);
  const { problems, omittedErrors } = check.problems;
  if (problems.length > 0) return rejected(problems, omittedErrors);

  const disagreement = await readAgain(rest, records, check.pacer);
  if (disagreement !== undefined) return rejected([disagreement]);
  const whole = tail.offset === 0 ? { whole: tail.bytes } : {};
  return {
    entries: inOrder.filter(hasPath),
    problems: [],
    omittedErrors: new Map(),
    directoryOffset,
    ...whole,
  };
}
