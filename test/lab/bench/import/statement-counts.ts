import pg from 'pg';
import { startPostgres, type RunningPostgres } from '../../../../shared/local/postgres.ts';
import type { Counted } from './count-tables.ts';

/** The statements that PostgreSQL executed since the last reset. */
export interface StatementCounts {
  reset(): Promise<void>;
  read(): Promise<readonly Counted[]>;
  close(): Promise<void>;
}

/** Starts a server that counts statements: the extension has to be loaded when the server starts. */
export async function startCountingPostgres(folder: string, programs: string): Promise<RunningPostgres> {
  const plain = await startPostgres(folder, { programs });
  const client = new pg.Client({ connectionString: plain.url });
  await client.connect();
  await client.query('alter system set shared_preload_libraries = pg_stat_statements');
  await client.end();
  await plain.stop();
  return startPostgres(folder, { programs });
}

const isComment = (line: string) => line.trimStart().startsWith('--');

/** BullMQ's statements start with a comment on what they do; the service's have none. */
function groupOf(query: string): string {
  return isComment(query) ? 'the queue' : 'the service';
}

/** One text for statements that differ only in comments, white space, quotes, and the number of their values. */
function normalised(query: string): string {
  const lines = query.split('\n').filter((line) => !isComment(line));
  return lines
    .join(' ')
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\$\d+(?:, ?\$\d+)+/g, '$…')
    .replaceAll(/\(\$…\)(?:, ?\(\$…\))+/g, '($…), …')
    .replaceAll(/\$\d+/g, '$n')
    .trim();
}

/** Opens the counts of one database over a connection to another, so that reading them is not counted. */
export async function openStatementCounts(serverUrl: string, database: string): Promise<StatementCounts> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query('create extension if not exists pg_stat_statements');
  return {
    async reset() {
      await client.query('select pg_stat_statements_reset()');
    },
    async read() {
      const { rows } = await client.query<{ query: string; calls: string; total_exec_time: number }>(
        `select query, calls, total_exec_time from pg_stat_statements s join pg_database d on d.oid = s.dbid
         where d.datname = $1`,
        [database],
      );
      return rows.map(({ query, calls, total_exec_time }) => ({
        name: normalised(query),
        group: groupOf(query),
        calls: Number(calls),
        totalMs: total_exec_time,
      }));
    },
    close: () => client.end(),
  };
}
