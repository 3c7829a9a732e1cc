import { execFile } from 'node:child_process';
import http from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Side } from './import-sides.ts';
import type { LoadOrder, LoadPackages } from './load-generator.ts';
import type { Measurement } from './measure.ts';
import { memoryPeakMiB, processorMs, resetMemoryPeak } from './process-tree.ts';
import type { StartedProcess } from './start-process.ts';

/** What one side did with one load. */
export interface Turn extends Measurement {
  /** By part, all imports of the load together; that of the load generator under its name. */
  readonly processorMs: ReadonlyMap<string, number>;
  readonly peakMiB: ReadonlyMap<string, number>;
  /** The longest answer of /livez meanwhile. */
  readonly longestLivezMs: number;
}

/** The name of the load generator beside those of the parts. */
export const LOAD = 'load';

/** What is left to do when the last answer is out counts too. */
const AFTERMATH_MS = 300;
const LIVEZ_EVERY_MS = 20;

async function timeLivez(url: URL, agent: http.Agent): Promise<number> {
  const startMs = performance.now();
  await new Promise<void>((resolve, reject) => {
    const request = http.get(new URL('/livez', url), { agent }, (response) => {
      response.resume().on('end', resolve);
    });
    request.on('error', reject);
  });
  return performance.now() - startMs;
}

/** Fetches /livez repeatedly until it is stopped; stopping returns the longest time of one request. */
function watchLivez(url: URL): () => Promise<number> {
  const agent = new http.Agent({ keepAlive: true });
  const watch = { isOver: false };
  const watching = (async () => {
    let longestMs = 0;
    while (!watch.isOver) {
      longestMs = Math.max(longestMs, await timeLivez(url, agent));
      await setTimeout(LIVEZ_EVERY_MS);
    }
    agent.destroy();
    return longestMs;
  })();
  return () => {
    watch.isOver = true;
    return watching;
  };
}

/** Has one side take a load. Everything that is sent is made before, and what was written before is on disk. */
export async function takeTurn(
  side: Side,
  generator: StartedProcess,
  packages: LoadPackages,
  clients: number,
): Promise<Turn> {
  const prepare: LoadOrder = { prepare: packages };
  const run: LoadOrder = { run: side.target, clients };
  await generator.ask(prepare);
  // Else this side's syncs would write what the other left in memory.
  await promisify(execFile)('sync');
  const pids = [...side.pids, [LOAD, generator.pid] as const];
  for (const [, pid] of side.pids) resetMemoryPeak(pid);
  const before = new Map(pids.map(([part, pid]) => [part, processorMs(pid)]));
  const stopWatch = watchLivez(new URL(side.target.url));
  const measured = await generator.ask<Measurement>(run);
  const longestLivezMs = await stopWatch();
  await setTimeout(AFTERMATH_MS);
  return {
    ...measured,
    processorMs: new Map(pids.map(([part, pid]) => [part, processorMs(pid) - (before.get(part) ?? 0)])),
    peakMiB: new Map([...side.pids].map(([part, pid]) => [part, memoryPeakMiB(pid)])),
    longestLivezMs,
  };
}
