import { crc32 } from 'node:zlib';
import type { ExportedFile } from '../../shared/db/modules/module-exports.ts';
import { Pacer } from '../../shared/package/archive/pacer.ts';
import type { PackageSource } from '../../shared/package/archive/source.ts';
import type { ByteRange } from '../http/byte-range.ts';
import { segmentBytes, type Segment } from './module-package.ts';

/** Small files are fetched ahead: one at a time, the latency of storage would limit the speed. */
const AHEAD = 16;
const MAX_AHEAD_BYTES = 256 * 1024;

/** Part of a segment. */
interface Slice extends ByteRange {
  readonly segment: Segment;
}

/**
 * The bytes `[offset, offset + length)` of a package, in order, read from the archive of its revision.
 * @throws Error if a file is not what was imported; only a file that is sent whole is checked.
 */
export async function* packageBytes(
  segments: readonly Segment[],
  archive: PackageSource,
  range: ByteRange,
): AsyncGenerator<Buffer> {
  const pacer = new Pacer();
  const slices = await slicesOf(segments, range, pacer);
  const ahead = new Map<Slice, Promise<Buffer>>();
  for (const [index, slice] of slices.entries()) {
    for (const each of slices.slice(index, index + AHEAD)) {
      if (Buffer.isBuffer(each.segment) || each.length > MAX_AHEAD_BYTES || ahead.has(each)) continue;
      const read = archive.read(each.segment.dataOffset + each.offset, each.length);
      // It is awaited later or never; until then a failure must not count as unhandled.
      read.catch(() => undefined);
      ahead.set(each, read);
    }
    const { segment, offset, length } = slice;
    if (Buffer.isBuffer(segment)) yield segment.subarray(offset, offset + length);
    else
      yield* checked(segment, slice, ahead.get(slice) ?? archive.stream(segment.dataOffset + offset, length));
    ahead.delete(slice);
    // A fast client takes many small pieces without the event loop turning once.
    if (pacer.isDue) await pacer.turn();
  }
}

async function slicesOf(
  segments: readonly Segment[],
  { offset, length }: ByteRange,
  pacer: Pacer,
): Promise<Slice[]> {
  const end = offset + length;
  const slices: Slice[] = [];
  let at = 0;
  await pacer.forEach(segments, (segment) => {
    const from = Math.max(offset, at);
    const to = Math.min(end, at + segmentBytes(segment));
    if (from < to) slices.push({ segment, offset: from - at, length: to - from });
    at += segmentBytes(segment);
  });
  return slices;
}

async function* checked(
  { path, packedBytes, packedCrc32 }: ExportedFile,
  { length }: Slice,
  bytes: Promise<Buffer> | AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const piece of bytes instanceof Promise ? [await bytes] : bytes) {
    sum = crc32(piece, sum);
    yield piece;
  }
  if (length === packedBytes && sum !== packedCrc32)
    throw new Error(`the compressed data of ${path} is not what was imported`);
}
