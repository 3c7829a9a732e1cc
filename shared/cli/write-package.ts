import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { writeZip, zipLength } from '../package/archive/write-zip.ts';
import type { ZipFile, ZipStream } from '../package/archive/write-zip.ts';
import { CannotRunError, reasonOf, RejectedError } from './exit-codes.ts';
import type { FolderFile } from './list-folder.ts';

/** Up to this size a file is held whole; a larger one is read twice, in pieces. */
const WHOLE_FILE_BYTES = 8 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

/** A package that was written to a file. */
export interface WrittenPackage {
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** How large the package of these files is, in bytes. */
export function packageBytes(files: readonly FolderFile[]): number {
  return zipLength(files);
}

/**
 * Writes the package of a folder's files to a new file: stored, with fixed times and modes, so that the
 * same files give the same bytes on every system. Memory stays flat whatever the sizes.
 * @throws RejectedError when the package would be over `maxBytes`.
 * @throws CannotRunError when a file cannot be read or changes meanwhile, or the target cannot be written.
 */
export async function writePackage(
  files: readonly FolderFile[],
  target: string,
  maxBytes: number,
): Promise<WrittenPackage> {
  checkSize(files, maxBytes);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const handle = await open(target, 'wx').catch((error: unknown) => {
    throw new CannotRunError(`Cannot write ${target}: ${reasonOf(error)}.`);
  });
  try {
    for await (const block of inBlocks(writeZip(zipFiles(files)))) {
      hash.update(block);
      await handle.appendFile(block);
      sizeBytes += block.length;
    }
    await handle.sync();
  } catch (error) {
    if (error instanceof CannotRunError) throw error;
    throw new CannotRunError(`Cannot write ${target}: ${reasonOf(error)}.`);
  } finally {
    await handle.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Many small pieces together: a write each would make a package of small files slow. */
async function* inBlocks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes < PIECE_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    heldBytes = 0;
  }
  yield Buffer.concat(held);
}

function checkSize(files: readonly FolderFile[], maxBytes: number): void {
  const sizeBytes = packageBytes(files);
  if (sizeBytes > maxBytes)
    throw new RejectedError(`The package would have ${sizeBytes} bytes; at most ${maxBytes} are taken.`);
}

async function* zipFiles(files: readonly FolderFile[]): AsyncGenerator<ZipFile | ZipStream> {
  for (const each of files) yield each.sizeBytes > WHOLE_FILE_BYTES ? await measured(each) : await held(each);
}

async function held(each: FolderFile): Promise<ZipFile> {
  const content = await readFile(each.file).catch((error: unknown) => {
    throw new CannotRunError(`Cannot read ${each.file}: ${reasonOf(error)}.`);
  });
  if (content.length !== each.sizeBytes) throw changed(each);
  return { path: each.path, content };
}

/** Its header, which goes first, tells the CRC-32: so the file is read twice. */
async function measured(each: FolderFile): Promise<ZipStream> {
  const { path, sizeBytes } = each;
  let sum = 0;
  for await (const piece of pieces(each)) sum = crc32(piece, sum);
  return { path, sizeBytes, crc32: sum, open: () => samePieces(each, sum) };
}

async function* samePieces(each: FolderFile, sum: number): AsyncGenerator<Buffer> {
  let again = 0;
  for await (const piece of pieces(each)) {
    again = crc32(piece, again);
    yield piece;
  }
  if (again !== sum) throw changed(each);
}

/** The bytes of a file, which must be as many as were listed. */
async function* pieces({ file, sizeBytes, path }: FolderFile): AsyncGenerator<Buffer> {
  const handle = await open(file);
  try {
    let readBytes = 0;
    for await (const piece of handle.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false })) {
      if (!Buffer.isBuffer(piece)) throw new TypeError('a file gave text');
      readBytes += piece.length;
      yield piece;
    }
    if (readBytes !== sizeBytes) throw changed({ path });
  } finally {
    await handle.close();
  }
}

function changed({ path }: Pick<FolderFile, 'path'>): CannotRunError {
  return new CannotRunError(`${path} was changed while it was read. Try again when nothing writes to it.`);
}
