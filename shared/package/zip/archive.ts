/** One entry as the central directory describes it; its name has passed every rule. */
export interface ArchiveEntry {
  /** The path in Unicode NFC, `/` between segments; a folder's ends in `/`. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly method: 'stored' | 'deflate';
  readonly packedBytes: number;
  readonly sizeBytes: number;
  readonly crc32: number;
  /** Offset of the local header in the archive. */
  readonly headerOffset: number;
}

/**
 * Who receives an archive's files, in the order of their offsets. A file is whole (one buffer) when
 * `wantsWhole` says so, else it comes in pieces. A file whose bytes turn out to be corrupt is never
 * given whole, and ends in `abort` when it came in pieces.
 */
export interface EntryVisitor {
  /** Whether the content is to be held in memory; the visitor bounds it by `entry.sizeBytes`. */
  wantsWhole(entry: ArchiveEntry): boolean;
  /** A whole file, its CRC-32 checked. `sha256` is lower-case hex. */
  whole(entry: ArchiveEntry, content: Buffer, sha256: string): void | Promise<void>;
  /** A file in pieces. */
  pieces(entry: ArchiveEntry): EntryWriter;
}

/** Takes one file in pieces; a returned promise is waited for, which is the back-pressure. */
export interface EntryWriter {
  write(piece: Buffer): void | Promise<void>;
  end(sha256: string): void | Promise<void>;
  abort(): void | Promise<void>;
}
