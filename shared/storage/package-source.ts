import { type PackageSource, bufferSource, WHOLE_READ_BYTES } from '../package/archive/source.ts';
import type { Storage } from './storage.ts';

/** A package in storage, read by ranges; a small one is fetched at once. */
export async function storageSource(
  storage: Storage,
  key: string,
  sizeBytes: number,
): Promise<PackageSource> {
  if (sizeBytes <= WHOLE_READ_BYTES) return bufferSource(await storage.read(key, 0, sizeBytes));
  return {
    sizeBytes,
    read: (offset, length) => storage.read(key, offset, length),
    async *stream(offset, length) {
      yield* (await storage.stream(key, { offset, length })) as AsyncIterable<Buffer>;
    },
  };
}
