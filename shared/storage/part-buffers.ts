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

/** Reads a body, in pieces of any length, as parts. The caller closes a body that is not read to its end. */
export class PartReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(body: AsyncIterable<Buffer>) {
    this.#pieces = body[Symbol.asyncIterator]();
  }

  /**
   * Fills the buffer with the body's next bytes.
   * @returns the number of bytes; less than the buffer's length where the body has ended
   * @throws what the body throws
   */
  async fill(buffer: Buffer): Promise<number> {
    let length = 0;
    for (;;) {
      const copied = this.#rest.copy(buffer, length);
      this.#rest = this.#rest.subarray(copied);
      length += copied;
      if (length === buffer.length) return length;
      const next = await this.#pieces.next();
      if (next.done === true) return length;
      this.#rest = next.value;
    }
  }
}
