import type { PackageLimits } from '../limits.ts';
import type { Problem } from '../problem.ts';
import { type PackageSource, bufferSource } from './source.ts';
import type { ArchiveEntry, ClosedEntry, EntryVisitor } from './archive.ts';
import { ByteReader } from './byte-reader.ts';
import { corrupt, unpackAllowance } from './entry-rules.ts';
import { Pacer } from './pacer.ts';
import type { ArchiveDirectory } from './read-directory.ts';
import { type Pass, expandsTooFar, passThrough, sizesIssue } from './read-large-entry.ts';
import { openEntry } from './open-entry.ts';

/** An entry whose bytes, packed or not, are more than this is read in pieces, unless it is wanted whole. */
const SMALL_ENTRY_BYTES = 256 * 1024;

/** A small entry's bytes may exceed its packed ones by its header and descriptor. */
const SMALL_SPACE_BYTES = SMALL_ENTRY_BYTES + 4 * 1024;

function isSmall(entry: ArchiveEntry, spaceBytes: number): boolean {
  return entry.sizeBytes <= SMALL_ENTRY_BYTES && spaceBytes <= SMALL_SPACE_BYTES;
}

/** Opens a small entry, or lets the visitor open it, which may take time. */
function readAtOnce(
  { visitor, spend }: Pass,
  closed: ClosedEntry,
): Problem | undefined | Promise<Problem | undefined> {
  const { entry } = closed;
  if (!spend(entry.sizeBytes)) return expandsTooFar(entry);
  if (!entry.isFolder && visitor.wantsWhole(entry)) return visitor.whole(closed);
  const opened = openEntry(closed);
  if ('code' in opened) return opened;
  if (!entry.isFolder) visitor.passed(entry, opened.proof);
  return undefined;
}

/** Reads a large entry. Leaves the reader anywhere up to the next entry. */
async function readLargeEntry(
  pass: Pass,
  entry: ArchiveEntry,
  entryEnd: number,
): Promise<Problem | undefined> {
  const { reader, visitor } = pass;
  const issue = sizesIssue(entry);
  if (issue !== null) return corrupt(entry, issue);
  if (!entry.isFolder && visitor.wantsWhole(entry))
    return readAtOnce(pass, { bytes: await reader.take(entryEnd - entry.headerOffset), entry });
  const proof = await passThrough(pass, entry, entryEnd);
  if ('code' in proof) return proof;
  if (!entry.isFolder) visitor.passed(entry, proof);
  return undefined;
}

function startPass(
  source: PackageSource,
  { whole, directoryOffset, entries }: ArchiveDirectory,
  visitor: EntryVisitor,
  limits: PackageLimits,
  report: (bytesDone: number) => void,
): Pass {
  const from = whole === undefined ? source : bufferSource(whole);
  const packedBytes = entries.reduce((sum, entry) => sum + entry.packedBytes, 0);
  const allowance = unpackAllowance(packedBytes, limits);
  const reader = new ByteReader(from.stream(0, directoryOffset));
  let spent = 0;
  const spend = (bytes: number) => (spent += bytes) <= allowance;
  return { reader, visitor, pacer: new Pacer(), spend, report };
}

async function readAll(pass: Pass, { entries, directoryOffset }: ArchiveDirectory): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [index, entry] of entries.entries()) {
    const entryEnd = entries[index + 1]?.headerOffset ?? directoryOffset;
    const spaceBytes = entryEnd - entry.headerOffset;
    let found: Problem | undefined;
    if (isSmall(entry, spaceBytes)) {
      const bytes = pass.reader.tryTake(spaceBytes) ?? (await pass.reader.take(spaceBytes));
      const result = readAtOnce(pass, { bytes, entry });
      found = result instanceof Promise ? await result : result;
    } else found = await readLargeEntry(pass, entry, entryEnd);
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
  if (directory.entries.length === 0) return [];
  const pass = startPass(source, directory, visitor, limits, onProgress);
  try {
    const problems = await readAll(pass, directory);
    onProgress(pass.reader.offset);
    return problems;
  } finally {
    await pass.reader.close();
  }
}
