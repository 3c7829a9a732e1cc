import { once } from 'node:events';
import { createInflateRaw } from 'node:zlib';

import type { ByteReader } from './byte-reader.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';

const INPUT_BYTES = 256 * 1024;
const LEAST_OUTPUT_BYTES = 16 * 1024;
const MOST_OUTPUT_BYTES = 256 * 1024;

/** Receives unpacked bytes in order; returns whether it needs more. */
export type PieceSink = (piece: Buffer) => Promise<boolean>;

/** How unpacking ended, short of issues of the source and the sink, which are thrown. */
export type UnpackEnd = 'whole' | 'stopped' | 'damaged' | 'bytes-left-over';

/** Passes stored bytes on as they are. */
export async function copyStored(reader: ByteReader, bytes: number, sink: PieceSink): Promise<UnpackEnd> {
  const end = reader.offset + bytes;
  while (reader.offset < end) {
    const piece = await reader.takeSome(Math.min(end - reader.offset, INPUT_BYTES));
    if (!(await sink(piece))) return 'stopped';
  }
  return 'whole';
}

/**
 * The size of the pieces: large ones are fast, but at most two are inflated that nobody has counted
 * yet, and those must stay well below a tenth of the declared size.
 */
function outputBytes(sizeBytes: number): number {
  return Math.min(MOST_OUTPUT_BYTES, Math.max(LEAST_OUTPUT_BYTES, Math.floor(sizeBytes / 32)));
}

/**
 * Inflates an entry's data from the reader on zlib's own threads, while the sink works on the piece
 * before. Memory stays flat: zlib waits for the sink, and the source for zlib.
 * @param onPacked sees the compressed data in order
 */
export async function inflateStream(
  reader: ByteReader,
  { packedBytes, sizeBytes }: Pick<CentralDirectoryHeader, 'packedBytes' | 'sizeBytes'>,
  sink: PieceSink,
  onPacked: (piece: Buffer) => void,
): Promise<UnpackEnd> {
  const chunkSize = outputBytes(sizeBytes);
  const options = { chunkSize, highWaterMark: chunkSize };
  const inflate = createInflateRaw(options);
  const closed = new Promise<void>((resolve) => inflate.once('close', resolve).once('end', resolve));
  const end = reader.offset + packedBytes;
  let issue: { readonly error: unknown } | undefined;

  const feed = async (): Promise<void> => {
    while (reader.offset < end && !inflate.destroyed && !inflate.readableEnded) {
      const piece = await reader.takeSome(Math.min(end - reader.offset, INPUT_BYTES));
      onPacked(piece);
      if (!inflate.write(piece)) await Promise.race([once(inflate, 'drain'), closed]);
    }
    inflate.end();
  };
  const feeding = feed().catch((error: unknown) => {
    if (!inflate.destroyed) issue = { error };
    inflate.destroy();
  });

  let isWanted = true;
  let isDamaged = false;
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      isWanted = await sink(piece).catch((error: unknown) => {
        issue = { error };
        return false;
      });
      if (!isWanted) break;
    }
  } catch {
    isDamaged = true;
  }
  inflate.destroy();
  await feeding;
  if (issue !== undefined) throw issue.error;
  if (isDamaged) return 'damaged';
  if (!isWanted) return 'stopped';
  return inflate.bytesWritten === packedBytes ? 'whole' : 'bytes-left-over';
}
