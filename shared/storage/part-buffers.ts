/** The smallest part that S3 accepts: it bounds the memory of one upload. 10,000 parts reach 48 GiB. */
export const PART_BYTES = 5 * 1024 * 1024;
/** More are freed after a peak. */
const MOST_KEPT = 8;

/** Reusable buffers of one part each: one for every running upload, whatever its length. */
export class PartBuffers {
  readonly #free: Buffer[] = [];

  /** The content of the buffer is undefined. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES);
  }

  /** Only for a buffer that no request can still be sending. */
  giveBack(buffer: Buffer): void {
    if (this.#free.length < MOST_KEPT) this.#free.push(buffer);
  }
}
