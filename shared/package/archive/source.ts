/** Up to this size one read of the whole package is quicker than several of its parts. */
export const WHOLE_READ_BYTES = 2 * 1024 * 1024;

/**
 * Where a package's bytes come from: storage, a file, or a buffer. Reading is by ranges, so that a
 * package is never in memory as a whole and never fetched twice.
 */
export interface PackageSource {
  /** Length of the package in bytes. */
  readonly sizeBytes: number;
  /** Exactly the bytes `[offset, offset + length)`. Throws when the source ends earlier. */
  read(offset: number, length: number): Promise<Buffer>;
  /** The bytes `[offset, offset + length)` in order, in pieces of any size, each owned by the receiver. */
  stream(offset: number, length: number): AsyncIterable<Buffer>;
}

/** A source over bytes in memory. */
export function bufferSource(bytes: Buffer): PackageSource {
  const read = (offset: number, length: number) => {
    if (offset < 0 || length < 0 || offset + length > bytes.length)
      return Promise.reject(new RangeError('read past the end of the package'));
    return Promise.resolve(bytes.subarray(offset, offset + length));
  };
  return {
    sizeBytes: bytes.length,
    read,
    // Not a `Readable`: to end one before its end costs more than to read a small package.
    async *stream(offset, length) {
      yield await read(offset, length);
    },
  };
}
