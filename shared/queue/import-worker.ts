import type { Job, WorkerOptions } from 'bullmq';
import { setTimeout } from 'node:timers/promises';
import type { ImportGroup, ImportJob } from '../db/imports/attempts.ts';
import { closeQueuePool, openQueuePool, type QueuePool } from '../db/queue-pool.ts';
import { FairSlots } from '../limits/fair-slots.ts';
import { GrowingIntervals } from '../telemetry/growing-intervals.ts';
import type { Log } from '../telemetry/log.ts';
import { jobIdOf } from './import-queue.ts';
import {
  LANES,
  postgresWorker,
  redisWorker,
  WORKER_CONNECTIONS,
  type LaneName,
  type ProcessJob,
  type QueueConnection,
  type QueuedJob,
} from './queue-connection.ts';

/** Waits double from a second; with the cap an import goes on soon after an unavailable part is back. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** A worker that dies is noticed within its lock's time and one check. */
export const LOCK_MS = 6_000;
export const STALL_CHECK_MS = LOCK_MS / 2;
/** An import is not to blame for a take-over, so it may happen often before the job counts as failed. */
const MAX_TAKE_OVERS = 10;
/** With BullMQ's default of 15 s a worker would stay idle for that long after its queue is back. */
const RETRY_FETCH_MS = 500;
/** The longest time of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const WORKER_OPTIONS = {
  lockDuration: LOCK_MS,
  stalledInterval: STALL_CHECK_MS,
  maxStalledCount: MAX_TAKE_OVERS,
  runRetryDelay: RETRY_FETCH_MS,
  settings: { backoffStrategy: waitMs },
} satisfies Omit<WorkerOptions, 'connection'>;

/** How a job of a group runs its imports. */
export interface GroupRun {
  /** That of the group's job, and of the jobs that its imports get. */
  readonly priority: number;
  /** False: an earlier start has not ended the group, or the worker stops. */
  mayStart(): boolean;
  /** Runs an import in one of the lane's slots, of which one that has a job of its own takes one too. */
  inSlot<Result>(act: () => Promise<Result>): Promise<Result>;
}

/** How a worker handles jobs. */
export interface JobHandlers {
  /** Returning completes the job; after throwing, the queue tries again. */
  run(job: ImportJob): Promise<void>;
  /** Runs a group as `run` does. */
  runGroup(group: ImportGroup, run: GroupRun): Promise<void>;
  /** The queue has failed and removed an import's job, because its workers died too often. */
  exhausted(job: ImportJob): Promise<void>;
}

/** A worker that processes jobs once it is started. */
export interface OpenWorker {
  ready(): Promise<void>;
  /** Fetches jobs from now on. */
  start(): void;
  /**
   * Fetches no more jobs and waits at most this long for the running ones. False: some still run. They stay in
   * the queue, which hands them to another worker when their locks expire.
   */
  close(maxWaitMs: number): Promise<boolean>;
}

/** The parts that a worker's lanes share. */
interface SharedConnection {
  readonly redisUrl: string | null;
  readonly pool: QueuePool;
}

/** Opens the workers of imports: at most `concurrency` of the regular lane at once, and half as many of the other. */
export function openWorker(
  connection: QueueConnection,
  concurrency: number,
  handlers: JobHandlers,
  log: Log,
): OpenWorker {
  const pool = openQueuePool(connection.databaseUrl, WORKER_CONNECTIONS);
  const shared = { redisUrl: connection.redisUrl, pool };
  const workers = [
    openLane(LANES.regular, shared, concurrency, handlers, log),
    openLane(LANES.bulk, shared, Math.ceil(concurrency / 2), handlers, log),
  ];
  return {
    async ready() {
      await Promise.all(workers.map((each) => each.ready()));
    },
    start() {
      for (const each of workers) each.start();
    },
    async close(maxWaitMs) {
      const areClosed = (await Promise.all(workers.map((each) => each.close(maxWaitMs)))).every(Boolean);
      if (areClosed) await closeQueuePool(pool);
      return areClosed;
    },
  };
}

