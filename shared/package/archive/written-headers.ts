import { SATURATED_16, SATURATED_32 } from './byte-window.ts';
import type { CompressionMethod } from './archive.ts';
import { UTF8_FLAG } from './entry-name.ts';

/** One file as the headers of an output archive describe it. */
export interface WrittenEntry {
  /** UTF-8. */
  readonly name: Buffer;
  readonly crc32: number;
  readonly method: CompressionMethod;
  readonly sizeBytes: number;
  /** Equal to `sizeBytes` if the file is stored. */
  readonly packedBytes: number;
  /** The offset of the local header. */
  readonly offset: number;
  /** Whether sizes and CRC-32 come after the file: they are not known before. */
  readonly hasDescriptor?: boolean;
}

/* Fixed in every header, so that the same files produce the same bytes on every machine (APPNOTE 4.4). */
const VERSION = 20;
/** The version needed to read ZIP64 (APPNOTE 4.4.3.2). */
const ZIP64_VERSION = 45;
const MADE_BY_UNIX = 0x0300;
/** Compression methods (APPNOTE 4.4.5). */
const METHODS: Readonly<Record<CompressionMethod, number>> = { stored: 0, deflate: 8 };
/** 1980-01-01 00:00, the earliest date-time of the format. */
const TIME = 0;
const DATE = 0x0021;
/** A regular file, rw-r--r--. */
const ATTRIBUTES = 0o100644 * 0x10000;
/** Sizes and CRC-32 are in the data descriptor (APPNOTE 4.4.4, bit 3). */
const DESCRIPTOR_FLAG = 0x0008;

/** What a local header has before a data descriptor (APPNOTE 4.4.4). */
const NOT_YET_KNOWN = { crc32: 0, sizeBytes: 0, packedBytes: 0 };

/** The local header of a file (APPNOTE 4.3.7). */
export function localHeader(written: WrittenEntry): Buffer {
  const entry = written.hasDescriptor === true ? { ...written, ...NOT_YET_KNOWN } : written;
  const { name, sizeBytes, packedBytes } = entry;
  // A local header has both sizes in ZIP64 form or neither (APPNOTE 4.5.3).
  const isZip64 = isWide(sizeBytes) || isWide(packedBytes);
  const extra = zip64Field(isZip64 ? [sizeBytes, packedBytes] : []);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, entry, extra);
  if (isZip64) header.fill(0xff, 18, 26);
  return Buffer.concat([header, name, extra]);
}

/** The central directory header of a file (APPNOTE 4.3.12). */
export function centralDirectoryHeader(entry: WrittenEntry): Buffer {
  const { name, sizeBytes, packedBytes, offset } = entry;
  const extra = zip64Field([sizeBytes, packedBytes, offset].filter(isWide));
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(MADE_BY_UNIX + VERSION, 4);
  writeCommon(record, 6, entry, extra);
  record.writeUInt32LE(ATTRIBUTES, 38);
  record.writeUInt32LE(narrow(offset), 42);
  return Buffer.concat([record, name, extra]);
}

/** The data descriptor after a file (APPNOTE 4.3.9); its sizes have 8 bytes where one does not fit in 4. */
export function dataDescriptor({
  crc32,
  packedBytes,
  sizeBytes,
}: Pick<WrittenEntry, 'crc32' | 'packedBytes' | 'sizeBytes'>): Buffer {
  const isZip64 = isWide(packedBytes) || isWide(sizeBytes);
  const record = Buffer.alloc(isZip64 ? 24 : 16);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(crc32, 4);
  for (const [index, value] of [packedBytes, sizeBytes].entries()) {
    if (isZip64) writeUInt64(record, 8 + 8 * index, value);
    else record.writeUInt32LE(value, 8 + 4 * index);
  }
  return record;
}

/** The end of central directory record (APPNOTE 4.3.16), behind those of ZIP64 where a number does not fit (4.3.14, 4.3.15). */
export function endRecords(entries: number, directoryBytes: number, directoryOffset: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(Math.min(entries, SATURATED_16), 8);
  record.writeUInt16LE(Math.min(entries, SATURATED_16), 10);
  record.writeUInt32LE(narrow(directoryBytes), 12);
  record.writeUInt32LE(narrow(directoryOffset), 16);
  if (entries < SATURATED_16 && !isWide(directoryBytes) && !isWide(directoryOffset)) return record;
  return Buffer.concat([zip64End(entries, directoryBytes, directoryOffset), record]);
}

function zip64End(entries: number, directoryBytes: number, directoryOffset: number): Buffer {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  writeUInt64(record, 4, record.length - 12);
  record.writeUInt16LE(MADE_BY_UNIX + ZIP64_VERSION, 12);
  record.writeUInt16LE(ZIP64_VERSION, 14);
  for (const [index, value] of [entries, entries, directoryBytes, directoryOffset].entries())
    writeUInt64(record, 24 + 8 * index, value);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  writeUInt64(locator, 8, directoryOffset + directoryBytes);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator]);
}

/** The fields from the version to the length of the extra field, which both headers share. */
function writeCommon(header: Buffer, at: number, entry: WrittenEntry, extra: Buffer): void {
  header.writeUInt16LE(extra.length > 0 ? ZIP64_VERSION : VERSION, at);
  header.writeUInt16LE(entry.hasDescriptor === true ? UTF8_FLAG + DESCRIPTOR_FLAG : UTF8_FLAG, at + 2);
  header.writeUInt16LE(METHODS[entry.method], at + 4);
  header.writeUInt16LE(TIME, at + 6);
  header.writeUInt16LE(DATE, at + 8);
  header.writeUInt32LE(entry.crc32, at + 10);
  header.writeUInt32LE(narrow(entry.packedBytes), at + 14);
  header.writeUInt32LE(narrow(entry.sizeBytes), at + 18);
  header.writeUInt16LE(entry.name.length, at + 22);
  header.writeUInt16LE(extra.length, at + 24);
}

/** The ZIP64 extra field with what does not fit its field (APPNOTE 4.5.3); nothing where all fits. */
function zip64Field(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(0x0001, 0);
  field.writeUInt16LE(field.length - 4, 2);
  for (const [index, value] of values.entries()) writeUInt64(field, 4 + 8 * index, value);
  return field;
}

function writeUInt64(bytes: Buffer, at: number, value: number): void {
  bytes.writeBigUInt64LE(BigInt(value), at);
}

/** The saturated value means "see ZIP64", so it cannot be used as a value. */
function isWide(value: number): boolean {
  return value >= SATURATED_32;
}

function narrow(value: number): number {
  return Math.min(value, SATURATED_32);
}
