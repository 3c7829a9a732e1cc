/** Hands out a stream of pieces in the lengths that are asked for, copying only across pieces. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #offset = 0;

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** How many bytes have been taken. */
  get offset(): number {
    return this.#offset;
  }

  /** Exactly `length` bytes, if they have arrived in one piece. */
  tryTake(length: number): Buffer | undefined {
    if (length > this.#rest.length) return undefined;
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    this.#offset += length;
    return taken;
  }

  /** Exactly `length` bytes. Throws when the source ends earlier. */
  async take(length: number): Promise<Buffer> {
    const inHand = this.tryTake(length);
    if (inHand !== undefined) return inHand;
    const taken = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const piece = await this.takeSome(length - filled);
      filled += piece.copy(taken, filled);
    }
    return taken;
  }

  /** The next bytes, at least one and at most `most`. Throws when the source has ended. */
  async takeSome(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) throw new Error('the package source ended before its size');
      this.#rest = next.value;
    }
    return this.tryTake(Math.min(most, this.#rest.length)) ?? this.#rest;
  }

  /** Leaves out everything before the given offset. */
  async skipTo(offset: number): Promise<void> {
    while (this.#offset < offset) await this.takeSome(offset - this.#offset);
  }

  /** Tells the source that no more is wanted. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}
