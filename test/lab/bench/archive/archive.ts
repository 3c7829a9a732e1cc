import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { importLargest } from './import.ts';
import type { Measurement } from './measure.ts';
import { BOMB_BYTES, BOMB_LIMIT_BYTES, SAMPLES } from './samples.ts';

const run = promisify(execFile);
const MiB = 2 ** 20;
const ROUNDS = 3;

/** A script beside this one, as TypeScript or JavaScript like this one. */
function beside(name: string): string {
  return join(import.meta.dirname, `${name}${import.meta.filename.slice(-3)}`);
}

async function runNode(script: string, ...args: string[]): Promise<string> {
  return (await run(process.execPath, [beside(script), ...args])).stdout;
}

async function measure(reader: string, path: string, temperature = 'warm'): Promise<Measurement> {
  return JSON.parse(await runNode('measure', reader, path, temperature)) as Measurement;
}

/** The best of three runs of `unzip -t`; undefined where it is not installed. */
async function timeUnzip(path: string): Promise<number | undefined> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    try {
      await run('unzip', ['-tqq', path]);
    } catch {
      return undefined;
    }
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

interface Row {
  readonly what: string;
  readonly measured: string;
  readonly wanted: string;
}

async function compare(
  what: string,
  path: string,
  wantedRatio: number,
  describe: (ms: number) => string,
): Promise<Row> {
  const yauzl = await measure('yauzl', path);
  const ours = await measure('ours', path);
  const codecs = await measure('codecs', path);
  const unzip = await timeUnzip(path);
  if (ours.files !== yauzl.files || ours.codes.length > 0)
    throw new Error(`${what}: not everything was read`);
  const others = [
    `yauzl ${describe(yauzl.ms)}`,
    `zlib and SHA-256 alone on one thread ${describe(codecs.ms)}`,
    `unzip -t ${unzip === undefined ? 'not there' : describe(unzip)}`,
  ];
  const ratio = (yauzl.ms / ours.ms).toFixed(1);
  const byCpu =
    yauzl.mainCpuMs === null || ours.mainCpuMs === null
      ? ''
      : `, ${(yauzl.mainCpuMs / ours.mainCpuMs).toFixed(1)} x by the processor's time of the main thread`;
  const memory = `${ours.moreMiB.toFixed(0)} MiB more, fetched ${ours.fetchedShare.toFixed(3)} x`;
  return {
    what,
    measured: `${describe(ours.ms)} = ${ratio} x yauzl${byCpu} (${others.join(', ')}; ${memory})`,
    wanted: `${wantedRatio} x yauzl`,
  };
}

async function refusal(name: string, path: string, code: string): Promise<Row> {
  const { ms, moreMiB, codes } = await measure('directory', path, 'cold');
  if (!codes.includes(code)) throw new Error(`${name}: expected ${code}, found ${codes.join(', ')}`);
  return {
    what: name,
    measured: `${ms.toFixed(1)} ms, ${moreMiB.toFixed(1)} MiB more`,
    wanted: '50 ms, 32 MiB',
  };
}

async function directoryRow(path: string): Promise<Row> {
  const { ms, moreMiB, files } = await measure('directory', path, 'cold');
  if (files !== 50_000) throw new Error(`${files} entries`);
  return {
    what: 'all rules of the directory, 50,000 entries',
    measured: `${ms.toFixed(0)} ms, ${moreMiB.toFixed(1)} MiB more`,
    wanted: '500 ms, 64 MiB',
  };
}

/** The bytes read of a file with a false size show how far it was unpacked. */
async function bombRow(path: string): Promise<Row> {
  const { readShare, codes } = await measure('ours', path, 'cold');
  if (codes.length !== 1) throw new Error(`the bomb was not refused: ${codes.join(', ')}`);
  const share = (readShare * BOMB_BYTES) / BOMB_LIMIT_BYTES;
  return {
    what: 'a refusal in mid-stream',
    measured: `at most ${share.toFixed(3)} x the limit, by the packed bytes read`,
    wanted: '1.1 x',
  };
}

/** Through the worker's own path: its storage, queue and database. */
async function largestRow(folder: string): Promise<Row> {
  const { sizeBytes, ms, fetchedBytes, peakResidentMiB } = await importLargest(folder);
  const resident = `${((peakResidentMiB * MiB) / 1e6).toFixed(0)} MB resident at the peak`;
  const fetched = `${(fetchedBytes / sizeBytes).toFixed(4)} x its size fetched`;
  return {
    what: `the worker imports a package of ${(sizeBytes / MiB).toFixed(0)} MiB`,
    measured: `${resident}, ${fetched} (${(ms / 1000).toFixed(0)} s)`,
    wanted: '200 MB, 1.05 x',
  };
}

/** Prints how fast archives are read and refused, next to plain yauzl and `unzip -t` in the same run. */
export async function benchArchive(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-archive-'));
  const at = (name: string): string => join(folder, `${name}.zip`);
  try {
    for (const name of Object.keys(SAMPLES)) await runNode('samples', folder, name);
    const megabytes = (ms: number): string => `${((128 * MiB) / 1e6 / (ms / 1000)).toFixed(0)} MB/s`;
    const entries = (ms: number): string => `${(20_000 / (ms / 1000)).toFixed(0)} entries/s`;
    const rows = [
      await compare('16 files of 8 MiB, CRC-32 and SHA-256', at('large-files'), 2.5, megabytes),
      await compare('20,000 files of 4 KiB, the same', at('small-files'), 8, entries),
      await refusal('refused by size', at('refused-by-size'), 'archive-entry-too-large'),
      await refusal('refused by count', at('refused-by-count'), 'archive-too-many-entries'),
      await refusal(
        'refused by a count modulo 65,536',
        at('refused-by-hidden-count'),
        'archive-too-many-entries',
      ),
      await refusal('refused by the end record', at('refused-by-end-record'), 'archive-ambiguous'),
      await directoryRow(at('many-entries')),
      await bombRow(at('bomb')),
      await largestRow(folder),
    ];
    console.log(
      `archives: ${(statSync(at('large-files')).size / MiB).toFixed(0)} MiB and ${(statSync(at('small-files')).size / MiB).toFixed(0)} MiB packed`,
    );
    for (const { what, measured, wanted } of rows) console.log(`${what}: ${measured} (wanted: ${wanted})`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