function openLane(
  name: LaneName,
  { redisUrl, pool }: SharedConnection,
  concurrency: number,
  handlers: JobHandlers,
  log: Log,
): OpenWorker {
  const options = { ...WORKER_OPTIONS, concurrency: 1, autorun: false };
  let isClosing = false;
  const runJob = jobRunner(concurrency, handlers, () => isClosing);
  const run = runAtOnce(concurrency, runJob, (allowed) => {
    worker.concurrency = allowed;
  });
  const { worker, disconnect } =
    redisUrl === null ? postgresWorker(name, pool, run, options) : redisWorker(name, redisUrl, run, options);
  const reports = new GrowingIntervals();
  worker.on('error', (error: Error) => {
    if (reports.isDue()) log.warn({ err: error }, 'queue connection failed');
  });
  worker.on('failed', (job: Job<QueuedJob, void> | undefined) => {
    // A job that is not finished is tried again.
    if (job === undefined || job.finishedOn === undefined) return;
    const { data } = job;
    // The sweep finds the imports of a group.
    if ('groupId' in data) return;
    handlers
      .exhausted(data)
      .catch((error: unknown) =>
        log.error({ err: error, importId: data.importId }, 'import could not be marked as failed'),
      );
  });
  return {
    async ready() {
      await worker.waitUntilReady();
    },
    start() {
      // It goes on until the worker is closed; what fails meanwhile is an event.
      worker.run().catch((error: unknown) => log.error({ err: error }, 'queue worker stopped'));
    },
    async close(maxWaitMs) {
      isClosing = true;
      const closed = worker.close();
      const isClosed = await Promise.race([
        closed.then(() => true),
        setTimeout(maxWaitMs, false, { ref: false }),
      ]);
      closed.catch(() => undefined);
      disconnect();
      return isClosed;
    },
  };
}

/**
 * Has each job run as soon as it is fetched. BullMQ fetches as many jobs as it is allowed to run before it runs the first of them, and
 * looks for another where there is one alone: it is allowed one more than run.
 */
function runAtOnce(max: number, run: ProcessJob, allow: (concurrency: number) => void): ProcessJob {
  let running = 0;
  return async (job) => {
    running += 1;
    allow(Math.min(max, running + 1));
    await run(job).finally(() => {
      running -= 1;
      // In a full lane each job that ends fetches the next.
      if (running < max - 1) allow(running + 1);
    });
  };
}

/** Runs the jobs of a lane, at most this number of imports at once. */
function jobRunner(concurrency: number, handlers: JobHandlers, isClosing: () => boolean): ProcessJob {
  const inSlot = openSlots(concurrency);
  return async ({ data, attemptsStarted, opts: { priority = 0 } }) => {
    if (!('groupId' in data)) return inSlot(jobIdOf(data), async () => handlers.run(data));
    return handlers.runGroup(data, {
      priority,
      mayStart: () => attemptsStarted === 1 && !isClosing(),
      inSlot: async (act) => inSlot(data.groupId, act),
    });
  };
}

/** The imports that run at once: jobs, of which a group has many imports, have their turns one after the other. */
function openSlots(max: number) {
  const slots = new FairSlots({
    resource: 'imports',
    max,
    maxPerOwner: max,
    maxWaitingPerOwner: Infinity,
    maxWaitMs: MAX_TIMER_MS,
  });
  return async <Result>(jobId: string, act: () => Promise<Result>): Promise<Result> => {
    const free = await slots.take(jobId);
    return act().finally(free);
  };
}

/** Between half of the wait and all of it, so that imports that failed together do not all come back at once. */
function waitMs(attemptsMade: number): number {
  const longestMs = Math.min(FIRST_WAIT_MS * 2 ** (attemptsMade - 1), LONGEST_WAIT_MS);
  return Math.round(longestMs * (0.5 + Math.random() / 2));
}
