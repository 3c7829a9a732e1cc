import type { Config } from '../config/config.ts';
import { STRUCTURE_CONNECTIONS } from '../db/structures/read-structures.ts';
import { POSTGRES_QUEUE_CONNECTIONS } from '../queue/queue-connection.ts';

/** A worker's connections for writes that need not wait for the disk. */
export const ASYNC_COMMIT_CONNECTIONS = 4;
/** For an API process: one for health answers and metrics, one for LISTEN. */
const OTHER_API_CONNECTIONS = 2;
/** For a worker: one for LISTEN. */
const OTHER_WORKER_CONNECTIONS = 1;

/** The most connections to the database that these processes open. */
export function connectionNeeds(
  { database: { poolSize }, redisUrl }: Pick<Config, 'database' | 'redisUrl'>,
  processes: { readonly api: number; readonly workers: number },
): number {
  const queue = redisUrl === null ? POSTGRES_QUEUE_CONNECTIONS : { api: 0, worker: 0 };
  const api = poolSize + STRUCTURE_CONNECTIONS + OTHER_API_CONNECTIONS + queue.api;
  const worker = poolSize + ASYNC_COMMIT_CONNECTIONS + OTHER_WORKER_CONNECTIONS + queue.worker;
  return processes.api * api + processes.workers * worker;
}
