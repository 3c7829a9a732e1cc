import { createPostgresBackend, Queue, UnrecoverableError, Worker } from 'bullmq';
import { setTimeout } from 'node:timers/promises';
import type {
  Job,
  JobProgress,
  PostgresConnectionOptions,
  PostgresQueueBackend,
  QueueOptions,
  WorkerOptions,
} from 'bullmq';
import { Redis } from 'ioredis';
import type { ImportJob } from '../db/imports/imports.ts';
import { sessionOptions } from '../db/session-options.ts';
import { outsideSpans } from '../telemetry/current-span.ts';
import type { Log } from '../telemetry/log.ts';

/** The data of an import's job: which import, and of which retry. The row is authoritative. */
export interface ImportJobData {
  readonly importId: string;
  /** How often an operator had queued the import again; a job of the previous version has no number. */
  readonly retries?: number;
}

const IMPORT_QUEUE = 'import-module';

/** Attempts of one import before it fails; with the back-off below they span more than a minute and a half. */
const IMPORT_ATTEMPTS = 20;

/** Waits double from a second; with the cap an import goes on soon after an unavailable part is back. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 6_000;

/** The queue does not try again a job whose handler throws this. */
export class FinalFailure extends Error {
  override readonly name = 'FinalFailure';
}

/** Where the queue is: in Redis or Valkey where one is configured, otherwise in the database. */
export interface QueueConnection {
  readonly redisUrl: string | null;
  readonly databaseUrl: string;
  /** The most failed jobs that the queue keeps. */
  readonly maxFailedJobs: number;
}

/** A worker that dies is noticed within its lock's time and one check. */
const LOCK_MS = 6_000;
const STALL_CHECK_MS = 3_000;
/** An import is not to blame for a take-over, so it may happen often before the job counts as failed. */
const MAX_TAKE_OVERS = 10;
/** With BullMQ's default of 15 s a worker would stay idle for that long after its queue is back. */
const RETRY_FETCH_MS = 500;
const QUEUE_CONNECTIONS = 4;
const WORKER_CONNECTIONS = 6;

const JOB_OPTIONS = {
  attempts: IMPORT_ATTEMPTS,
  backoff: { type: 'capped' },
  // The row has the result of an import. Keeping the last completed jobs costs the PostgreSQL back end a scan of
  // them for every job, and deadlocks.
  removeOnComplete: true,
  // The dashboard would show a stack trace in a job record.
  stackTraceLimit: 0,
} as const;

/** The rows of imports say what failed for as long as imports are kept; the dashboard's list is shorter. */
const FAILED_KEPT_SECONDS = 7 * 86_400;

/** Short, so that work goes on when Redis is back: by default the client waits up to two seconds. */
function reconnectMs(attempt: number): number {
  return Math.min(attempt * 50, 500);
}

function redisQueue(redisUrl: string, maxFailedJobs: number) {
  // Fails at once while Redis is unavailable instead of waiting: the row exists, and the sweep requeues the import.
  const connection = new Redis(redisUrl, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: true,
    connectTimeout: 5_000,
    retryStrategy: reconnectMs,
  });
  // A server that must not evict jobs accepts nothing more when its memory is full of failed ones.
  const removeOnFail = { age: FAILED_KEPT_SECONDS, count: maxFailedJobs };
  const options: QueueOptions = { connection, defaultJobOptions: { ...JOB_OPTIONS, removeOnFail } };
  return {
    queue: new Queue<ImportJobData, void>(IMPORT_QUEUE, options),
    disconnect: () => {
      connection.disconnect();
    },
  };
}

function postgresConnection(databaseUrl: string, max: number): PostgresConnectionOptions {
  // A job is a hint: the sweep requeues one that a crash of the database loses, so the queue's commits
  // need not wait for the disk.
  return {
    connectionString: databaseUrl,
    max,
    keepAlive: true,
    options: sessionOptions({ asynchronousCommit: true }),
  };
}

function postgresQueue(databaseUrl: string) {
  type PostgresQueue = Queue<
    ImportJobData,
    void,
    string,
    ImportJobData,
    void,
    string,
    PostgresQueueBackend,
    PostgresConnectionOptions
  >;
  const options = {
    connection: postgresConnection(databaseUrl, QUEUE_CONNECTIONS),
    // Each job that fails would scan all others; `trimFailed` scans them once.
    defaultJobOptions: { ...JOB_OPTIONS, removeOnFail: false },
  };
  const queue: PostgresQueue = new Queue(IMPORT_QUEUE, options, createPostgresBackend);
  return { queue, disconnect: () => undefined };
}

