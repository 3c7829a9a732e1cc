import type { Problem } from '../problem.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';

/** One entry as its central directory header describes it; it has passed every rule. */
export interface ArchiveEntry extends CentralDirectoryHeader {
  readonly path: string;
}

/** How a file is compressed. */
export type CompressionMethod = 'stored' | 'deflate';

/** What reading an entry has proven. */
export interface EntryProof {
  /** The hash of the content, lower-case hex. */
  readonly sha256: string;
  /** Where the compressed data starts in the archive: `packedBytes` from there belong to this entry alone. */
  readonly dataOffset: number;
  /** CRC-32 of the compressed data. */
  readonly packedCrc32: number;
}

/** The arguments for opening an entry. */
export interface ClosedEntry {
  /** From its local header to the next entry. */
  readonly bytes: Buffer;
  readonly entry: ArchiveEntry;
}

/** The content of an entry, its size and CRC-32 checked. */
export interface OpenedEntry {
  readonly content: Buffer;
  readonly proof: EntryProof;
}

/** Receives an archive's files, in the order of their offsets. */
export interface EntryVisitor {
  /** Whether to keep the content in memory; the visitor bounds it by `entry.sizeBytes`. */
  wantsWhole(entry: ArchiveEntry): boolean;
  /**
   * A file that is wanted whole. The visitor opens it, and returns why it cannot be opened; the next one waits for the
   * end of a promise.
   */
  whole(closed: ClosedEntry): Problem | undefined | Promise<Problem | undefined>;
  /** Any other file: its content was read and checked, and is not kept. One that is corrupt is never given. */
  passed(entry: ArchiveEntry, proof: EntryProof): void;
}
