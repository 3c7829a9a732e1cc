import { closeSync, createReadStream, fstatSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

import type { PackageSource } from '../../../../shared/package/archive/source.ts';

const PIECE_BYTES = 256 * 1024;

/** A package in a file that counts the bytes fetched. */
export interface FileSource extends PackageSource {
  fetchedBytes: number;
}

/** Reads a package from a file by ranges. */
export function fileSource(path: string): FileSource {
  const descriptor = openSync(path, 'r');
  const sizeBytes = fstatSync(descriptor).size;
  closeSync(descriptor);
  return {
    sizeBytes,
    fetchedBytes: 0,
    async read(offset, length) {
      this.fetchedBytes += length;
      const file = await open(path);
      try {
        const { buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, offset);
        return buffer;
      } finally {
        await file.close();
      }
    },
    async *stream(offset, length) {
      if (length === 0) return;
      const options = { start: offset, end: offset + length - 1, highWaterMark: PIECE_BYTES };
      for await (const piece of createReadStream(path, options) as AsyncIterable<Buffer>) {
        this.fetchedBytes += piece.length;
        yield piece;
      }
    },
  };
}
