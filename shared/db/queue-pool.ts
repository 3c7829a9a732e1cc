import pg from 'pg';
import { sessionOptions } from './session-options.ts';

/** The connections of a process to the tables of the queue, which its lanes share. */
export type QueuePool = pg.Pool;

export function openQueuePool(url: string, max: number): QueuePool {
  return new pg.Pool({
    connectionString: url,
    max,
    keepAlive: true,
    // A job is a hint: the sweep requeues one that a crash of the database loses, so the queue's commits
    // need not wait for the disk.
    options: `${sessionOptions({ asynchronousCommit: true })} -c search_path=bullmq`,
  });
}

/** Closes them, once: what stops a process may be called again. */
export async function closeQueuePool(pool: QueuePool): Promise<void> {
  if (!pool.ending) await pool.end();
}
