import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

import type { Problem } from '../problem.ts';
import { problem } from '../problem.ts';
import type { ArchiveEntry, EntryProof, EntryVisitor } from './archive.ts';
import type { ByteReader } from './byte-reader.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';
import { corrupt } from './entry-rules.ts';
import { LOCAL_HEADER_BYTES } from './entry-locations.ts';
import { announcesDescriptor, checkLocalHeader, checkTrailer, variableLength } from './local-header.ts';
import type { Pacer } from './pacer.ts';
import type { UnpackEnd } from './unpack-stream.ts';
import { copyStored, inflateStream } from './unpack-stream.ts';

/** No deflate stream unpacks to more than this per packed byte: 258 bytes out of two bits. */
const MOST_DEFLATE_EXPANSION = 1032;

/** What the pass over an archive shares with the reading of one entry. */
export interface Pass {
  readonly reader: ByteReader;
  readonly visitor: EntryVisitor;
  readonly pacer: Pacer;
  /** Counts unpacked bytes of all entries, corrupt ones too; says whether they are still allowed. */
  readonly spend: (bytes: number) => boolean;
  readonly report: (bytesDone: number) => void;
}

/** The problem of an archive whose real bytes are over what it may unpack to. */
export function expandsTooFar(record: CentralDirectoryHeader): Problem {
  const detail = `The archive unpacks to more than it may; reading stopped in "${record.label}". Leave out what the module does not need.`;
  return problem('archive-expands-too-far', detail, { entry: record.label, offset: record.headerOffset });
}

/** Room for the content of a file that is wanted whole. */
function roomFor(entry: ArchiveEntry, visitor: EntryVisitor): Buffer | null {
  return !entry.isFolder && visitor.wantsWhole(entry) ? Buffer.allocUnsafeSlow(entry.sizeBytes) : null;
}

/** Unpacks one entry's data, into the room where there is one, and says what is wrong with it, or what is proven. */
async function unpack(
  pass: Pass,
  record: CentralDirectoryHeader,
  room: Buffer | null,
): Promise<Problem | Omit<EntryProof, 'dataOffset'>> {
  const { reader, pacer } = pass;
  const sha256 = createHash('sha256');
  let crc = 0;
  let packedCrc32 = 0;
  let unpacked = 0;
  let issue: Problem | undefined;
  const sink = async (piece: Buffer): Promise<boolean> => {
    const at = unpacked;
    unpacked += piece.length;
    if (!pass.spend(piece.length)) issue = expandsTooFar(record);
    else if (unpacked > record.sizeBytes) issue = corrupt(record, 'it unpacks to more than it declares');
    if (issue !== undefined) return false;
    crc = crc32(piece, crc);
    sha256.update(piece);
    if (room !== null) piece.copy(room, at);
    if (pacer.isDue) await pacer.turn();
    pass.report(reader.offset);
    return true;
  };
  const end: UnpackEnd =
    record.method === 0
      ? await copyStored(reader, record.packedBytes, sink)
      : await inflateStream(reader, record, sink, (piece) => {
          packedCrc32 = crc32(piece, packedCrc32);
        });
  if (issue !== undefined) return issue;
  if (end === 'damaged') return corrupt(record, 'its compressed data is damaged');
  if (end === 'bytes-left-over') return corrupt(record, 'bytes follow the end of its compressed data');
  if (unpacked !== record.sizeBytes) return corrupt(record, 'it unpacks to less than it declares');
  if (crc !== record.crc32) return corrupt(record, 'its content does not match its CRC-32');
  return { sha256: sha256.digest('hex'), packedCrc32: record.method === 0 ? crc : packedCrc32 };
}

async function readHeader({ reader }: Pass, spaceBytes: number): Promise<Buffer> {
  const fixed = await reader.take(LOCAL_HEADER_BYTES);
  const variable = Math.min(variableLength(fixed), spaceBytes - LOCAL_HEADER_BYTES);
  return Buffer.concat([fixed, await reader.take(variable)]);
}

/**
 * Reads one entry in pieces: header, data, trailer. The visitor gets a file only after its trailer has been checked.
 * Leaves the reader anywhere up to the next entry.
 */
export async function readLargeEntry(
  pass: Pass,
  entry: ArchiveEntry,
  record: CentralDirectoryHeader,
  entryEnd: number,
): Promise<Problem | undefined> {
  const { reader, visitor } = pass;
  const spaceBytes = entryEnd - record.headerOffset;
  const header = await readHeader(pass, spaceBytes);
  const headerIssue = checkLocalHeader(header, record, spaceBytes);
  if (headerIssue !== undefined) return headerIssue;
  if (record.sizeBytes > record.packedBytes * MOST_DEFLATE_EXPANSION) {
    return corrupt(record, 'its compressed data is too short for the size that it declares');
  }
  const dataOffset = reader.offset;
  const dataEnd = dataOffset + record.packedBytes;
  const content = roomFor(entry, visitor);
  const unpacked = await unpack(pass, record, content);
  if ('code' in unpacked) return unpacked;
  await reader.skipTo(dataEnd);
  const trailer = await reader.take(entryEnd - dataEnd);
  const trailerIssue = checkTrailer(trailer, dataEnd, record, announcesDescriptor(header));
  if (trailerIssue !== undefined) return trailerIssue;
  const proof = { ...unpacked, dataOffset };
  if (content !== null) await visitor.whole(entry, content, proof);
  else if (!entry.isFolder) visitor.passed(entry, proof);
  return undefined;
}
