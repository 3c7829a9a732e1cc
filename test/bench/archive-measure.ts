// One measurement in a process of its own, so that its time starts cold and its memory is its own.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

import { openPromise } from 'yauzl';

import { DEFAULT_PACKAGE_LIMITS } from '../../shared/package/limits.ts';
import type { EntryVisitor } from '../../shared/package/zip/archive.ts';
import { readDirectory } from '../../shared/package/zip/read-directory.ts';
import { readEntries } from '../../shared/package/zip/read-entries.ts';
import { fileSource } from './archive-file-source.ts';

/** What one measurement says about itself. */
export interface Measurement {
  readonly ms: number;
  readonly moreMiB: number;
  readonly codes: readonly string[];
  readonly fetchedShare: number;
  readonly files: number;
}

const ROUNDS = 3;

async function readWithYauzl(path: string): Promise<number> {
  const archive = await openPromise(path);
  let files = 0;
  for await (const entry of archive.eachEntry()) {
    const sha256 = createHash('sha256');
    let crc = 0;
    for await (const piece of (await archive.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      crc = crc32(piece, crc);
      sha256.update(piece);
    }
    if (crc !== entry.crc32) throw new Error(`CRC-32 of ${entry.fileName}`);
    sha256.digest('hex');
    files++;
  }
  return files;
}

/** Takes every file in pieces and keeps none. */
function discardingVisitor(): EntryVisitor & { files: number } {
  return {
    files: 0,
    wantsWhole: () => false,
    whole: () => undefined,
    pieces() {
      return {
        write: () => undefined,
        end: () => {
          this.files++;
        },
        abort: () => undefined,
      };
    },
  };
}

type Outcome = Omit<Measurement, 'ms' | 'moreMiB'>;

async function readWithUs(path: string, isDirectoryOnly: boolean): Promise<Outcome> {
  const source = fileSource(path);
  const visitor = discardingVisitor();
  const directory = await readDirectory(source, DEFAULT_PACKAGE_LIMITS);
  const found = isDirectoryOnly ? [] : await readEntries(source, directory, DEFAULT_PACKAGE_LIMITS, visitor);
  const codes = [...new Set([...directory.problems, ...found].map(({ code }) => code))];
  const files = isDirectoryOnly ? directory.entries.length : visitor.files;
  return { codes, fetchedShare: source.fetchedBytes / source.sizeBytes, files };
}

const READERS: Record<string, (path: string) => Promise<Outcome>> = {
  yauzl: async (path) => ({ codes: [], fetchedShare: 0, files: await readWithYauzl(path) }),
  ours: (path) => readWithUs(path, false),
  directory: (path) => readWithUs(path, true),
};

/** Times the first of the runs when it is to be cold, else the best of three. */
async function measure(reader: string, path: string, isCold: boolean): Promise<Measurement> {
  const read = READERS[reader];
  if (read === undefined) throw new Error(`no reader ${reader}`);
  const before = process.memoryUsage().rss;
  let best: Measurement | undefined;
  for (let round = 0; round < (isCold ? 1 : ROUNDS); round++) {
    const start = performance.now();
    const outcome = await read(path);
    const ms = performance.now() - start;
    const moreMiB = (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20;
    if (best === undefined || ms < best.ms) best = { ...outcome, ms, moreMiB };
  }
  if (best === undefined) throw new Error('nothing measured');
  return best;
}

const [, , reader, path, temperature] = process.argv;
if (process.argv[1] === import.meta.filename && reader !== undefined && path !== undefined) {
  console.log(JSON.stringify(await measure(reader, path, temperature === 'cold')));
}
