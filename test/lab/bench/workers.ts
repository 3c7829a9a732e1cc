import { setTimeout } from 'node:timers/promises';
import { migrate } from '../../../shared/db/migrate.ts';
import { openQueue, type OpenQueue } from '../../../shared/queue/import-queue.ts';
import { freePort } from '../../../shared/local/free-port.ts';
import { ensureDatabase } from '../../../shared/local/postgres.ts';
import { createLog } from '../../../shared/telemetry/log.ts';
import { startFaultParts, type FaultParts } from '../faults/stack/fault-parts.ts';
import { Forwarder } from '../../support/hosts/forwarder.ts';
import { makeBucket } from '../../support/part-servers.ts';
import { smallUpdate } from './import/packages.ts';
import { startService, uploadBody, type BenchService } from './import/service.ts';
import { measureEach, printTable } from './measure.ts';
import { measureProcessorUse } from './processor-use.ts';

const STORAGE_DELAY_MS = 20;
const CLIENTS = 12;
const APIS = 2;
/** A process needs more than twice the processor time for an import until all of its code is compiled. */
const WARM_UPS_PER_WORKER = 2_200;
const WARM_UPS_AT_ONCE = 1_100;
const IMPORTS_PER_WORKER = 150;
/** The fastest round counts: other work on a shared machine can only slow a round down. */
const ROUNDS = 4;
const POLL_MS = 50;
/** Above it the processors are the limit, so the run says nothing about the workers. */
const MOST_PROCESSOR_USE = 0.8;
/** The number of workers, and the multiple of one worker's throughput that they must reach. */
const STEPS = [
  { workers: 4, leastGrowth: 3.4 },
  { workers: 2, leastGrowth: 1.8 },
  { workers: 1, leastGrowth: 1 },
] as const;
const MOST_WORKERS = STEPS[0].workers;

/** The result of this many workers with a backlog. */
interface Drain {
  readonly perSecond: number;
  /** 0 to 1. */
  readonly processorUse: number;
}

/** The service on Redis and a slow storage, and control of its queue. */
interface WorkersBench {
  readonly service: BenchService;
  readonly queue: OpenQueue;
  stop(): Promise<void>;
}

async function startBench(parts: FaultParts): Promise<WorkersBench> {
  const { redis, s3 } = parts;
  if (redis === null || s3 === null) throw new Error('this benchmark needs redis-server and versitygw');
  const databaseUrl = await ensureDatabase(parts.postgres.url, 'workers');
  await migrate(databaseUrl);
  const port = await freePort();
  const farStorage = await Forwarder.open({
    address: '127.0.0.1',
    port,
    targetPort: s3.port,
    delayMs: STORAGE_DELAY_MS,
  });
  const service = await startService({
    databaseUrl,
    settings: {
      REDIS_URL: redis.url,
      ...(await makeBucket(`http://127.0.0.1:${port}`)),
      WORKER_CONCURRENCY: '1',
    },
    apis: APIS,
    workers: MOST_WORKERS,
  });
  const queue = openQueue({ redisUrl: redis.url, databaseUrl }, createLog('bench', 'warn'));
  return {
    service,
    queue,
    async stop() {
      await queue.close();
      await service.stop();
      farStorage.close();
    },
  };
}

function makeBodies(count: number): readonly Buffer[] {
  return Array.from({ length: count }, () => uploadBody(smallUpdate()));
}

async function warmUp({ service }: WorkersBench): Promise<void> {
  const total = WARM_UPS_PER_WORKER * MOST_WORKERS;
  for (let done = 0; done < total; done += WARM_UPS_AT_ONCE) {
    console.error(`warming up: ${done} of ${total} imports`);
    await measureEach(makeBodies(WARM_UPS_AT_ONCE), CLIENTS, service.importOne);
  }
}

async function measureBest(bench: WorkersBench, workers: number): Promise<Drain> {
  await bench.service.keepWorkers(workers);
  const drains: Drain[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    console.error(`${workers} at work: round ${round} of ${ROUNDS}`);
    drains.push(await measureDrain(bench, IMPORTS_PER_WORKER * workers));
  }
  return drains.reduce((best, drain) => (drain.perSecond > best.perSecond ? drain : best));
}

/** Fills the queue while it is paused, then has the workers empty it. */
async function measureDrain({ service, queue }: WorkersBench, imports: number): Promise<Drain> {
  const lanes = Object.values(queue.lanes);
  for (const lane of lanes) await lane.pause();
  await measureEach(makeBodies(imports), CLIENTS, service.queueOne);
  const startedMs = performance.now();
  const processorUse = await measureProcessorUse(async () => {
    for (const lane of lanes) await lane.resume();
    await isEmpty(queue);
  });
  return { perSecond: (imports * 1_000) / (performance.now() - startedMs), processorUse };
}

/** Resolves when no job is left. */
async function isEmpty(queue: OpenQueue): Promise<void> {
  for (;;) {
    const { failed, ...left } = await queue.countJobs();
    if (failed !== 0) throw new Error('an import failed');
    if (Object.values(left).every((count) => count === 0)) return;
    await setTimeout(POLL_MS);
  }
}

/** With all workers first: all are warm then, and the smaller numbers are some of the same processes. */
async function measureSteps(bench: WorkersBench): Promise<readonly Drain[]> {
  await warmUp(bench);
  const drains: Drain[] = [];
  for (const { workers } of STEPS) drains.push(await measureBest(bench, workers));
  return drains;
}

/**
 * How the throughput grows with workers that run one job at a time, from a storage with 20 ms of latency.
 * Fails where it grows too little, or where the machine was too busy for a result.
 */
export async function benchWorkers(): Promise<void> {
  const parts = await startFaultParts();
  try {
    const bench = await startBench(parts);
    try {
      report(await measureSteps(bench));
    } finally {
      await bench.stop();
    }
  } finally {
    await parts.stop();
  }
}

/** Prints the results, fewest workers first. */
function report(drains: readonly Drain[]): void {
  const one = drains.at(-1)?.perSecond ?? 0;
  const rows = drains.map(({ perSecond, processorUse }, index) => {
    const { workers = 0, leastGrowth = 0 } = STEPS[index] ?? {};
    const growth = perSecond / one;
    const counts = processorUse <= MOST_PROCESSOR_USE;
    if (!counts || growth < leastGrowth) process.exitCode = 1;
    const figures = [perSecond.toFixed(1), growth.toFixed(2), leastGrowth.toFixed(1)];
    return [String(workers), ...figures, `${(processorUse * 100).toFixed(0)} %`, counts ? 'yes' : 'no'];
  });
  printTable([['workers', 'imports/s', 'growth', 'wanted', 'processor use', 'counts'], ...rows.toReversed()]);
}
