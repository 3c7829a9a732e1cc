import os from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Client } from '../faults/clients.ts';
import { startFaultParts } from '../faults/fault-parts.ts';
import type { FaultParts } from '../faults/fault-parts.ts';
import { startFaultStack } from '../faults/fault-stack.ts';
import { makeUpload } from '../faults/packages.ts';
import { hasOwnNetwork, openOwnNetwork, runInOwnNetwork } from '../support/hosts/own-network.ts';
import { printTable } from './measure.ts';

const CLIENTS = 24;
const WARM_UP_MS = 4_000;
const MEASURED_MS = 15_000;
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

/** Milliseconds that the processors have been busy, and that have passed for them. */
function processorTimes(): { readonly busy: number; readonly all: number } {
  let busy = 0;
  let all = 0;
  for (const { times } of os.cpus()) {
    const sum = times.user + times.nice + times.sys + times.irq + times.idle;
    all += sum;
    busy += sum - times.idle;
  }
  return { busy, all };
}

/** Has clients upload without pause to two API processes, and counts what so many workers import. */
async function measureThroughput(parts: FaultParts, workers: number): Promise<Throughput> {
  const stack = await startFaultStack(parts, {
    name: `${workers} workers`,
    parts: 'Redis, S3',
    workers,
    hosts: { storageDelayMs: STORAGE_DELAY_MS },
    settings: { WORKER_CONCURRENCY: '1' },
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
    const before = { ended, times: processorTimes(), ms: performance.now() };
    await Promise.race([setTimeout(MEASURED_MS), lanes]);
    const after = { ended, times: processorTimes(), ms: performance.now() };
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
