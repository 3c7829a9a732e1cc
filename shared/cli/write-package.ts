import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { writeZip, zipLength, type ZipStream } from '../package/archive/write-zip.ts';
import { CannotRunError, reasonOf, RejectedError } from './exit-codes.ts';
import type { FolderFile } from './list-folder.ts';

const PIECE_BYTES = 1024 * 1024;

/** A package written to a file. */
export interface WrittenPackage {
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** The output for a written package. */
export function describePackage(target: string, { sizeBytes, sha256 }: WrittenPackage): string {
  return `${target}\n  size     ${sizeBytes} bytes\n  sha-256  ${sha256}\n`;
}

/**
 * Writes the package of a folder's files to a new file: stored, with fixed times and modes, so that the
 * same files have the same bytes on every system. Memory does not depend on their size.
 * @throws RejectedError if the package would exceed `maxBytes`.
 * @throws CannotRunError if a file cannot be read or changes meanwhile, or the target cannot be written.
 */
export async function writePackage(
  files: readonly FolderFile[],
  target: string,
  maxBytes: number,
): Promise<WrittenPackage> {
  const sizeBytes = zipLength(files);
  if (sizeBytes > maxBytes)
    throw new RejectedError(`The package would have ${sizeBytes} bytes. The limit is ${maxBytes}.`);
  return writeNewFile(target, writeZip(measuredFiles(files)));
}

/**
 * Writes pieces to a file that does not exist yet.
 * @throws CannotRunError if it cannot be written, and what reading the pieces throws.
 */
export async function writeNewFile(
  target: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<WrittenPackage> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const counted = async function* () {
    for await (const piece of pieces) {
      hash.update(piece);
      sizeBytes += piece.length;
      yield piece;
    }
  };
  try {
    const handle = await open(target, 'wx');
    // The stream gathers small pieces: one write per piece would make a package of small files slow.
    await pipeline(counted, handle.createWriteStream({ highWaterMark: PIECE_BYTES, flush: true }));
  } catch (error) {
    if (error instanceof CannotRunError) throw error;
    throw new CannotRunError(`Cannot write ${target}: ${reasonOf(error)}.`);
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Each file is read twice, because its CRC-32 is in the local file header before its bytes. */
async function* measuredFiles(files: readonly FolderFile[]): AsyncGenerator<ZipStream> {
  for (const { path, file, sizeBytes } of files) {
    let sum = 0;
    let readBytes = 0;
    for await (const piece of piecesOf(file)) {
      sum = crc32(piece, sum);
      readBytes += piece.length;
    }
    if (readBytes !== sizeBytes) throw changed(path);
    yield { path, sizeBytes, crc32: sum, open: () => samePieces(path, file, sum) };
  }
}

async function* samePieces(path: string, file: string, sum: number): AsyncGenerator<Buffer> {
  let again = 0;
  for await (const piece of piecesOf(file)) {
    again = crc32(piece, again);
    yield piece;
  }
  if (again !== sum) throw changed(path);
}

async function* piecesOf(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) yield piece as Buffer;
  } catch (error) {
    throw new CannotRunError(`Cannot read ${file}: ${reasonOf(error)}.`);
  }
}

function changed(path: string): CannotRunError {
  return new CannotRunError(`${path} was changed while it was read. Try again when nothing writes to it.`);
}
