import type { SettingsReader } from './settings-reader.ts';

/** Where PostgreSQL is. */
export interface DatabaseConfig {
  readonly url: string | null;
  /** A direct connection for LISTEN where `url` goes through a transaction pooler. */
  readonly listenUrl: string | null;
  readonly poolSize: number;
  /** How long a request waits for a connection. */
  readonly waitSeconds: number;
  /** How long a request waits for a lock: it holds a connection meanwhile. */
  readonly lockSeconds: number;
  /** The most that a statement of a request may take. */
  readonly statementSeconds: number;
}

/** Reads where PostgreSQL is. */
export function readDatabase(read: SettingsReader): DatabaseConfig {
  return {
    url: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    listenUrl: read.url('DATABASE_LISTEN_URL', ['postgres:', 'postgresql:']),
    poolSize: read.integer('DATABASE_POOL_SIZE', 10, { min: 2, max: 200 }),
    waitSeconds: read.integer('DATABASE_WAIT_SECONDS', 5, { max: 60 }),
    lockSeconds: read.integer('DATABASE_LOCK_SECONDS', 5, { max: 60 }),
    statementSeconds: read.integer('DATABASE_STATEMENT_SECONDS', 30, { max: 3_600 }),
  };
}