/** The states of jobs that are kept: completed jobs are not. */
const COUNTED_STATES = ['waiting', 'prioritized', 'active', 'delayed', 'failed'] as const;

/** The queue as BullMQ has it, on either back end. */
export type ImportQueue = ReturnType<typeof redisQueue>['queue'] | ReturnType<typeof postgresQueue>['queue'];

/** The queue as the API, the sweep and the dashboard use it. */
export interface OpenQueue {
  readonly queue: ImportQueue;
  /**
   * Queues an import's job; one of the same import and retry that still exists stays as it is. Jobs run in the order of
   * their priorities, 0 first, and those of one priority in the order in which they were added.
   */
  addImport(job: ImportJob, priority?: number): Promise<void>;
  /** The state of an import's job; `unknown` where there is none. */
  jobState(job: ImportJob): Promise<string>;
  /** How many jobs are in each state. */
  countJobs(): Promise<Readonly<Record<string, number>>>;
  /** Removes an import's job where there is one that does not run. */
  removeJob(job: ImportJob): Promise<void>;
  /** Removes failed jobs that are old or too many. */
  trimFailed(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the queue to add and inspect jobs. */
export function openQueue(connection: QueueConnection, log: Log): OpenQueue {
  const { redisUrl, databaseUrl, maxFailedJobs } = connection;
  const { queue, disconnect } =
    redisUrl === null ? postgresQueue(databaseUrl) : redisQueue(redisUrl, maxFailedJobs);
  queue.on('error', (error: Error) => {
    // The connection may have been opened within a request, which its errors are not about.
    outsideSpans(() => {
      log.warn({ err: error }, 'queue connection failed');
    });
  });
  return {
    queue,
    async addImport({ importId, retries }, priority = 0) {
      const jobId = jobIdOf({ importId, retries });
      await queue.add(IMPORT_QUEUE, { importId, retries }, { jobId, priority });
    },
    jobState: (job) => queue.getJobState(jobIdOf(job)),
    countJobs: () => queue.getJobCounts(...COUNTED_STATES),
    async removeJob(job) {
      await queue.remove(jobIdOf(job));
    },
    async trimFailed() {
      await queue.clean(FAILED_KEPT_SECONDS * 1_000, 0, 'failed');
      const tooMany = (await queue.getFailedCount()) - maxFailedJobs;
      if (tooMany > 0) await queue.clean(0, tooMany, 'failed');
    },
    async close() {
      await queue.close();
      disconnect();
    },
  };
}

/** A retry has a job of its own: the queue silently ignores a job whose ID still exists, as that of a failed one does. */
function jobIdOf({ importId, retries }: ImportJob): string {
  return retries === 0 ? importId : `${importId}-${retries}`;
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

function waitMs(attemptsMade: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (attemptsMade - 1), LONGEST_WAIT_MS);
}

/** Starts to process import jobs. */
export function openWorker(
  connection: QueueConnection,
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
  const options: Omit<WorkerOptions, 'connection'> = {
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALL_CHECK_MS,
    maxStalledCount: MAX_TAKE_OVERS,
    runRetryDelay: RETRY_FETCH_MS,
    settings: { backoffStrategy: waitMs },
  };
  const { worker, disconnect } =
    connection.redisUrl === null
      ? postgresWorker(connection.databaseUrl, process, options)
      : redisWorker(connection.redisUrl, process, options);
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

type Process = (job: Job<ImportJobData, void>) => Promise<void>;
type WorkerSettings = Omit<WorkerOptions, 'connection'>;

function redisWorker(redisUrl: string, process: Process, options: WorkerSettings) {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null, retryStrategy: reconnectMs });
  const worker = new Worker<ImportJobData, void>(IMPORT_QUEUE, process, { ...options, connection });
  return {
    worker,
    disconnect: () => {
      connection.disconnect();
    },
  };
}

function postgresWorker(databaseUrl: string, process: Process, options: WorkerSettings) {
  const connection = postgresConnection(databaseUrl, WORKER_CONNECTIONS);
  type PostgresWorker = Worker<
    ImportJobData,
    void,
    string,
    PostgresQueueBackend,
    JobProgress,
    PostgresConnectionOptions
  >;
  const worker: PostgresWorker = new Worker(
    IMPORT_QUEUE,
    process,
    { ...options, connection },
    createPostgresBackend,
  );
  return { worker, disconnect: () => undefined };
}

function toRun(job: Job<ImportJobData, void>): JobRun {
  const { importId, retries = 0 } = job.data;
  return { importId, retries, isLastAttempt: job.attemptsMade + 1 >= (job.opts.attempts ?? 1) };
}
