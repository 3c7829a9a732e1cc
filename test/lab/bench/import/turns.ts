import { execFile } from 'node:child_process';
import http from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Side } from './sides.ts';
import type { LoadOrder, LoadPackages } from './load-generator.ts';
import type { Measurement } from '../measure.ts';
import { memoryPeakMiB, processorMs, resetMemoryPeak } from '../process-tree.ts';
import type { StartedProcess } from '../start-process.ts';

/** The result of one side under one load. */
export interface Turn extends Measurement {
  /** By part, all imports of the load together; the load generator's is under its name. */
  readonly processorMs: ReadonlyMap<string, number>;
  readonly peakMiB: ReadonlyMap<string, number>;
  /** The longest answer of /livez during the load. */
  readonly longestLivezMs: number;
}

/** The name of the load generator among those of the parts. */
export const LOAD = 'load';

/** Work that remains after the last answer is included. */
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

/** Fetches /livez repeatedly until stopped; stopping returns the longest time of one request. */
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

/** Runs a load on one side. Everything to send is prepared, and everything written is on disk, before it starts. */
export async function takeTurn(
  side: Side,
  generator: StartedProcess,
  packages: LoadPackages,
  clients: number,
): Promise<Turn> {
  const prepare: LoadOrder = { prepare: packages };
  const run: LoadOrder = { run: side.target, clients };
  await generator.request(prepare);
  // Otherwise this side's syncs would flush what the other side left in memory.
  await promisify(execFile)('sync');
  const pids = [...side.pids, [LOAD, generator.pid] as const];
  for (const [, pid] of side.pids) resetMemoryPeak(pid);
  const before = new Map(pids.map(([part, pid]) => [part, processorMs(pid)]));
  const stopWatch = watchLivez(new URL(side.target.url));
  const measured = await generator.request<Measurement>(run);
  const longestLivezMs = await stopWatch();
  await setTimeout(AFTERMATH_MS);
  return {
    ...measured,
    processorMs: new Map(pids.map(([part, pid]) => [part, processorMs(pid) - (before.get(part) ?? 0)])),
    peakMiB: new Map([...side.pids].map(([part, pid]) => [part, memoryPeakMiB(pid)])),
    longestLivezMs,
  };
}
