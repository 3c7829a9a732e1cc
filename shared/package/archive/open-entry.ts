import { hash } from 'node:crypto';
import { type InflateRaw, crc32, inflateRawSync } from 'node:zlib';

import type { Problem } from '../problem.ts';
import type { ClosedEntry, OpenedEntry } from './archive.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';
import { corrupt } from './entry-rules.ts';
import { LOCAL_HEADER_BYTES } from './entry-locations.ts';
import { announcesDescriptor, checkLocalHeader, checkTrailer, variableLength } from './local-header.ts';

/** zlib accepts no smaller buffer. */
const LEAST_CHUNK_BYTES = 64;

/** The result of `inflateRawSync` with `info`, which its types leave out. */
interface InflateResult {
  readonly buffer: Buffer;
  readonly engine: InflateRaw;
}

/**
 * Inflates in one go into a buffer that has room for one byte more than declared: enough for zlib to
 * see the stream's end without a second buffer, and never more.
 */
function inflate(packed: Buffer, record: CentralDirectoryHeader): Buffer | Problem {
  const chunkSize = Math.max(LEAST_CHUNK_BYTES, record.sizeBytes + 1);
  const options = { chunkSize, maxOutputLength: Math.max(1, record.sizeBytes), info: true };
  try {
    const { buffer, engine } = inflateRawSync(packed, options) as unknown as InflateResult;
    if (engine.bytesWritten === packed.length) return buffer;
    return corrupt(record, 'bytes follow the end of its compressed data');
  } catch (error) {
    const isLonger = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return corrupt(
      record,
      isLonger ? 'it unpacks to more than it declares' : 'its compressed data is damaged',
    );
  }
}

/** Opens one entry: checks its header, its trailer and its content. Ten megabytes take tens of milliseconds. */
export function openEntry({ bytes, entry: record }: ClosedEntry): OpenedEntry | Problem {
  const headerIssue = checkLocalHeader(bytes, record, bytes.length);
  if (headerIssue !== undefined) return headerIssue;
  const dataStart = LOCAL_HEADER_BYTES + variableLength(bytes);
  const dataEnd = dataStart + record.packedBytes;
  const isStreamed = announcesDescriptor(bytes);
  const trailerIssue = checkTrailer(
    bytes.subarray(dataEnd),
    record.headerOffset + dataEnd,
    record,
    isStreamed,
  );
  if (trailerIssue !== undefined) return trailerIssue;
  const packed = bytes.subarray(dataStart, dataEnd);
  const content = record.method === 0 ? packed : inflate(packed, record);
  if (!Buffer.isBuffer(content)) return content;
  if (content.length !== record.sizeBytes) return corrupt(record, 'it unpacks to less than it declares');
  if (crc32(content) !== record.crc32) return corrupt(record, 'its content does not match its CRC-32');
  const packedCrc32 = packed === content ? record.crc32 : crc32(packed);
  const dataOffset = record.headerOffset + dataStart;
  return { content, proof: { sha256: hash('sha256', content, 'hex'), dataOffset, packedCrc32 } };
}
