import type { ImportGroup, ImportJob } from '../db/imports/attempts.ts';
import { closeQueuePool, openQueuePool } from '../db/queue-pool.ts';
import { outsideSpans } from '../telemetry/current-span.ts';
import { within } from '../process/within.ts';
import { GrowingIntervals } from '../telemetry/growing-intervals.ts';
import type { Log } from '../telemetry/log.ts';
import {
  LANES,
  postgresLane,
  QUEUE_CONNECTIONS,
  redisLane,
  type LaneName,
  type QueueConnection,
} from './queue-connection.ts';

/** The states of jobs: those that ended are not kept. */
const COUNTED_STATES = ['waiting', 'prioritized', 'active', 'delayed'] as const;

/** An organization's imports at once that have the regular lane; each further group of this size has the next priority. */
const IMPORTS_PER_PRIORITY = 8;
/** BullMQ's lowest priority. */
const LAST_PRIORITY = 2 ** 21;

/** The priority of an organization's import after this number of its imports at once; 0: the regular lane. */
export function priorityAfter(imports: number): number {
  return Math.min(Math.floor(imports / IMPORTS_PER_PRIORITY), LAST_PRIORITY);
}

const ADD_MS = 5_000;
const noQueue = () => new Error('the queue cannot be reached');

/** One lane of the queue as BullMQ has it, on either back end. */
export type ImportQueue = ReturnType<typeof redisLane>['queue'] | ReturnType<typeof postgresLane>['queue'];

/** The queue as the API, the sweep and the dashboard use it. */
export interface OpenQueue {
  readonly lanes: Readonly<Record<keyof typeof LANES, ImportQueue>>;
  /**
   * Queues the job of an import or of a group; one of the same import and retry that still exists in its lane stays as it is. Priority 0 is
   * the regular lane; the jobs of the others run in the order of their priorities, 1 first. Jobs of one priority run in
   * the order in which they were added.
   */
  addImport(job: ImportJob | ImportGroup, priority?: number): Promise<void>;
  /** The state of a job; `unknown` where there is none. */
  jobState(job: JobKey): Promise<string>;
  /** Throws when the queue is not available. */
  check(): Promise<void>;
  /** The number of jobs in each state. */
  countJobs(): Promise<Readonly<Record<string, number>>>;
  /** Removes an import's job where there is one that does not run. */
  removeJob(job: ImportJob): Promise<void>;
  close(): Promise<void>;
}

/** Opens the queue to add and inspect jobs. */
export function openQueue(connection: QueueConnection, log: Log): OpenQueue {
  const { lanes, disconnect } = openLanes(connection, log);
  const both = Object.values(lanes);
  return {
    lanes,
    async addImport(job, priority = 0) {
      const lane = priority === 0 ? lanes.regular : lanes.bulk;
      const [name, data] = 'groupId' in job ? [GROUP, groupData(job)] : [LANES.regular, importData(job)];
      // The call waits for a Redis that has never been reached. If it comes later, the job does no harm.
      await within(ADD_MS, lane.add(name, data, { jobId: jobIdOf(job), priority }), noQueue);
    },
    async jobState(job) {
      const state = await lanes.regular.getJobState(jobIdOf(job));
      return state === 'unknown' ? lanes.bulk.getJobState(jobIdOf(job)) : state;
    },
    async check() {
      await lanes.regular.getJobCounts('active');
    },
    async countJobs() {
      const counts = await Promise.all(both.map((queue) => queue.getJobCounts(...COUNTED_STATES)));
      return Object.fromEntries(
        COUNTED_STATES.map((state) => [state, counts.reduce((sum, count) => sum + (count[state] ?? 0), 0)]),
      );
    },
    async removeJob(job) {
      for (const queue of both) await queue.remove(jobIdOf(job));
    },
    async close() {
      await Promise.all(both.map((queue) => queue.close()));
      await disconnect();
    },
  };
}

/**
 * Opens the queue; a Redis may be unavailable, for it is not vital. A queue in the database reads its schema once: if
 * that fails, the queue is closed, because all its calls would fail from then on.
 * @throws the database's error
 */
export async function openReadyQueue(connection: QueueConnection, log: Log): Promise<OpenQueue> {
  const queue = openQueue(connection, log);
  if (connection.redisUrl !== null) return queue;
  try {
    await Promise.all(Object.values(queue.lanes).map((lane) => lane.waitUntilReady()));
    return queue;
  } catch (error) {
    await queue.close();
    throw error;
  }
}

/** Opens the lanes, and reports when their connection fails. */
function openLanes({ redisUrl, databaseUrl }: QueueConnection, log: Log) {
  const pool = openQueuePool(databaseUrl, QUEUE_CONNECTIONS);
  const open = (name: LaneName) => (redisUrl === null ? postgresLane(name, pool) : redisLane(name, redisUrl));
  const opened = { regular: open(LANES.regular), bulk: open(LANES.bulk) };
  const lanes = { regular: opened.regular.queue, bulk: opened.bulk.queue };
  for (const queue of Object.values(lanes)) {
    const reports = new GrowingIntervals();
    queue.on('error', (error: Error) => {
      if (!reports.isDue()) return;
      // The connection may have been opened within a request, which its errors are not about.
      outsideSpans(() => log.warn({ err: error }, 'queue connection failed'));
    });
  }
  return {
    lanes,
    async disconnect() {
      for (const each of Object.values(opened)) each.disconnect();
      await closeQueuePool(pool);
    },
  };
}

/** The name of the jobs of groups, as the dashboard shows it. */
const GROUP = 'import-group';

/** What names a job. */
export type JobKey = ImportJob | Pick<ImportGroup, 'groupId'>;

const importData = ({ importId, retries }: ImportJob) => ({ importId, retries });
const groupData = ({ groupId, importIds }: ImportGroup) => ({ groupId, importIds });

/** A retry has a job of its own: the queue silently ignores a job whose ID still exists, as that of a running one does. */
export function jobIdOf(job: JobKey): string {
  if ('groupId' in job) return job.groupId;
  return job.retries === 0 ? job.importId : `${job.importId}-${job.retries}`;
}
