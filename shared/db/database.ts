import knexFactory from 'knex';
import type { Knex } from 'knex';
import { knexSnakeCaseMappers } from 'objection';
import pg from 'pg';
import type { Log } from '../telemetry/log.ts';
import { sessionOptions } from './session-options.ts';

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

/** How a pool is opened. */
export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Commits do not wait for the disk: for writes that a crash of the database may lose. */
  readonly isHasty?: boolean;
  /** Told of connections that break while nobody uses them; without it nobody is. */
  readonly log?: Log;
}

/** Opens a pool; connections are made when they are needed. Columns read and write as camelCase. */
export function openDatabase({ url, poolSize, isHasty = false, log }: DatabaseOptions): Database {
  const warn = (detail: unknown) => log?.warn({ detail }, 'database connection');
  return knexFactory({
    client: 'pg',
    connection: {
      connectionString: url,
      types,
      application_name: 'module-import-service',
      options: sessionOptions({ isHasty }),
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: 10_000,
    // Without these it writes to the console.
    log: { warn, error: warn, deprecate: warn, debug: () => undefined },
    wrapIdentifier: mappers.wrapIdentifier,
    postProcessResponse: toCamelCase,
  });
}

/** Knex's pool, of which its types tell less than there is. */
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
  return { used: pool.numUsed(), free: pool.numFree(), pending: pool.numPendingAcquires(), max: pool.max };
}

const mappers = knexSnakeCaseMappers();

/** The mappers leave the rows of a raw statement as they are: they stand one level deeper. */
function toCamelCase(response: unknown): unknown {
  if (typeof response !== 'object' || response === null || !('rows' in response))
    return mappers.postProcessResponse(response);
  return Object.assign(response, { rows: mappers.postProcessResponse(response.rows) as unknown });
}

const UNIQUE_VIOLATION = '23505';

/** Whether an error is the database refusing a second row under the index of this name. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === UNIQUE_VIOLATION &&
    'constraint' in error &&
    error.constraint === index
  );
}
