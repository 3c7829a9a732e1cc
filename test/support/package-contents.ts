import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

/** A file's content without its bytes: a run compares more of them than fit in memory. */
export interface FileContent {
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** The files of a package by path, without its descriptor. */
export type PackageContents = ReadonlyMap<string, FileContent>;

const DESCRIPTOR = 'moduleSchema.json';

/** These bytes as the content of a file. */
export function contentOf(bytes: Buffer): FileContent {
  return { sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * Reads a package with yauzl alone, not with the service's own reader.
 * @throws Error where the archive is damaged, has a path twice or no descriptor
 */
export async function readPackage(zip: Buffer): Promise<{ descriptor: Buffer; contents: PackageContents }> {
  const archive = await fromBufferPromise(zip);
  const contents = new Map<string, FileContent>();
  let descriptor: Buffer | null = null;
  for await (const entry of archive.eachEntry()) {
    const { fileName } = entry;
    const bytes = await bytesOf(await archive.openReadStreamPromise(entry));
    // yauzl verifies no checksums.
    if (crc32(bytes) !== entry.crc32) throw new Error(`${fileName} has another CRC-32 than its header says`);
    if (contents.has(fileName)) throw new Error(`${fileName} occurs twice`);
    if (fileName === DESCRIPTOR) descriptor = bytes;
    contents.set(fileName, contentOf(bytes));
  }
  if (descriptor === null) throw new Error('the package has no descriptor');
  contents.delete(DESCRIPTOR);
  return { descriptor, contents };
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
