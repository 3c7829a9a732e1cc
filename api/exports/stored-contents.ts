import { addAbortSignal } from 'node:stream';
import { fileKey } from '../../shared/db/stored-files.ts';
import type { ZipStream } from '../../shared/package/write-zip.ts';
import type { Storage } from '../../shared/storage.ts';
import type { PackedFile } from './module-package.ts';

/** Small files are fetched while those before them are sent: one at a time, a far storage would set the pace. */
const AHEAD_FILES = 8;
const MAX_AHEAD_BYTES = 256 * 1024;

/** The files of a package as streams out of storage, in their order. The signal ends what is being read. */
export function* storedContents(
  storage: Storage,
  files: readonly PackedFile[],
  signal: AbortSignal,
): Generator<ZipStream> {
  const ahead = new Map<PackedFile, Promise<Buffer>>();
  for (const [index, file] of files.entries()) {
    for (const each of files.slice(index, index + AHEAD_FILES)) {
      if (each.sizeBytes > MAX_AHEAD_BYTES || ahead.has(each)) continue;
      const read = storage.read(fileKey(each.objectKey), 0, each.sizeBytes);
      // It is awaited in its turn; until then, or when its turn never comes, a failure is no crash.
      read.catch(() => undefined);
      ahead.set(each, read);
    }
    const { path, sizeBytes, crc32 } = file;
    yield { path, sizeBytes, crc32, open: () => contentOf(storage, file, ahead.get(file), signal) };
    ahead.delete(file);
  }
}

async function* contentOf(
  storage: Storage,
  { path, objectKey }: PackedFile,
  whole: Promise<Buffer> | undefined,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    if (whole !== undefined) yield await whole;
    else
      for await (const piece of addAbortSignal(signal, await storage.stream(fileKey(objectKey))))
        yield piece as Buffer;
  } catch (error) {
    throw new Error(`file ${path}, object ${objectKey}, cannot be read`, { cause: error });
  }
}
