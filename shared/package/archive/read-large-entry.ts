import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

import { type Problem, problem } from '../problem.ts';
import type { EntryProof, EntryVisitor } from './archive.ts';
import type { ByteReader } from './byte-reader.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';
import { corrupt } from './entry-rules.ts';
import { LOCAL_HEADER_BYTES } from './entry-locations.ts';
import { announcesDescriptor, checkLocalHeader, checkTrailer, variableLength } from './local-header.ts';
import type { Pacer } from './pacer.ts';
import { type UnpackEnd, copyStored, inflateStream } from './unpack-stream.ts';

/** No deflate stream unpacks to more than this per packed byte: 258 bytes out of two bits. */
const MOST_DEFLATE_EXPANSION = 1032;

/** Compressed data of more than this for each byte of the content, and beside it, is padded with empty blocks. */
const MOST_DEFLATE_GROWTH = 2;
const MOST_DEFLATE_FRAMING_BYTES = 64 * 1024;

/** The state that the pass over an archive shares with the reading of one entry. */
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

/** The problem of the sizes that a large entry declares. */
export function sizesIssue({ sizeBytes, packedBytes }: CentralDirectoryHeader): string | null {
  if (sizeBytes > packedBytes * MOST_DEFLATE_EXPANSION)
    return 'its compressed data is too short for the size that it declares';
  const most = sizeBytes * MOST_DEFLATE_GROWTH + MOST_DEFLATE_FRAMING_BYTES;
  return packedBytes > most ? 'its compressed data is too long for the size that it declares' : null;
}

/** Unpacks one entry's data, and says what is wrong with it, or what is proven. */
async function unpack(
  pass: Pass,
  record: CentralDirectoryHeader,
): Promise<Problem | Omit<EntryProof, 'dataOffset'>> {
  const { reader, pacer } = pass;
  const sha256 = createHash('sha256');
  let crc = 0;
  let packedCrc32 = 0;
  let unpacked = 0;
  let issue: Problem | undefined;
  const sink = async (piece: Buffer): Promise<boolean> => {
    unpacked += piece.length;
    if (!pass.spend(piece.length)) issue = expandsTooFar(record);
    else if (unpacked > record.sizeBytes) issue = corrupt(record, 'it unpacks to more than it declares');
    if (issue !== undefined) return false;
    crc = crc32(piece, crc);
    sha256.update(piece);
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

/** Reads one entry in pieces, and keeps none of them: header, data, trailer. Says what is wrong, or what is proven. */
export async function passThrough(
  pass: Pass,
  record: CentralDirectoryHeader,
  entryEnd: number,
): Promise<Problem | EntryProof> {
  const { reader } = pass;
  const spaceBytes = entryEnd - record.headerOffset;
  const header = await readHeader(pass, spaceBytes);
  const headerIssue = checkLocalHeader(header, record, spaceBytes);
  if (headerIssue !== undefined) return headerIssue;
  const dataOffset = reader.offset;
  const dataEnd = dataOffset + record.packedBytes;
  const unpacked = await unpack(pass, record);
  if ('code' in unpacked) return unpacked;
  await reader.skipTo(dataEnd);
  const trailer = await reader.take(entryEnd - dataEnd);
  const trailerIssue = checkTrailer(trailer, dataEnd, record, announcesDescriptor(header));
  return trailerIssue ?? { ...unpacked, dataOffset };
}
