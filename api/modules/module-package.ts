import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  listExportedFiles,
  type ExportedFile,
  type ExportedRevision,
} from '../../shared/db/modules/module-exports.ts';
import type { Database } from '../../shared/db/database.ts';
import { compareText } from '../../shared/package/text/compare-text.ts';
import { exportedDescriptor } from '../../shared/package/descriptor/normal-descriptor.ts';
import { DESCRIPTOR_PATH } from '../../shared/package/layout/layout.ts';
import { Pacer } from '../../shared/package/archive/pacer.ts';
import { stored, ZipLayout } from '../../shared/package/archive/write-zip.ts';
import type { PackageSource } from '../../shared/package/archive/source.ts';
import type { ByteRange } from '../http/request/conditional-request.ts';

/** The version of the export format: another format has other bytes and needs other ETags. */
const FORM = 2;

/** A part of an exported package: bytes in memory, or the compressed data of a file in the archive. */
export type Segment = Buffer | ExportedFile;

/** The size of a segment. */
export function segmentBytes(segment: Segment): number {
  return Buffer.isBuffer(segment) ? segment.length : segment.packedBytes;
}

/** The package of a revision, before its files are read. */
export interface ModulePackage {
  readonly segments: readonly Segment[];
  /** Of the whole package. */
  readonly sizeBytes: number;
}

/**
 * A strong ETag: equal for equal bytes, which depend only on the content, its compression, the owner and `asNew`.
 */
export function packageTag(
  { organizationId, fingerprint, packing }: ExportedRevision,
  asNew: boolean,
): string {
  const parts = [FORM, organizationId, fingerprint, packing, asNew];
  return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}"`;
}

/**
 * The contents of an export: the descriptor in normal form, uncompressed, then the files by path with their compressed
 * data as it was uploaded. Different builds of zlib produce different bytes, so files that were compressed again could
 * not be compared. Null where the revision has been deleted meanwhile.
 */
export async function modulePackage(
  database: Database,
  found: ExportedRevision,
  asNew: boolean,
): Promise<ModulePackage | null> {
  const { descriptor, organizationId } = found;
  const content = Buffer.from(exportedDescriptor(descriptor, { organizationId, asNew }));
  const listed = await listExportedFiles(database, found);
  if (listed === null) return null;
  // Sorted here: the order of texts in the database depends on its collation.
  const pacer = new Pacer();
  const files = await pacer.sort(listed, (a, b) => compareText(a.path, b.path));
  const layout = new ZipLayout();
  const head = stored({ path: DESCRIPTOR_PATH, sizeBytes: content.length, crc32: crc32(content) });
  const segments: Segment[] = [layout.add(head), content];
  await pacer.forEach(files, (file) => segments.push(layout.add(file), file));
  segments.push(...layout.end());
  return { segments, sizeBytes: segments.reduce((bytes, segment) => bytes + segmentBytes(segment), 0) };
}

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
