import knexFactory, { type Knex } from 'knex';
import { knexSnakeCaseMappers } from 'objection';
import pg from 'pg';
import { codeOf } from '../process/error-code.ts';
import type { Log } from '../telemetry/log.ts';
import { shareConnections, waitingForConnections, type ConnectionSharing } from './connection-sharing.ts';
import {
  answerOptions,
  CONNECTION_TIMES,
  sessionOptions,
  STANDARD_TIMES,
  type SessionSettings,
} from './session-options.ts';

/** A connection pool, or a transaction in it. */
export type Database = Knex;

const INT8_OID = 20;

/** Sizes are 64 bits in the database and stay below 2^53 here, so they are read as numbers. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
    return oid === INT8_OID
      ? Number
      : (pg.types.getTypeParser as (oid: number, format?: string) => unknown)(oid, format);
  },
};

export interface DatabaseOptions extends SessionSettings {
  readonly url: string;
  readonly poolSize: number;
  /** How owners share the connections; without it, first come, first served. */
  readonly sharing?: ConnectionSharing;
  /** Receives warnings about idle connections that break; without it they are not reported. */
  readonly log?: Log;
}

/** Opens a pool; connections are opened when they are needed. Columns have camelCase names. */
export function openDatabase({ url, poolSize, sharing, log, ...session }: DatabaseOptions): Database {
  const warn = (detail: unknown) => log?.warn({ detail }, 'database pool warning');
  const database = knexFactory({
    client: 'pg',
    connection: {
      connectionString: url,
      // For `SentBehind`. And a statement without an answer closes its connection, so that the pool opens another one.
      pipeline: true,
      ...answerOptions(session.times ?? STANDARD_TIMES),
      types,
      application_name: 'module-import-service',
      options: sessionOptions(session),
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: CONNECTION_TIMES.openMs,
    // Without these it writes to the console.
    log: { warn, error: warn, deprecate: warn, debug: () => undefined },
    wrapIdentifier: mappers.wrapIdentifier,
    postProcessResponse: toCamelCase,
  });
  if (sharing !== undefined) shareConnections(database, poolSize, sharing);
  return database;
}

/** The part of Knex's pool that its types leave out. */
interface TarnPool {
  readonly max: number;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** How a pool's connections are used; `pending` requests wait for one. */
export interface PoolUse {
  readonly used: number;
  readonly free: number;
  readonly pending: number;
  readonly max: number;
}

/** How the connections of a pool that `openDatabase` made are used now. */
export function poolUse(database: Database): PoolUse {
  const { pool } = database.client as { readonly pool: TarnPool };
  const pending = pool.numPendingAcquires() + waitingForConnections(database);
  return { used: pool.numUsed(), free: pool.numFree(), pending, max: pool.max };
}

const mappers = knexSnakeCaseMappers();

/** The mappers do not map the rows of a raw statement, which are one level deeper. */
function toCamelCase(response: unknown): unknown {
  if (typeof response !== 'object' || response === null || !('rows' in response))
    return mappers.postProcessResponse(response);
  return Object.assign(response, { rows: mappers.postProcessResponse(response.rows) as unknown });
}

/** Rows of the driver with camelCase names. */
export function camelCaseRows(rows: readonly object[]): readonly object[] {
  return mappers.postProcessResponse(rows) as readonly object[];
}

const UNIQUE_VIOLATION = '23505';

/** Whether an error is the database refusing a second row under the index of this name. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return (
    codeOf(error) === UNIQUE_VIOLATION &&
    error instanceof Error &&
    'constraint' in error &&
    error.constraint === index
  );
}
