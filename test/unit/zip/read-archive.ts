import { createHash } from 'node:crypto';

import type { PackageLimits } from '../../../shared/package/limits.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import type { Problem } from '../../../shared/package/problem.ts';
import type { PackageSource } from '../../../shared/package/source.ts';
import { bufferSource } from '../../../shared/package/source.ts';
import type { ArchiveEntry, EntryVisitor } from '../../../shared/package/zip/archive.ts';
import { readDirectory } from '../../../shared/package/zip/read-directory.ts';
import { readEntries } from '../../../shared/package/zip/read-entries.ts';

/** What reading a whole archive came to. */
export interface Reading {
  readonly entries: readonly ArchiveEntry[];
  /** Of the directory, then of the pass. */
  readonly directoryProblems: readonly Problem[];
  readonly entryProblems: readonly Problem[];
  readonly problems: readonly Problem[];
  /** Contents of the files by path, as given to the visitor. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly aborted: readonly string[];
}

/** A visitor that keeps every file, whole or in pieces, and checks the SHA-256 that it is told. */
export function keepingVisitor(isWhole: boolean): EntryVisitor & {
  readonly files: Map<string, Buffer>;
  readonly aborted: string[];
} {
  const files = new Map<string, Buffer>();
  const aborted: string[] = [];
  const keep = (entry: ArchiveEntry, content: Buffer, sha256: string): void => {
    if (createHash('sha256').update(content).digest('hex') !== sha256) throw new Error('wrong SHA-256');
    files.set(entry.path, content);
  };
  return {
    files,
    aborted,
    wantsWhole: () => isWhole,
    whole: keep,
    pieces: (entry) => {
      const pieces: Buffer[] = [];
      return {
        write: (piece) => void pieces.push(piece),
        end: (sha256) => {
          keep(entry, Buffer.concat(pieces), sha256);
        },
        abort: () => void aborted.push(entry.path),
      };
    },
  };
}

/** Reads an archive in full, the way the service does. */
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
  return {
    entries: directory.entries,
    directoryProblems: directory.problems,
    entryProblems,
    problems: [...directory.problems, ...entryProblems],
    files: visitor.files,
    aborted: visitor.aborted,
  };
}

/** A source that hands out its bytes in small pieces and counts what was fetched. */
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
