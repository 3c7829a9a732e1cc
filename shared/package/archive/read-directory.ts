import type { PackageLimits } from '../limits.ts';
import type { Problem } from '../problem.ts';
import { problem } from '../problem.ts';
import { WHOLE_READ_BYTES } from './source.ts';
import type { PackageSource } from './source.ts';
import type { ArchiveEntry } from './archive.ts';
import type { ByteWindow } from './byte-window.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';
import { CENTRAL_HEADER_BYTES, readCentralDirectory, tooManyEntries } from './central-directory.ts';
import type { EndOfCentralDirectory } from './end-record.ts';
import { MAX_TAIL_BYTES, readEndOfCentralDirectory } from './end-record.ts';
import { checkLocations } from './entry-locations.ts';
import { checkRecord, checkTotals } from './entry-rules.ts';
import { listEntries } from './list-entries.ts';
import { findNameConflicts } from './name-conflicts.ts';

/** What extra fields and a comment may take per entry before a directory is not read at all. */
const SPARE_BYTES_PER_ENTRY = 256;
const SMALLEST_CAP_BYTES = 1024 * 1024;

/** What the end of central directory records and the central directory say. */
export interface ArchiveDirectory {
  /** Files and folders in the order of their offsets; empty when there are problems. */
  readonly entries: readonly ArchiveEntry[];
  /** Every `archive-…` problem that the directory shows. */
  readonly problems: readonly Problem[];
  /** Where the entries end and the directory starts. */
  readonly directoryOffset: number;
  /** The central directory header of each entry, in the same order: what local headers are compared with. */
  readonly records: readonly CentralDirectoryHeader[];
  /** The whole package, where it is small enough to have been fetched in one read. */
  readonly whole?: Buffer;
}

function rejected(problems: readonly Problem[], directoryOffset = 0): ArchiveDirectory {
  return { entries: [], problems, directoryOffset, records: [] };
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
    return [problem('archive-ambiguous', `${detail} Build the ZIP again with an ordinary tool.`, { offset })];
  }
  const cap = limits.maxEntries * (CENTRAL_HEADER_BYTES + limits.maxPathBytes + SPARE_BYTES_PER_ENTRY);
  if (directoryBytes <= Math.max(cap, SMALLEST_CAP_BYTES)) return [];
  const detail = `The central directory has ${directoryBytes} bytes, more than ${limits.maxEntries} entries need.`;
  return [problem('archive-too-many-entries', `${detail} Leave out comments and extra fields.`, { offset })];
}

function checkRecords(
  records: readonly CentralDirectoryHeader[],
  directoryOffset: number,
  limits: PackageLimits,
): { inOrder: readonly CentralDirectoryHeader[]; problems: Problem[] } {
  const problems: Problem[] = [];
  for (const record of records) checkRecord(record, limits, problems);
  const inOrder = records.toSorted(
    (a, b) => a.headerOffset - b.headerOffset || a.recordOffset - b.recordOffset,
  );
  return {
    inOrder,
    problems: problems.concat(
      findNameConflicts(records),
      checkLocations(inOrder, directoryOffset),
      checkTotals(records, limits),
    ),
  };
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
  if (counts.length > 0) return rejected(counts, directoryOffset);

  const rest = await reachBack(source, tail, directoryOffset);
  const at = directoryOffset - rest.offset;
  const directory = { bytes: rest.bytes.subarray(at, at + directoryBytes), offset: directoryOffset };
  const read = readCentralDirectory(directory, end.entries, limits);
  if ('code' in read) return rejected([read], directoryOffset);
  const { records, problems } = read;
  const checked = checkRecords(records, directoryOffset, limits);
  const all = problems.concat(checked.problems);
  if (all.length > 0) return rejected(all, directoryOffset);

  const listed = await listEntries(rest, records);
  if ('code' in listed) return rejected([listed], directoryOffset);
  const entries = listed.sort((a, b) => a.headerOffset - b.headerOffset);
  const whole = tail.offset === 0 ? { whole: tail.bytes } : {};
  return { entries, problems: [], directoryOffset, records: checked.inOrder, ...whole };
}
