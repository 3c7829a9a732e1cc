import { open } from 'node:fs/promises';
import type { PackageSource } from '../package/archive/source.ts';
import { CannotRunError, reasonOf } from './exit-codes.ts';

const PIECE_BYTES = 256 * 1024;

/**
 * Opens a package in a file, to be read by ranges: every read is from the same file.
 * @throws CannotRunError if it cannot be opened or is not a file.
 */
export async function withFileSource<Result>(
  file: string,
  act: (source: PackageSource) => Promise<Result>,
): Promise<Result> {
  const handle = await open(file).catch((error: unknown) => {
    throw new CannotRunError(`Cannot read ${file}: ${reasonOf(error)}.`);
  });
  const read = async (offset: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, offset);
    if (bytesRead !== length) throw new CannotRunError(`${file} was truncated while it was read.`);
    return buffer;
  };
  async function* stream(offset: number, length: number): AsyncGenerator<Buffer> {
    const end = offset + length;
    for (let at = offset; at < end; at += PIECE_BYTES) yield await read(at, Math.min(PIECE_BYTES, end - at));
  }
  try {
    const stats = await handle.stat();
    if (stats.isFile()) return await act({ sizeBytes: stats.size, read, stream });
    throw new CannotRunError(`${file} is neither a file nor a directory.`);
  } finally {
    await handle.close();
  }
}
