// One measurement in a process of its own, so that it starts cold and its memory is its own.
import { createHash, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

import { openPromise } from 'yauzl';

import { DEFAULT_PACKAGE_LIMITS } from '../../../../shared/package/limits.ts';
import type { EntryVisitor } from '../../../../shared/package/archive/archive.ts';
import { readDirectory } from '../../../../shared/package/archive/read-directory.ts';
import { readEntries } from '../../../../shared/package/archive/read-entries.ts';
import { inflateEntry, packedEntries } from './codecs.ts';
import { fileSource } from './file-source.ts';

/** The report of one measurement. */
export interface Measurement {
  readonly ms: number;
  /** The processor time of all threads, and of the main thread where the system reports it. */
  readonly cpuMs: number;
  readonly mainCpuMs: number | null;
  readonly moreMiB: number;
  readonly codes: readonly string[];
  readonly fetchedShare: number;
  /** The position of the last piece that was read, as a share of the archive. */
  readonly readShare: number;
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

/** The bare calls that no reader can avoid, on a package in memory: the limit that the processor sets. */
function callOnlyTheCodecs(path: string): number {
  let files = 0;
  for (const entry of packedEntries(path)) {
    const content = inflateEntry(entry);
    if (crc32(content) !== entry.crc32) throw new Error('CRC-32');
    hash('sha256', content, 'hex');
    files++;
  }
  return files;
}

/** Keeps no file. */
function discardingVisitor(): EntryVisitor & { files: number } {
  return {
    files: 0,
    wantsWhole: () => false,
    whole: () => undefined,
    passed() {
      this.files++;
    },
  };
}

type Outcome = Omit<Measurement, 'ms' | 'cpuMs' | 'mainCpuMs' | 'moreMiB'>;

async function readWithUs(path: string, isDirectoryOnly: boolean): Promise<Outcome> {
  const source = fileSource(path);
  const visitor = discardingVisitor();
  const directory = await readDirectory(source, DEFAULT_PACKAGE_LIMITS);
  let readBytes = 0;
  const onProgress = (bytes: number): void => {
    if (bytes < directory.directoryOffset) readBytes = bytes;
  };
  const found = isDirectoryOnly
    ? []
    : await readEntries(source, directory, DEFAULT_PACKAGE_LIMITS, visitor, onProgress);
  const codes = [...new Set([...directory.problems, ...found].map(({ code }) => code))];
  const files = isDirectoryOnly ? directory.entries.length : visitor.files;
  return {
    codes,
    fetchedShare: source.fetchedBytes / source.sizeBytes,
    readShare: readBytes / source.sizeBytes,
    files,
  };
}

const NOTHING = { codes: [], fetchedShare: 0, readShare: 0 };

const READERS: Record<string, (path: string) => Promise<Outcome>> = {
  yauzl: async (path) => ({ ...NOTHING, files: await readWithYauzl(path) }),
  codecs: (path) => Promise.resolve({ ...NOTHING, files: callOnlyTheCodecs(path) }),
  ours: (path) => readWithUs(path, false),
  directory: (path) => readWithUs(path, true),
};

function allThreadsMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Only Linux reports what a process's first thread used. */
function mainThreadMs(): number | null {
  if (process.platform !== 'linux') return null;
  return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
}

/** Times only the first run when it is to be cold, otherwise the best of three. */
async function measure(reader: string, path: string, isCold: boolean): Promise<Measurement> {
  const read = READERS[reader];
  if (read === undefined) throw new Error(`no reader ${reader}`);
  const before = process.memoryUsage().rss;
  let best: Measurement | undefined;
  for (let round = 0; round < (isCold ? 1 : ROUNDS); round++) {
    const [allBefore, mainBefore, start] = [allThreadsMs(), mainThreadMs(), performance.now()];
    const outcome = await read(path);
    const ms = performance.now() - start;
    const [all, main] = [allThreadsMs(), mainThreadMs()];
    const cpuMs = all - allBefore;
    const mainCpuMs = main === null || mainBefore === null ? null : main - mainBefore;
    const moreMiB = (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20;
    if (best === undefined || ms < best.ms) best = { ...outcome, ms, cpuMs, mainCpuMs, moreMiB };
  }
  if (best === undefined) throw new Error('nothing was measured');
  return best;
}

const [, , reader, path, temperature] = process.argv;
if (process.argv[1] === import.meta.filename && reader !== undefined && path !== undefined) {
  console.log(JSON.stringify(await measure(reader, path, temperature === 'cold')));
}
