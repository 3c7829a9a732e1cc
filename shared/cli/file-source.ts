import { open } from 'node:fs/promises';
import type { PackageSource } from '../package/archive/source.ts';
import { CannotRunError, reasonOf } from './exit-codes.ts';

const PIECE_BYTES = 256 * 1024;

/** A package in an open file: every read is from the same file. */
export interface FileSource extends PackageSource {
  close(): Promise<void>;
}

/**
 * Opens a package in a file, to be read by ranges.
 * @throws CannotRunError if it cannot be opened or is not a file.
 */
export async function openFileSource(file: string): Promise<FileSource> {
  const handle = await open(file).catch((error: unknown) => {
    throw new CannotRunError(`Cannot read ${file}: ${reasonOf(error)}.`);
  });
  const stats = await handle.stat();
  if (!stats.isFile()) {
    await handle.close();
    throw new CannotRunError(`${file} is neither a file nor a directory.`);
  }
  const read = async (offset: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, offset);
    if (bytesRead !== length) throw new CannotRunError(`${file} was truncated while it was read.`);
    return buffer;
  };
  return {
    sizeBytes: stats.size,
    read,
    async *stream(offset, length) {
      const end = offset + length;
      for (let at = offset; at < end; at += PIECE_BYTES)
        yield await read(at, Math.min(PIECE_BYTES, end - at));
    },
    close: () => handle.close(),
  };
}
