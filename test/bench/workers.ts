import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Client } from '../faults/clients.ts';
import { startFaultParts } from '../faults/fault-parts.ts';
import type { FaultParts } from '../faults/fault-parts.ts';
import { startFaultStack } from '../faults/fault-stack.ts';
import { makeUpload } from '../faults/packages.ts';
import { hasOwnNetwork, openOwnNetwork, runInOwnNetwork } from '../support/hosts/own-network.ts';
import { printTable } from './measure.ts';

const CLIENTS = 12;
/** Processes that have just started need many times the processor until their code is compiled. */
const WARM_UP_MS = 15_000;
const MEASURED_MS = 10_000;
const STORAGE_DELAY_MS = 20;
/** Above it the processors are the bound, so that the run says nothing of the workers. */
const MOST_PROCESSOR_USE = 0.8;
/** How many workers, and how much more than one of them they have to do. */
const STEPS = [
  { workers: 1, leastGrowth: 1 },
  { workers: 2, leastGrowth: 1.8 },
  { workers: 4, leastGrowth: 3.4 },
] as const;

interface Throughput {
  readonly perSecond: number;
  /** Of all processors of this machine, 0 to 1. */
  readonly processorUse: number;
}

/**
 * Ticks in which the processors were not idle, and all that have passed (proc_stat(5)). What the host of a virtual
 * machine took for others counts as busy: it was not there for the service.
 */
async function processorTimes(): Promise<{ readonly busy: number; readonly all: number }> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n');
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softirq + steal;
  return { busy, all: busy + idle + iowait };
}

/** Has clients upload without pause to two API processes, and counts what so many workers import. */
async function measureThroughput(parts: FaultParts, workers: number): Promise<Throughput> {
  const stack = await startFaultStack(parts, {
    name: `${workers} workers`,
    parts: 'Redis, S3',
    workers,
    hosts: { storageDelayMs: STORAGE_DELAY_MS },
    settings: { WORKER_CONCURRENCY: '1', LOG_LEVEL: 'warn' },
  });
  try {
    let made = 0;
    let ended = 0;
    let isOver = false;
    const lane = async () => {
      const client = new Client(stack.address);
      while (!isOver) {
        made += 1;
        const { endedMs, strange } = await client.upload(makeUpload(made, false));
        if (endedMs === null || strange.length > 0)
          throw new Error(`an import went wrong: ${strange.join(', ')}`);
        ended += 1;
      }
    };
    const lanes = Promise.all(Array.from({ length: CLIENTS }, lane));
    await Promise.race([setTimeout(WARM_UP_MS), lanes]);
    const before = { ended, times: await processorTimes(), ms: performance.now() };
    await Promise.race([setTimeout(MEASURED_MS), lanes]);
    const after = { ended, times: await processorTimes(), ms: performance.now() };
    isOver = true;
    await lanes;
    return {
      perSecond: ((after.ended - before.ended) * 1_000) / (after.ms - before.ms),
      processorUse: (after.times.busy - before.times.busy) / (after.times.all - before.times.all),
    };
  } finally {
    await stack.stop();
  }
}

/**
 * How the throughput grows with workers that take one job at a time, each on a host of its own, from a storage
 * that is 20 ms away. Fails where it grows too little, or the machine was too busy to tell.
 */
export async function benchWorkers(): Promise<void> {
  if (await runInOwnNetwork()) return;
  if (!hasOwnNetwork) throw new Error('this needs the right to make network namespaces (root), and ip');
  openOwnNetwork();
  const parts = await startFaultParts();
  try {
    const rows = [['workers', 'imports/s', 'growth', 'wanted', 'processor use', 'counts']];
    let one = 0;
    for (const { workers, leastGrowth } of STEPS) {
      const { perSecond, processorUse } = await measureThroughput(parts, workers);
      if (workers === 1) one = perSecond;
      const growth = perSecond / one;
      const counts = processorUse <= MOST_PROCESSOR_USE;
      if (!counts || growth < leastGrowth) process.exitCode = 1;
      const figures = [perSecond.toFixed(1), growth.toFixed(2), leastGrowth.toFixed(1)];
      rows.push([String(workers), ...figures, `${(processorUse * 100).toFixed(0)} %`, counts ? 'yes' : 'no']);
    }
    printTable(rows);
  } finally {
    await parts.stop();
  }
}
