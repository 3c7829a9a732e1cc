/** The smallest part that S3 takes: it bounds what one upload holds in memory. 10,000 parts reach 48 GiB. */
export const PART_BYTES = 5 * 1024 * 1024;
/** More are freed after a peak. */
const MOST_KEPT = 8;

/** Buffers of one part each, used again and again: one for every upload that runs, whatever its length. */
export class PartBuffers {
  readonly #free: Buffer[] = [];

  /** Its content is left from an earlier use. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES);
  }

  /** Only for a buffer that no request can be sending any more. */
  giveBack(buffer: Buffer): void {
    if (this.#free.length < MOST_KEPT) this.#free.push(buffer);
  }
}

/** Reads a body, in pieces of any length, as parts. One that is not read to its end is its owner's to close. */
export class PartReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(body: AsyncIterable<Buffer>) {
    this.#pieces = body[Symbol.asyncIterator]();
  }

  /**
   * Fills the buffer with the body's next bytes.
   * @returns how many; fewer than the buffer takes where the body has ended
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
