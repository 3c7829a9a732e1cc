import type { Problem } from '../problem.ts';
import { misbuilt } from './archive-problems.ts';
import { readUInt64 } from './byte-window.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';
import { UTF8_FLAG, isAsciiName, pathOf } from './entry-name.ts';
import { DESCRIPTOR_FLAG, LOCAL_HEADER_BYTES, overlap, strayBytes } from './entry-locations.ts';
import { needsMore } from './entry-rules.ts';
import { readExtraFields, widen } from './extra-fields.ts';

const HEADER_SIGNATURE = 0x04034b50;
const DESCRIPTOR_SIGNATURE = 0x08074b50;

/**
 * Flags that say how to read an entry: encryption (0, 6, 13), descriptor (3), patches (5). The others
 * say how hard the writer tried, and real writers differ in them.
 */
const DECODING_FLAGS = 0x2069;

/** Whether a local header announces a data descriptor after the data. */
export function announcesDescriptor(header: Buffer): boolean {
  return (header.readUInt16LE(6) & DESCRIPTOR_FLAG) !== 0;
}

/** The length of a local header's variable part: name and extra fields. */
export function variableLength(header: Buffer): number {
  return header.readUInt16LE(26) + header.readUInt16LE(28);
}

/** A streamed entry's header may leave a value zero, since the descriptor has it (APPNOTE 4.4.4). */
function agrees(local: number, central: number, isStreamed: boolean): boolean {
  return local === central || (isStreamed && local === 0);
}

/** The names of the fields in which a local header contradicts the directory. */
function contradictions(header: Buffer, length: number, record: CentralDirectoryHeader): string[] {
  const flags = header.readUInt16LE(6);
  const nameEnd = LOCAL_HEADER_BYTES + header.readUInt16LE(26);
  const extra = readExtraFields(header.subarray(nameEnd, length));
  const isStreamed = announcesDescriptor(header);
  const sizes = widen([header.readUInt32LE(22), header.readUInt32LE(18)] as const, extra.zip64);
  const found: string[] = [];
  const demand = (isMet: boolean, what: string): void => {
    if (!isMet) found.push(what);
  };

  demand(header.toString('latin1', LOCAL_HEADER_BYTES, nameEnd) === record.rawName, 'name');
  // Some writers set the flag of the descriptor in the local header alone; what follows the data is checked either way.
  const tolerated = isStreamed ? DESCRIPTOR_FLAG : 0;
  const differing = (flags ^ record.flags) & ~tolerated;
  demand((differing & DECODING_FLAGS) === 0, 'flags');
  demand((differing & UTF8_FLAG) === 0 || isAsciiName(record.rawName), 'UTF-8 flag');
  demand(!needsMore(header.readUInt16LE(4)), 'version');
  demand(header.readUInt16LE(8) === record.method, 'compression method');
  demand(agrees(header.readUInt32LE(14), record.crc32, isStreamed), 'CRC-32');
  if (typeof sizes === 'string') found.push(`sizes (${sizes})`);
  else {
    demand(agrees(sizes[0], record.sizeBytes, isStreamed), 'unpacked size');
    demand(agrees(sizes[1], record.packedBytes, isStreamed), 'packed size');
  }
  if (extra.issue !== '') found.push(`extra fields (${extra.issue})`);
  demand(!extra.hasEncryption, 'encryption');
  if (extra.unicodePath !== undefined) {
    const decoded = pathOf(header.subarray(LOCAL_HEADER_BYTES, nameEnd), flags, extra.unicodePath);
    demand('path' in decoded && decoded.path === record.path, 'Unicode path');
  }
  return found;
}

function disagree({ label: entry, headerOffset: offset }: CentralDirectoryHeader, detail: string): Problem {
  return misbuilt('archive-entry-headers-disagree', detail, { entry, offset });
}

/**
 * Compares a local file header (APPNOTE 4.3.7), whole or cut at its end, with the central directory header. `spaceBytes` is what
 * the entry has up to the next one. Gives no problem when they agree and the data fits.
 */
export function checkLocalHeader(
  header: Buffer,
  record: CentralDirectoryHeader,
  spaceBytes: number,
): Problem | undefined {
  const { label } = record;
  if (header.readUInt32LE(0) !== HEADER_SIGNATURE)
    return disagree(record, `There is no local header where the directory says that "${label}" starts.`);
  const length = LOCAL_HEADER_BYTES + variableLength(header);
  if (length > spaceBytes || length > header.length) return overlap(record, 'what follows it');
  const found = contradictions(header, length, record);
  if (found.length > 0)
    return disagree(record, `The local header of "${label}" contradicts the directory: ${found.join(', ')}.`);
  return length + record.packedBytes > spaceBytes ? overlap(record, 'what follows it') : undefined;
}

/** Whether the bytes are the descriptor's values in the given width (APPNOTE 4.3.9). */
function hasValues(bytes: Buffer, at: number, width: 4 | 8, record: CentralDirectoryHeader): boolean {
  const read = (index: number): number =>
    width === 4 ? bytes.readUInt32LE(at + 4 + index * 4) : readUInt64(bytes, at + 4 + index * 8);
  return (
    bytes.readUInt32LE(at) === record.crc32 && read(0) === record.packedBytes && read(1) === record.sizeBytes
  );
}

/** The four forms of a descriptor differ in their length: with or without signature, in 32 or 64 bits. */
function isRightDescriptor(bytes: Buffer, record: CentralDirectoryHeader): boolean {
  const isSigned = bytes.length === 16 || bytes.length === 24;
  if (isSigned && bytes.readUInt32LE(0) !== DESCRIPTOR_SIGNATURE) return false;
  return hasValues(bytes, isSigned ? 4 : 0, bytes.length <= 16 ? 4 : 8, record);
}

/**
 * Validates what is between an entry's data and the next entry: the data descriptor of a streamed
 * entry and nothing else. `offset` is where it starts in the archive; `isStreamed` is what the local header says.
 */
export function checkTrailer(
  trailer: Buffer,
  offset: number,
  record: CentralDirectoryHeader,
  isStreamed: boolean,
): Problem | undefined {
  const { label } = record;
  if (!isStreamed || ![0, 12, 16, 20, 24].includes(trailer.length)) {
    if (trailer.length === 0) return undefined;
    return strayBytes(offset, offset + trailer.length);
  }
  if (trailer.length === 0) return disagree(record, `"${label}" lacks its data descriptor.`);
  if (isRightDescriptor(trailer, record)) return undefined;
  return disagree(record, `The data descriptor of "${label}" contradicts the directory.`);
}
