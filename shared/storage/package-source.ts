import type { PackageSource } from '../package/archive/source.ts';
import { bufferSource } from '../package/archive/source.ts';
import type { Storage } from './storage.ts';

/** Up to this size one request for the whole package is quicker than several for its parts. */
const WHOLE_BYTES = 2 * 1024 * 1024;

/** A package in storage, read by ranges; a small one is fetched at once. */
export async function storageSource(
  storage: Storage,
  key: string,
  sizeBytes: number,
): Promise<PackageSource> {
  if (sizeBytes <= WHOLE_BYTES) return bufferSource(await storage.read(key, 0, sizeBytes));
  return {
    sizeBytes,
    read: (offset, length) => storage.read(key, offset, length),
    async *stream(offset, length) {
      yield* (await storage.stream(key, { offset, length })) as AsyncIterable<Buffer>;
    },
  };
}
