import {
  type Entry,
  type ZipFile,
  RandomAccessReader,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  validateFileName,
} from 'yauzl';

import type { Problem } from '../problem.ts';
import { ambiguous } from './archive-problems.ts';
import type { ByteWindow } from './byte-window.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';
import { UTF8_FLAG, normalName } from './entry-name.ts';
import { Pacer } from './pacer.ts';

/** Gives yauzl the archive's end out of memory, at once: nothing waits for the event loop. */
class WindowReader extends RandomAccessReader {
  readonly #window: ByteWindow;

  constructor(window: ByteWindow) {
    super();
    this.#window = window;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    const from = position - this.#window.offset;
    if (from < 0) {
      callback(new Error('outside the directory'));
      return;
    }
    callback(null, this.#window.bytes.copy(target, offset, from, from + length));
  }
}

/**
 * Whether yauzl decodes the name to the same; for plain ASCII there is nothing to decode. It reads a name without the
 * UTF-8 flag in code page 437, so it gets the flag: bytes that are not UTF-8 then have another text than the record.
 */
function isSameName(entry: Entry, record: CentralDirectoryHeader): boolean {
  if (entry.fileNameRaw.toString('latin1') !== record.rawName) return false;
  if (record.path === record.rawName && record.extra.unicodePath === undefined) return true;
  const flags = entry.generalPurposeBitFlag | UTF8_FLAG;
  const name = getFileNameLowLevel(flags, entry.fileNameRaw, entry.extraFields, true);
  return normalName(name) === record.path && validateFileName(normalName(name)) === null;
}

/** The data that a second, independent reader must find in the directory too. */
function isSame(entry: Entry, record: CentralDirectoryHeader): boolean {
  return (
    isSameName(entry, record) &&
    entry.compressionMethod === record.method &&
    entry.crc32 === record.crc32 &&
    entry.compressedSize === record.packedBytes &&
    entry.uncompressedSize === record.sizeBytes &&
    entry.relativeOffsetOfLocalHeader === record.headerOffset
  );
}

function disagreement(what: string, offset: number): Problem {
  return ambiguous(`The directory can be read in two ways: ${what}.`, offset);
}

/** Reads as many entries as there are records; the reader answers at once, so that no event is missed. */
async function compare(
  file: ZipFile,
  records: readonly CentralDirectoryHeader[],
  pacer: Pacer,
): Promise<Problem | undefined> {
  let read = 0;
  let issue: Problem | undefined;
  file.on('entry', (entry: Entry) => {
    const record = records[read];
    read += 1;
    if (record !== undefined && !isSame(entry, record))
      issue ??= disagreement(`the record of "${record.label}"`, record.recordOffset);
  });
  file.on('error', (error: Error) => {
    issue ??= disagreement(error.message, records[read]?.recordOffset ?? 0);
  });
  while (issue === undefined && read < records.length) {
    file.readEntry();
    if (pacer.isDue) await pacer.turn();
  }
  return issue;
}

/**
 * Reads the directory with yauzl out of the archive's end in memory. By then the records have passed every rule; where
 * yauzl reads anything else, the archive is rejected.
 */
export async function readAgain(
  tail: ByteWindow,
  records: readonly CentralDirectoryHeader[],
  pacer = new Pacer(),
): Promise<Problem | undefined> {
  let file: ZipFile;
  try {
    const options = { lazyEntries: true, decodeStrings: false, validateEntrySizes: false, autoClose: false };
    const sizeBytes = tail.offset + tail.bytes.length;
    file = await fromRandomAccessReaderPromise(new WindowReader(tail), sizeBytes, options);
  } catch (error) {
    return disagreement(error instanceof Error ? error.message : 'the end record', tail.offset);
  }
  if (file.entryCount !== records.length) return disagreement('the number of entries', tail.offset);
  return compare(file, records, pacer);
}
