/** Returns a stream of pieces in the requested lengths; copies only across pieces. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #piece: Buffer = Buffer.alloc(0);
  /** The bytes taken from the piece. */
  #at = 0;
  #offset = 0;

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The number of bytes that have been taken. */
  get offset(): number {
    return this.#offset;
  }

  /** Exactly `length` bytes, if they have arrived in one piece. */
  tryTake(length: number): Buffer | undefined {
    const end = this.#at + length;
    if (end > this.#piece.length) return undefined;
    const taken = this.#piece.subarray(this.#at, end);
    this.#at = end;
    this.#offset += length;
    return taken;
  }

  /** Exactly `length` bytes. Throws when the source ends earlier. */
  async take(length: number): Promise<Buffer> {
    const inHand = this.tryTake(length);
    if (inHand !== undefined) return inHand;
    const taken = Buffer.allocUnsafeSlow(length);
    if ((await this.fill(taken)) < length) throw endedEarly();
    return taken;
  }

  /** Fills a buffer with the next bytes; returns their number, which is less than its length where the source has ended. */
  async fill(buffer: Buffer): Promise<number> {
    let filled = 0;
    while (filled < buffer.length && (await this.#hasMore()))
      filled += this.#takeInHand(buffer.length - filled).copy(buffer, filled);
    return filled;
  }

  /** The next bytes, at least one and at most `most`. Throws when the source has ended. */
  async takeSome(most: number): Promise<Buffer> {
    if (await this.#hasMore()) return this.#takeInHand(most);
    throw endedEarly();
  }

  async #hasMore(): Promise<boolean> {
    while (this.#at === this.#piece.length) {
      const next = await this.#pieces.next();
      if (next.done === true) return false;
      this.#piece = next.value;
      this.#at = 0;
    }
    return true;
  }

  #takeInHand(most: number): Buffer {
    const length = Math.min(most, this.#piece.length - this.#at);
    this.#offset += length;
    this.#at += length;
    return this.#piece.subarray(this.#at - length, this.#at);
  }

  /** Leaves out everything before the given offset. */
  async skipTo(offset: number): Promise<void> {
    while (this.#offset < offset) await this.takeSome(offset - this.#offset);
  }

  /** Stops the source. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

function endedEarly(): Error {
  return new Error('the package source ended before its size');
}
