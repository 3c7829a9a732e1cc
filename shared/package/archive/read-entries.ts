import type { PackageLimits } from '../limits.ts';
import type { Problem } from '../problem.ts';
import type { PackageSource } from './source.ts';
import { bufferSource } from './source.ts';
import type { ArchiveEntry, EntryVisitor } from './archive.ts';
import { ByteReader } from './byte-reader.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';
import { unpackAllowance } from './entry-rules.ts';
import { Pacer } from './pacer.ts';
import type { ArchiveDirectory } from './read-directory.ts';
import type { Pass } from './read-large-entry.ts';
import { expandsTooFar, readLargeEntry } from './read-large-entry.ts';
import { SMALL_ENTRY_BYTES, deliver, openSmallEntry } from './read-small-entry.ts';

/** A small entry's bytes may exceed its packed ones by its header and descriptor. */
const SMALL_SPACE_BYTES = SMALL_ENTRY_BYTES + 4 * 1024;

function isSmall(record: CentralDirectoryHeader, spaceBytes: number): boolean {
  return record.sizeBytes <= SMALL_ENTRY_BYTES && spaceBytes <= SMALL_SPACE_BYTES;
}

/** Reads a small entry from its bytes; a promise where the visitor needs time for it. */
function readSmallEntry(
  pass: Pass,
  entry: ArchiveEntry,
  record: CentralDirectoryHeader,
  bytes: Buffer,
): Problem | Promise<void> | undefined {
  const opened = openSmallEntry(bytes, record);
  if (!pass.spend(record.sizeBytes)) return expandsTooFar(record);
  if ('code' in opened) return opened;
  return entry.isFolder ? undefined : deliver(entry, opened, pass.visitor);
}

function startPass(
  source: PackageSource,
  directory: ArchiveDirectory,
  visitor: EntryVisitor,
  limits: PackageLimits,
  report: (bytesDone: number) => void,
): Pass {
  const { whole, directoryOffset, records } = directory;
  const from = whole === undefined ? source : bufferSource(whole);
  const packedBytes = records.reduce((sum, record) => sum + record.packedBytes, 0);
  const allowance = unpackAllowance(packedBytes, limits);
  let spent = 0;
  const spend = (bytes: number): boolean => {
    spent += bytes;
    return spent <= allowance;
  };
  return {
    reader: new ByteReader(from.stream(0, directoryOffset)),
    visitor,
    pacer: new Pacer(),
    spend,
    report,
  };
}

async function readAll(pass: Pass, directory: ArchiveDirectory): Promise<Problem[]> {
  const { entries, records, directoryOffset } = directory;
  const problems: Problem[] = [];
  for (const [index, record] of records.entries()) {
    const entry = entries[index];
    if (entry === undefined) break;
    const entryEnd = records[index + 1]?.headerOffset ?? directoryOffset;
    const spaceBytes = entryEnd - record.headerOffset;
    let found: Problem | undefined;
    if (isSmall(record, spaceBytes)) {
      const bytes = pass.reader.tryTake(spaceBytes) ?? (await pass.reader.take(spaceBytes));
      const result = readSmallEntry(pass, entry, record, bytes);
      if (result instanceof Promise) await result;
      else found = result;
    } else found = await readLargeEntry(pass, entry, record, entryEnd);
    if (found !== undefined) problems.push(found);
    if (found?.code === 'archive-expands-too-far') break;
    if (pass.reader.offset < entryEnd) await pass.reader.skipTo(entryEnd);
    if (pass.pacer.isDue) {
      pass.report(entryEnd);
      await pass.pacer.turn();
    }
  }
  return problems;
}

/**
 * Reads every entry in one pass over the archive, in the order of offsets: local headers and data
 * descriptors against the directory, contents against size and CRC-32, the SHA-256 of each file. An
 * entry that fails adds its problem and the rest go on. `onProgress` gets the bytes passed so far.
 * Throws only what the source throws.
 */
export async function readEntries(
  source: PackageSource,
  directory: ArchiveDirectory,
  limits: PackageLimits,
  visitor: EntryVisitor,
  onProgress: (bytesDone: number) => void = () => undefined,
): Promise<readonly Problem[]> {
  if (directory.records.length === 0) return [];
  const pass = startPass(source, directory, visitor, limits, onProgress);
  try {
    const problems = await readAll(pass, directory);
    onProgress(pass.reader.offset);
    return problems;
  } finally {
    await pass.reader.close();
  }
}
