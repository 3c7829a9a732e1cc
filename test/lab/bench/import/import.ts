import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findProgram } from '../../../support/find-program.ts';
import { printLarge, printProcessorTime, printSpeed, type Round, type Rounds } from './report.ts';
import { startRival, startServiceSide, type Side } from './sides.ts';
import { takeTurn } from './turns.ts';
import { describeDisk, fileSystemOf } from './journal.ts';
import type { LoadPackages } from './load-generator.ts';
import { startProcess, type StartedProcess } from '../start-process.ts';

/** The extent of a run. */
interface Extent {
  readonly rounds: number;
  readonly warmUps: number;
  /** The numbers of concurrent clients, and of their imports. */
  readonly loads: readonly { readonly clients: number; readonly imports: number }[];
}

const FULL: Extent = {
  rounds: 3,
  // A process needs twice the processor time for an import until all of its code is compiled.
  warmUps: 1_500,
  loads: [
    { clients: 1, imports: 200 },
    { clients: 8, imports: 500 },
    { clients: 32, imports: 1_000 },
  ],
};
const QUICK: Extent = {
  rounds: 3,
  warmUps: 300,
  loads: [
    { clients: 1, imports: 50 },
    { clients: 8, imports: 150 },
    { clients: 32, imports: 300 },
  ],
};
const WARM_UP_CLIENTS = 16;
/** Imports that new processes get at once: they open connections and compile code. */
const FIRST_IMPORTS = 32;
const LARGE_PACKAGES = [
  { load: '100 MB', largeBytes: 100e6 },
  { load: '1 GB', largeBytes: 1e9 },
];

/** Both sides on one set of parts, and their load generator. */
interface Match {
  readonly rival: Side;
  readonly service: Side;
  readonly generator: StartedProcess;
}

/**
 * Imports a second and processor time of an import of the service, on both sets of parts, next to a naive importer
 * in turns with it: `--quick` measures less, `--large` also large packages. BENCH_DIR is the folder for all files.
 */
export async function benchImport(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, large: { type: 'boolean', default: false } },
  });
  if (process.platform !== 'linux')
    throw new Error('this benchmark reads processor time from /proc, which only Linux has');
  const folder = await mkdtemp(path.join(process.env['BENCH_DIR'] ?? os.tmpdir(), 'bench-import-'));
  // PostgreSQL may run as another user, who needs access.
  await chmod(folder, 0o755);
  try {
    console.log(describeDisk(folder, fileSystemOf(folder)));
    const extent = values.quick ? QUICK : FULL;
    await benchParts('PostgreSQL and a directory', path.join(folder, 'embedded'), null, extent, values.large);
    const redis = findProgram('redis-server');
    if (redis === null)
      console.error('Left out: Redis. It needs redis-server (apt-get install redis-server).');
    else
      await benchParts(
        'PostgreSQL, Redis and a directory',
        path.join(folder, 'redis'),
        redis,
        extent,
        values.large,
      );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function benchParts(
  name: string,
  folder: string,
  redisProgram: string | null,
  extent: Extent,
  isLarge: boolean,
): Promise<void> {
  const folders = { rival: path.join(folder, 'rival'), service: path.join(folder, 'service') };
  for (const each of Object.values(folders)) await mkdir(each, { recursive: true });
  const generator = startProcess('test/lab/bench/import/load-generator.js', {});
  await generator.started;
  const rival = await startRival(folders.rival);
  const service = await startServiceSide(folders.service, redisProgram);
  const match = { rival, service, generator };
  try {
    const first = await playRounds(match, { small: FIRST_IMPORTS }, FIRST_IMPORTS, 1);
    const loads: Rounds[] = [{ load: `first ${FIRST_IMPORTS}`, imports: FIRST_IMPORTS, rounds: first }];
    await playRounds(match, { small: extent.warmUps }, WARM_UP_CLIENTS, 1);
    for (const { clients, imports } of extent.loads) {
      const rounds = await playRounds(match, { small: imports }, clients, extent.rounds);
      loads.push({ load: String(clients), imports, rounds });
    }
    console.log(`\n${name}: packages of 20 KB, 10 files; medians of ${extent.rounds} rounds`);
    printSpeed(loads);
    console.log('\nProcessor time of an import, ms');
    printProcessorTime(loads);
    if (isLarge) await benchLarge(match, name, extent.rounds);
  } finally {
    await Promise.all([service.stop(), rival.stop(), generator.stop()]);
  }
}

/** The sides take turns, so that other work on the machine affects both. */
async function playRounds(
  { rival, service, generator }: Match,
  packages: LoadPackages,
  clients: number,
  count: number,
): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round += 1) {
    console.error(`${JSON.stringify(packages)}, ${clients} clients: round ${round} of ${count}`);
    rounds.push({
      rival: await takeTurn(rival, generator, packages, clients),
      service: await takeTurn(service, generator, packages, clients),
    });
  }
  return rounds;
}

async function benchLarge(match: Match, name: string, rounds: number): Promise<void> {
  const loads: Rounds[] = [];
  for (const { load, largeBytes } of LARGE_PACKAGES)
    loads.push({ load, imports: 1, rounds: await playRounds(match, { largeBytes }, 1, rounds) });
  console.log(`\n${name}: packages of 200 files, one client; medians of ${rounds} rounds`);
  printLarge(loads);
}
