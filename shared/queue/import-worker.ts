import { UnrecoverableError } from 'bullmq';
import type { Job, WorkerOptions } from 'bullmq';
import { setTimeout } from 'node:timers/promises';
import type { ImportJob } from '../db/imports/imports.ts';
import type { Log } from '../telemetry/log.ts';
import { LANES, postgresWorker, redisWorker } from './queue-connection.ts';
import type { ImportJobData, LaneName, QueueConnection } from './queue-connection.ts';

/** Waits double from a second; with the cap an import goes on soon after an unavailable part is back. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 6_000;

/** A worker that dies is noticed within its lock's time and one check. */
const LOCK_MS = 6_000;
const STALL_CHECK_MS = 3_000;
/** An import is not to blame for a take-over, so it may happen often before the job counts as failed. */
const MAX_TAKE_OVERS = 10;
/** With BullMQ's default of 15 s a worker would stay idle for that long after its queue is back. */
const RETRY_FETCH_MS = 500;

const WORKER_OPTIONS = {
  lockDuration: LOCK_MS,
  stalledInterval: STALL_CHECK_MS,
  maxStalledCount: MAX_TAKE_OVERS,
  runRetryDelay: RETRY_FETCH_MS,
  settings: { backoffStrategy: waitMs },
} satisfies Omit<WorkerOptions, 'connection'>;

/** The queue does not try again a job whose handler throws this. */
export class FinalFailure extends Error {
  override readonly name = 'FinalFailure';
}

/** One run of a job, without the queue's own types. */
export interface JobRun extends ImportJob {
  /** Whether the queue will not try again when this run throws. */
  readonly isLastAttempt: boolean;
}

/** How a worker handles jobs. */
export interface JobHandlers {
  /** Returning completes the job; throwing fails the attempt. */
  run(job: JobRun): Promise<void>;
  /** The queue has failed a job without calling its handler, as when its workers died too often. */
  exhausted(job: ImportJob): Promise<void>;
}

/** A worker that processes jobs. */
export interface OpenWorker {
  ready(): Promise<void>;
  /**
   * Fetches no more jobs and waits for the running ones, at most so long. False: some still run. They stay in
   * the queue, which hands them to another worker when their locks expire.
   */
  close(maxWaitMs: number): Promise<boolean>;
}

/** Starts to process import jobs: so many of the regular lane at once, and half as many of the other. */
export function openWorker(
  connection: QueueConnection,
  concurrency: number,
  handlers: JobHandlers,
  log: Log,
): OpenWorker {
  const workers = [
    openLane(LANES.regular, connection, concurrency, handlers, log),
    openLane(LANES.bulk, connection, Math.ceil(concurrency / 2), handlers, log),
  ];
  return {
    async ready() {
      await Promise.all(workers.map((each) => each.ready()));
    },
    async close(maxWaitMs) {
      const areClosed = await Promise.all(workers.map((each) => each.close(maxWaitMs)));
      return areClosed.every((isClosed) => isClosed);
    },
  };
}

function openLane(
  name: LaneName,
  { redisUrl, databaseUrl }: QueueConnection,
  concurrency: number,
  handlers: JobHandlers,
  log: Log,
): OpenWorker {
  const process = async (job: Job<ImportJobData, void>) => {
    try {
      await handlers.run(toRun(job));
    } catch (error) {
      throw error instanceof FinalFailure ? new UnrecoverableError(error.message) : error;
    }
  };
  const options = { ...WORKER_OPTIONS, concurrency };
  const { worker, disconnect } =
    redisUrl === null
      ? postgresWorker(name, databaseUrl, process, options)
      : redisWorker(name, redisUrl, process, options);
  worker.on('error', (error: Error) => {
    log.warn({ err: error }, 'queue connection failed');
  });
  worker.on('failed', (job: Job<ImportJobData, void> | undefined) => {
    if (job === undefined || job.finishedOn === undefined) return;
    handlers.exhausted(toRun(job)).catch((error: unknown) => {
      log.error({ err: error, importId: job.data.importId }, 'import could not be marked as failed');
    });
  });
  return {
    async ready() {
      await worker.waitUntilReady();
    },
    async close(maxWaitMs) {
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

function waitMs(attemptsMade: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (attemptsMade - 1), LONGEST_WAIT_MS);
}

function toRun(job: Job<ImportJobData, void>): JobRun {
  const { importId, retries = 0 } = job.data;
  return { importId, retries, isLastAttempt: job.attemptsMade + 1 >= (job.opts.attempts ?? 1) };
}
