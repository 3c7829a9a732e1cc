/** After more breaks in one body, reading it again is useless. */
const MOST_BREAKS = 5;

/** Opens an object's bytes from an offset on, so many of them. */
export type OpenRange = (offset: number, length: number) => Promise<AsyncIterable<Buffer>>;

/**
 * The bytes `[offset, offset + length)` of an object that never changes, in order. Where the connection breaks off
 * in the middle, the rest is requested again.
 * @param first the same bytes, as far as they come
 * @throws what one break too many throws, or what fails when all bytes have come
 */
export async function* resumedBody(
  first: AsyncIterable<Buffer>,
  open: OpenRange,
  offset: number,
  length: number,
): AsyncGenerator<Buffer> {
  let left = length;
  let body = first;
  for (let breaks = 0; ; breaks += 1) {
    try {
      for await (const piece of body) {
        left -= piece.length;
        yield piece;
      }
      if (left > 0) throw new Error(`the body ended ${left} bytes early`);
      return;
    } catch (error) {
      // All bytes were there: it is something else, such as a checksum that does not match.
      if (left <= 0 || breaks === MOST_BREAKS) throw error;
    }
    body = await open(offset + length - left, left);
  }
}
