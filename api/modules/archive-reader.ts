import { createHash, hash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { LocatedFile } from '../../shared/db/modules/located-file.ts';
import type { FairSlots } from '../../shared/limits/fair-slots.ts';
import { currentOwner } from '../../shared/limits/owner.ts';
import type { Storage } from '../../shared/storage/storage.ts';
import type { ByteRange } from '../http/request/conditional-request.ts';

/** A file whose compressed data is at most this long is read at once and cached. */
const SMALL_BYTES = 256 * 1024;
const CACHE_BYTES = 32 * 1024 * 1024;
/** Memory that a cached buffer needs beside itself: the slab of Node's pool, its key, its entry. */
const OVERHEAD_BYTES = 9 * 1024;

/** The header of a gzip member (RFC 1952, 2.3): no name, no time, unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const GZIP_TRAILER_BYTES = 8;

/** The size of a deflated file as gzip. */
export function gzipBytes({ packedBytes }: LocatedFile): number {
  return GZIP_HEADER.length + packedBytes + GZIP_TRAILER_BYTES;
}

/** CRC-32 and length of the content, at the end of a gzip member. */
function gzipTrailer({ crc32: sum, sizeBytes }: LocatedFile): Buffer {
  const trailer = Buffer.alloc(GZIP_TRAILER_BYTES);
  trailer.writeUInt32LE(sum, 0);
  trailer.writeUInt32LE(sizeBytes % 2 ** 32, 4);
  return trailer;
}

/** Reads files from their archives. */
export class ArchiveReader {
  readonly #storage: Storage;
  /** For reads from storage: each uses a connection, which a slow client holds for long. */
  readonly #slots: FairSlots;
  /** Compressed data of small files by location: archives never change. */
  readonly #cache = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (bytes) => bytes.length + OVERHEAD_BYTES,
  });

  constructor(storage: Storage, slots: FairSlots) {
    this.#storage = storage;
    this.#slots = slots;
  }

  /**
   * A deflated file as gzip: its data as it is in the archive, between the header and trailer of RFC 1952.
   * @throws Error if the data is not what was imported; a stream fails before the trailer.
   */
  async gzip(file: LocatedFile): Promise<Buffer | Readable> {
    if (file.packedBytes <= SMALL_BYTES)
      return Buffer.concat([GZIP_HEADER, await this.#small(file), gzipTrailer(file)]);
    const packed = await this.#stream(file, wholeOf(file));
    return closing(packed, gzipPieces(file, packed));
  }

  /** Bytes of a stored file. */
  async range(file: LocatedFile, { offset, length }: ByteRange): Promise<Buffer | Readable> {
    if (length === file.sizeBytes) return this.content(file);
    if (file.packedBytes <= SMALL_BYTES) return (await this.#small(file)).subarray(offset, offset + length);
    return this.#stream(file, { offset, length });
  }

  /**
   * The content of a file.
   * @throws Error if it is not what was imported; a stream fails before its last piece.
   */
  async content(file: LocatedFile): Promise<Buffer | Readable> {
    const isSmall = file.packedBytes <= SMALL_BYTES && file.sizeBytes <= SMALL_BYTES;
    if (isSmall) return smallContent(file, await this.#small(file));
    const packed = await this.#stream(file, wholeOf(file));
    const unpacked = file.method === 'stored' ? packed : inflated(packed);
    return closing(packed, verified(file, unpacked));
  }

  async #small(file: LocatedFile): Promise<Buffer> {
    const key = `${file.archiveKey} ${file.dataOffset}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const free = await this.#slots.take(currentOwner());
    const bytes = await this.#storage.read(file.archiveKey, file.dataOffset, file.packedBytes).finally(free);
    if (crc32(bytes) !== file.packedCrc32) throw damaged(file);
    this.#cache.set(key, bytes);
    return bytes;
  }

  /** Part of a file's data. Its slot is free when the stream has ended or is destroyed. */
  async #stream(file: LocatedFile, { offset, length }: ByteRange): Promise<Readable> {
    const free = await this.#slots.take(currentOwner());
    try {
      const range = { offset: file.dataOffset + offset, length };
      return (await this.#storage.stream(file.archiveKey, range)).once('close', free);
    } catch (error) {
      free();
      throw error;
    }
  }
}

/** Pieces of a stream; a generator that never started, because its reader is gone, does not close the stream itself. */
function closing(source: Readable, pieces: AsyncIterable<Buffer>): Readable {
  return Readable.from(pieces, { objectMode: false }).once('close', () => source.destroy());
}

function wholeOf({ packedBytes }: LocatedFile): ByteRange {
  return { offset: 0, length: packedBytes };
}

async function* gzipPieces(file: LocatedFile, packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let sum = 0;
  yield GZIP_HEADER;
  for await (const piece of packed) {
    sum = crc32(piece, sum);
    yield piece;
  }
  if (sum !== file.packedCrc32) throw damaged(file);
  yield gzipTrailer(file);
}

function inflated(packed: Readable): Readable {
  // The reader receives the error on the stream that it reads.
  return pipeline(packed, createInflateRaw(), () => undefined);
}

function damaged({ path, archiveKey }: LocatedFile): Error {
  return new Error(`file ${path} of archive ${archiveKey} is not what was imported`);
}

function smallContent(file: LocatedFile, packed: Buffer): Buffer {
  const { method, sizeBytes, sha256 } = file;
  const content =
    method === 'stored' ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, sizeBytes) });
  if (content.length !== sizeBytes || hash('sha256', content, 'hex') !== sha256) throw damaged(file);
  return content;
}

/** Passes content on, but holds back the last piece until the whole is verified. */
async function* verified(file: LocatedFile, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const sha256 = createHash('sha256');
  let sum = 0;
  let sizeBytes = 0;
  let last: Buffer | null = null;
  for await (const piece of content) {
    sizeBytes += piece.length;
    if (sizeBytes > file.sizeBytes) throw damaged(file);
    sha256.update(piece);
    sum = crc32(piece, sum);
    if (last !== null) yield last;
    last = piece;
  }
  if (sizeBytes !== file.sizeBytes || sum !== file.crc32 || sha256.digest('hex') !== file.sha256)
    throw damaged(file);
  if (last !== null) yield last;
}
