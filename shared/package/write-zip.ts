import { crc32 } from 'node:zlib';

/** A file's content that is not held: its header, which comes first, needs size and CRC-32 beforehand. */
export interface MeasuredContent {
  readonly sizeBytes: number;
  readonly crc32: number;
  /** Exactly the bytes that were measured; throws where they are others by now. */
  stream(): AsyncIterable<Buffer>;
}

/** One file of an archive that is written. */
export interface ZipFile {
  /** `/` between segments. */
  readonly path: string;
  readonly content: Buffer | MeasuredContent;
}

/* Fixed in every header, so that the same files give the same bytes on every machine (APPNOTE 4.4). */
const VERSION = 20;
const MADE_BY_UNIX = 0x0314;
/** Bit 11: names are UTF-8 (APPNOTE 4.4.4). */
const UTF8_NAMES = 0x0800;
/** Method 0: deflate gives other bytes from other builds of zlib. */
const STORED = 0;
/** 1980-01-01 00:00, the first moment that the format knows. */
const TIME = 0;
const DATE = 0x0021;
/** A regular file, rw-r--r--. */
const ATTRIBUTES = 0o100644 * 0x10000;
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

interface Written {
  readonly name: Buffer;
  readonly crc: number;
  readonly sizeBytes: number;
  readonly offset: number;
}

/**
 * Writes files, stored, as a ZIP archive, in the order given. The same files give the same bytes.
 * @throws RangeError when the archive would need ZIP64.
 */
export async function* writeZip(files: Iterable<ZipFile> | AsyncIterable<ZipFile>): AsyncGenerator<Buffer> {
  const written: Written[] = [];
  let offset = 0;
  for await (const { path, content } of files) {
    const entry = { name: Buffer.from(path.normalize('NFC')), ...measure(content), offset };
    const header = localHeader(entry);
    yield header;
    if (Buffer.isBuffer(content)) yield content;
    else yield* content.stream();
    written.push(entry);
    offset += header.length + entry.sizeBytes;
    if (offset > MAX_32 || written.length >= MAX_16)
      throw new RangeError('the archive is too large for this writer');
  }
  const directory = Buffer.concat(written.map(directoryRecord));
  yield directory;
  yield endRecord(written.length, directory.length, offset);
}

function measure(content: Buffer | MeasuredContent): Pick<Written, 'crc' | 'sizeBytes'> {
  if (Buffer.isBuffer(content)) return { crc: crc32(content), sizeBytes: content.length };
  return { crc: content.crc32, sizeBytes: content.sizeBytes };
}

/** APPNOTE 4.3.7. */
function localHeader({ name, crc, sizeBytes }: Written): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(VERSION, 4);
  writeCommon(header, 6, name, crc, sizeBytes);
  return Buffer.concat([header, name]);
}

/** APPNOTE 4.3.12. */
function directoryRecord({ name, crc, sizeBytes, offset }: Written): Buffer {
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(MADE_BY_UNIX, 4);
  record.writeUInt16LE(VERSION, 6);
  writeCommon(record, 8, name, crc, sizeBytes);
  record.writeUInt32LE(ATTRIBUTES, 38);
  record.writeUInt32LE(offset, 42);
  return Buffer.concat([record, name]);
}

/** The fields from the flags to the length of the extra field, which both headers share. */
function writeCommon(header: Buffer, at: number, name: Buffer, crc: number, sizeBytes: number): void {
  header.writeUInt16LE(UTF8_NAMES, at);
  header.writeUInt16LE(STORED, at + 2);
  header.writeUInt16LE(TIME, at + 4);
  header.writeUInt16LE(DATE, at + 6);
  header.writeUInt32LE(crc, at + 8);
  header.writeUInt32LE(sizeBytes, at + 12);
  header.writeUInt32LE(sizeBytes, at + 16);
  header.writeUInt16LE(name.length, at + 20);
}

/** APPNOTE 4.3.16. */
function endRecord(entries: number, directoryBytes: number, directoryOffset: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(entries, 8);
  record.writeUInt16LE(entries, 10);
  record.writeUInt32LE(directoryBytes, 12);
  record.writeUInt32LE(directoryOffset, 16);
  return record;
}
