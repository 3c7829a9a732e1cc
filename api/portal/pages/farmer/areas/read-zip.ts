import { ERR_ENCRYPTED, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-reader.js';
import { FileIssueError } from './area.ts';

/** What all files of a ZIP may have together: a ZIP of 10 MB can unpack to 10 GB. */
const MAX_UNPACKED_BYTES = 50_000_000;
const MAX_ENTRIES = 2_000;

/** A file in a ZIP. */
export interface ZippedFile {
  readonly path: string;
  /** Unpacks it. @throws FileIssueError */
  bytes(): Promise<Uint8Array>;
}

/** Lists the files of a ZIP, without those that macOS adds. @throws FileIssueError */
export async function listZip(file: Blob): Promise<readonly ZippedFile[]> {
  const reader = new ZipReader(file.stream(), { useWebWorkers: false, checkSignature: true });
  const files: ZippedFile[] = [];
  let entries = 0;
  const limit = { bytesLeft: MAX_UNPACKED_BYTES };
  for await (const entry of reader.getEntriesGenerator()) {
    entries += 1;
    if (entries > MAX_ENTRIES) throw new FileIssueError('tooMany');
    const path = entry.filename;
    if (entry.directory || /(?:^|\/)(?:__MACOSX\/|\.)/.test(path)) continue;
    files.push({ path, bytes: () => unpack(entry, limit) });
  }
  return files;
}

/** Counts what comes out: the size that the ZIP declares may be wrong. */
async function unpack(entry: FileEntry, limit: { bytesLeft: number }): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const sink = new WritableStream<Uint8Array<ArrayBuffer>>({
    write(chunk) {
      limit.bytesLeft -= chunk.length;
      if (limit.bytesLeft < 0) throw new FileIssueError('unpacksTooLarge');
      chunks.push(chunk);
    },
  });
  try {
    await entry.getData(sink);
  } catch (error) {
    if (limit.bytesLeft < 0) throw new FileIssueError('unpacksTooLarge');
    const isEncrypted = error instanceof Error && error.message === ERR_ENCRYPTED;
    throw new FileIssueError(isEncrypted ? 'encrypted' : 'damaged');
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
