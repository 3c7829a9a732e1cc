import { pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import {
  centralDirectoryHeader,
  dataDescriptor,
  endRecords,
  localHeader,
  type WrittenEntry,
} from './written-headers.ts';

/** A file to write to an archive, in memory. */
export interface ZipFile {
  /** `/` between segments. */
  readonly path: string;
  readonly content: Buffer;
}

/** A file whose bytes are read while the archive is written; its header, which comes first, has size and CRC-32. */
export interface ZipStream {
  /** `/` between segments. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly crc32: number;
  /** Called when it is the file's turn, once. */
  open(): AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** A text that is read while the archive is written: it is deflated, and a data descriptor after it has size and CRC-32. */
export interface ZipText {
  /** `/` between segments. */
  readonly path: string;
  /** Called when it is the file's turn, once. */
  pieces(): AsyncIterable<string>;
}

const DIRECTORY_PIECE_BYTES = 64 * 1024;

type Sizes = Pick<WrittenEntry, 'sizeBytes' | 'packedBytes' | 'crc32'>;
type LaidOutFile = { readonly path: string } & Omit<WrittenEntry, 'name' | 'offset'>;

/** How a text is written. */
const TEXT = { method: 'deflate', hasDescriptor: true } as const;

/** Computes the layout of files one after the other, without their content. */
export class ZipLayout {
  /** The central directory in pieces, and the headers that the next piece will have. */
  readonly #directory: Buffer[] = [];
  #records: Buffer[] = [];
  #recordBytes = 0;
  #directoryBytes = 0;
  #entries = 0;
  #offset = 0;

  /** The local header of the next file. */
  add(file: LaidOutFile): Buffer {
    const entry = this.#entryOf(file);
    const header = localHeader(entry);
    this.#addRecord(centralDirectoryHeader(entry));
    this.#offset += header.length + entry.packedBytes;
    return header;
  }

  /** The local header of the next file, whose sizes are not known yet. */
  startText(path: string): Buffer {
    return localHeader(this.#entryOf({ ...TEXT, path, sizeBytes: 0, packedBytes: 0, crc32: 0 }));
  }

  /** The data descriptor of the file that was started. */
  endText(path: string, sizes: Sizes): Buffer {
    this.add({ ...TEXT, ...sizes, path });
    const descriptor = dataDescriptor(sizes);
    this.#offset += descriptor.length;
    return descriptor;
  }

  /** The records after the last file, in pieces: as one they would take long to copy. */
  end(): readonly Buffer[] {
    const last = Buffer.concat([
      ...this.#records,
      endRecords(this.#entries, this.#directoryBytes, this.#offset),
    ]);
    return [...this.#directory, last];
  }

  #entryOf({ path, ...file }: LaidOutFile): WrittenEntry {
    return { ...file, name: Buffer.from(path.normalize('NFC')), offset: this.#offset };
  }

  #addRecord(record: Buffer): void {
    this.#records.push(record);
    this.#recordBytes += record.length;
    this.#directoryBytes += record.length;
    this.#entries += 1;
    if (this.#recordBytes < DIRECTORY_PIECE_BYTES) return;
    this.#directory.push(Buffer.concat(this.#records));
    this.#records = [];
    this.#recordBytes = 0;
  }

  /** Length of all that was added, in bytes. */
  get offset(): number {
    return this.#offset;
  }
}

/** An uncompressed file, for the layout. */
export function stored({ path, sizeBytes, crc32: sum }: Pick<ZipStream, 'path' | 'sizeBytes' | 'crc32'>) {
  return { path, sizeBytes, crc32: sum, method: 'stored' as const, packedBytes: sizeBytes };
}

/** The size of an archive of these files, in bytes. */
export function zipLength(files: Iterable<Pick<ZipStream, 'path' | 'sizeBytes'>>): number {
  const layout = new ZipLayout();
  for (const { path, sizeBytes } of files) layout.add(stored({ path, sizeBytes, crc32: 0 }));
  return layout.offset + layout.end().reduce((bytes, piece) => bytes + piece.length, 0);
}

/**
 * Writes files as a ZIP archive, in the order given. The same files produce the same bytes, but for texts: they are
 * deflated, others stored. Where a size, an offset or the number of files needs it, the records are those of ZIP64.
 * @throws Error when a stream has other bytes than its header says; the archive is broken then.
 */
export async function* writeZip(
  files: Iterable<ZipFile | ZipStream | ZipText> | AsyncIterable<ZipFile | ZipStream | ZipText>,
): AsyncGenerator<Buffer> {
  const layout = new ZipLayout();
  for await (const file of files) {
    if ('content' in file) {
      const { path, content } = file;
      yield layout.add(stored({ path, sizeBytes: content.length, crc32: crc32(content) }));
      yield content;
    } else if ('pieces' in file) {
      yield layout.startText(file.path);
      yield layout.endText(file.path, yield* deflated(file.pieces()));
    } else {
      yield layout.add(stored(file));
      yield* checkedBytes(file);
    }
  }
  yield* layout.end();
}

async function* checkedBytes(file: ZipStream): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  let crc = 0;
  for await (const piece of file.open()) {
    sizeBytes += piece.length;
    crc = crc32(piece, crc);
    yield piece;
  }
  if (sizeBytes !== file.sizeBytes)
    throw new Error(`${file.path} has ${sizeBytes} bytes; its header says ${file.sizeBytes}`);
  if (crc !== file.crc32) throw new Error(`${file.path} has another CRC-32 than its header says`);
}

/** Yields the deflated bytes of a text; returns its sizes. */
async function* deflated(pieces: AsyncIterable<string>): AsyncGenerator<Buffer, Sizes> {
  const sizes = { sizeBytes: 0, packedBytes: 0, crc32: 0 };
  const counted = async function* () {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      sizes.sizeBytes += bytes.length;
      sizes.crc32 = crc32(bytes, sizes.crc32);
      yield bytes;
    }
  };
  // An error of the text is thrown where the deflated bytes are read.
  const packed: AsyncIterable<Buffer> = pipeline(counted, createDeflateRaw(), () => undefined);
  for await (const piece of packed) {
    sizes.packedBytes += piece.length;
    yield piece;
  }
  return sizes;
}
