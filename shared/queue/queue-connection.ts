import {
  createPostgresBackend,
  Queue,
  Worker,
  type Job,
  type JobProgress,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  type QueueOptions,
  type WorkerOptions,
} from 'bullmq';
import { Redis } from 'ioredis';
import type { ImportGroup, ImportJob } from '../db/imports/attempts.ts';
import type { QueuePool } from '../db/queue-pool.ts';

/** The data of a job. */
export type QueuedJob = ImportJob | ImportGroup;

/** Where the queue is: in Redis or Valkey where one is configured, otherwise in the database. */
export interface QueueConnection {
  readonly redisUrl: string | null;
  readonly databaseUrl: string;
}

/** The lanes of the queue: each is a queue of BullMQ, of which workers run jobs beside those of the other. */
export const LANES = {
  regular: 'import-module',
  /** Imports of organizations that import much: their backlog leaves the slots of the other lane to others. */
  bulk: 'import-module-bulk',
} as const;

/** The name of a lane's queue. */
export type LaneName = (typeof LANES)[keyof typeof LANES];

/** More than the deadline of any import allows: not their number ends the attempts, but the import's row. */
const IMPORT_ATTEMPTS = 1_000_000;
/** The connections of a queue in the database: what adds jobs shares some, and what processes them, LISTEN included. */
export const QUEUE_CONNECTIONS = 2;
export const WORKER_CONNECTIONS = 6;
/** The most that a process opens: a worker adds jobs too. */
export const POSTGRES_QUEUE_CONNECTIONS = {
  api: QUEUE_CONNECTIONS,
  worker: QUEUE_CONNECTIONS + WORKER_CONNECTIONS,
};

const JOB_OPTIONS = {
  attempts: IMPORT_ATTEMPTS,
  backoff: { type: 'capped' },
  // The row has the result of an import, also of one that failed. Keeping the last completed jobs costs the PostgreSQL back end a scan of
  // them for every job, and deadlocks.
  removeOnComplete: true,
  removeOnFail: true,
  // The dashboard would show a stack trace in a job record.
  stackTraceLimit: 0,
} as const;

/** Short, so that work goes on when Redis is back: by default the client waits up to two seconds. */
function reconnectMs(attempt: number): number {
  return Math.min(attempt * 50, 500);
}

/** Opens a lane in Redis. */
export function redisLane(name: string, redisUrl: string) {
  // Fails at once while Redis is unavailable instead of waiting: the row exists, and the sweep requeues the import.
  const connection = new Redis(redisUrl, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: true,
    connectTimeout: 5_000,
    retryStrategy: reconnectMs,
  });
  const options: QueueOptions = { connection, defaultJobOptions: JOB_OPTIONS };
  return {
    queue: new Queue<QueuedJob, void, string, QueuedJob, void, string>(name, options),
    disconnect: () => connection.disconnect(),
  };
}

/** BullMQ takes a pool of pg, but the types of both packages write the overloads of its clients' `on` differently. */
const connectionOf = (pool: QueuePool) => pool as unknown as PostgresConnectionOptions;

/** Opens a lane in the database. */
export function postgresLane(name: string, pool: QueuePool) {
  type PostgresQueue = Queue<
    QueuedJob,
    void,
    string,
    QueuedJob,
    void,
    string,
    PostgresQueueBackend,
    PostgresConnectionOptions
  >;
  const options = { connection: connectionOf(pool), defaultJobOptions: JOB_OPTIONS };
  const queue: PostgresQueue = new Queue(name, options, createPostgresBackend);
  return { queue, disconnect: () => undefined };
}

/** Runs a job. */
export type ProcessJob = (job: Job<QueuedJob, void>) => Promise<void>;
type WorkerSettings = Omit<WorkerOptions, 'connection'>;

/** Starts to process a lane in Redis. */
export function redisWorker(name: string, redisUrl: string, process: ProcessJob, options: WorkerSettings) {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null, retryStrategy: reconnectMs });
  const worker = new Worker<QueuedJob, void>(name, process, { ...options, connection });
  return {
    worker,
    disconnect: () => connection.disconnect(),
  };
}

/** Starts to process a lane in the database. */
export function postgresWorker(name: string, pool: QueuePool, process: ProcessJob, options: WorkerSettings) {
  type PostgresWorker = Worker<
    QueuedJob,
    void,
    string,
    PostgresQueueBackend,
    JobProgress,
    PostgresConnectionOptions
  >;
  const worker: PostgresWorker = new Worker(
    name,
    process,
    { ...options, connection: connectionOf(pool) },
    createPostgresBackend,
  );
  return { worker, disconnect: () => undefined };
}
