import pg from 'pg';
import { answerOptions, sessionOptions, STANDARD_TIMES } from './session-options.ts';
import { statementName } from './statement.ts';

/** The connections of a process to the tables of the queue, which its lanes share. */
export type QueuePool = pg.Pool;

export function openQueuePool(url: string, max: number): QueuePool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    ...answerOptions(STANDARD_TIMES),
    // A job is a hint: the sweep requeues one that a crash of the database loses, so the queue's commits
    // need not wait for the disk.
    options: `${sessionOptions({ asynchronousCommit: true })} -c search_path=bullmq`,
  });
  const send = pool.query.bind(pool);
  // BullMQ names no statement, so PostgreSQL would parse and plan each one anew for each job. If an upgrade changes its
  // columns, it fails once: the pool replaces the connection of a statement that failed.
  const query = (text: string, values?: unknown[]) =>
    values === undefined ? send(text) : send({ name: statementName(text), text, values });
  return Object.assign(pool, { query });
}

/** Closes them, once: what stops a process may be called again. */
export async function closeQueuePool(pool: QueuePool): Promise<void> {
  if (!pool.ending) await pool.end();
}
