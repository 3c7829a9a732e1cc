import { hash } from 'node:crypto';
import { crc32, inflateRawSync } from 'node:zlib';

import { type PackageLimits, DEFAULT_PACKAGE_LIMITS } from '../../../../shared/package/limits.ts';
import type { Problem } from '../../../../shared/package/problem.ts';
import { type PackageSource, bufferSource } from '../../../../shared/package/archive/source.ts';
import type { ArchiveEntry, EntryProof, EntryVisitor } from '../../../../shared/package/archive/archive.ts';
import { readDirectory } from '../../../../shared/package/archive/read-directory.ts';
import { openEntry } from '../../../../shared/package/archive/open-entry.ts';
import { readEntries } from '../../../../shared/package/archive/read-entries.ts';

/** The result of reading a whole archive. */
export interface Reading {
  readonly entries: readonly ArchiveEntry[];
  /** The problems of the directory, then of the pass. */
  readonly directoryProblems: readonly Problem[];
  readonly entryProblems: readonly Problem[];
  readonly problems: readonly Problem[];
  /** Contents of the files by path: as passed to the visitor, otherwise as the archive has them at the reported offset. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** A visitor that keeps every file, or its verified facts, in the order of reading. */
export function keepingVisitor(isWhole: boolean) {
  const files = new Map<string, { entry: ArchiveEntry; proof: EntryProof; content: Buffer | null }>();
  const visitor: EntryVisitor = {
    wantsWhole: () => isWhole,
    whole: (closed) => {
      const opened = openEntry(closed);
      if ('code' in opened) return opened;
      files.set(closed.entry.path, { entry: closed.entry, ...opened });
      return undefined;
    },
    passed: (entry, proof) => void files.set(entry.path, { entry, proof, content: null }),
  };
  return { ...visitor, files };
}

/** The content of an entry by its verified facts alone. */
async function contentAt(source: PackageSource, entry: ArchiveEntry, proof: EntryProof): Promise<Buffer> {
  const packed = Buffer.from(await source.read(proof.dataOffset, entry.packedBytes));
  if (crc32(packed) !== proof.packedCrc32) throw new Error('wrong CRC-32 of the compressed data');
  return entry.method === 0 ? packed : inflateRawSync(packed);
}

/** Reads a whole archive as the service does, and checks the verified facts of each file. */
export async function readArchive(
  archive: Buffer | PackageSource,
  limits: Partial<PackageLimits> = {},
  isWhole = true,
): Promise<Reading> {
  const source = Buffer.isBuffer(archive) ? bufferSource(archive) : archive;
  const allLimits = { ...DEFAULT_PACKAGE_LIMITS, ...limits };
  const directory = await readDirectory(source, allLimits);
  const visitor = keepingVisitor(isWhole);
  const entryProblems = await readEntries(source, directory, allLimits, visitor);
  const files = new Map<string, Buffer>();
  for (const [path, { entry, proof, content }] of visitor.files) {
    // The counter of fetched bytes is not affected.
    const there =
      Buffer.isBuffer(archive) || content === null ? await contentAt(source, entry, proof) : content;
    if (hash('sha256', there, 'hex') !== proof.sha256) throw new Error('wrong SHA-256');
    if (content?.equals(there) === false) throw new Error('another content than the archive has');
    files.set(path, content ?? there);
  }
  return {
    entries: directory.entries,
    directoryProblems: directory.problems,
    entryProblems,
    problems: [...directory.problems, ...entryProblems],
    files,
  };
}

/** A source that returns its bytes in small pieces and counts what was fetched. */
export function countingSource(bytes: Buffer, pieceBytes: number): PackageSource & { fetched: number } {
  return {
    sizeBytes: bytes.length,
    fetched: 0,
    read(offset, length) {
      this.fetched += length;
      return Promise.resolve(Buffer.from(bytes.subarray(offset, offset + length)));
    },
    async *stream(offset, length) {
      for (let at = offset; at < offset + length; at += pieceBytes) {
        const piece = Buffer.from(bytes.subarray(at, Math.min(at + pieceBytes, offset + length)));
        this.fetched += piece.length;
        await Promise.resolve();
        yield piece;
      }
    },
  };
}
