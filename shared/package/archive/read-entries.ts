import type { PackageLimits } from '../limits.ts';
import type { Problem } from '../problem.ts';
import { type PackageSource, bufferSource } from './source.ts';
import type { ArchiveEntry, ClosedEntry, EntryVisitor } from './archive.ts';
import { ByteReader } from './byte-reader.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';
import { corrupt, unpackAllowance } from './entry-rules.ts';
import { Pacer } from './pacer.ts';
import type { ArchiveDirectory } from './read-directory.ts';
import { type Pass, expandsTooFar, passThrough, sizesIssue } from './read-large-entry.ts';
import { openEntry } from './open-entry.ts';

/** An entry whose bytes, packed or not, are more than this is read in pieces, unless it is wanted whole. */
const SMALL_ENTRY_BYTES = 256 * 1024;

/** A small entry's bytes may exceed its packed ones by its header and descriptor. */
const SMALL_SPACE_BYTES = SMALL_ENTRY_BYTES + 4 * 1024;

function isSmall(record: CentralDirectoryHeader, spaceBytes: number): boolean {
  return record.sizeBytes <= SMALL_ENTRY_BYTES && spaceBytes <= SMALL_SPACE_BYTES;
}

/** Opens a small entry, or lets the visitor open it, which may take time. */
function readAtOnce(
  { visitor, spend }: Pass,
  entry: ArchiveEntry,
  closed: ClosedEntry,
): Problem | undefined | Promise<Problem | undefined> {
  if (!spend(closed.record.sizeBytes)) return expandsTooFar(closed.record);
  if (!entry.isFolder && visitor.wantsWhole(entry)) return visitor.whole(entry, closed);
  const opened = openEntry(closed);
  if ('code' in opened) return opened;
  if (!entry.isFolder) visitor.passed(entry, opened.proof);
  return undefined;
}

/** Reads a large entry. Leaves the reader anywhere up to the next entry. */
async function readLargeEntry(
  pass: Pass,
  entry: ArchiveEntry,
  record: CentralDirectoryHeader,
  entryEnd: number,
): Promise<Problem | undefined> {
  const { reader, visitor } = pass;
  const issue = sizesIssue(record);
  if (issue !== null) return corrupt(record, issue);
  if (!entry.isFolder && visitor.wantsWhole(entry)) {
    const bytes = await reader.take(entryEnd - record.headerOffset);
    return readAtOnce(pass, entry, { bytes, record });
  }
  const proof = await passThrough(pass, record, entryEnd);
  if ('code' in proof) return proof;
  if (!entry.isFolder) visitor.passed(entry, proof);
  return undefined;
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
      const result = readAtOnce(pass, entry, { bytes, record });
      found = result instanceof Promise ? await result : result;
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
 * Throws only what the source and the visitor throw.
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
