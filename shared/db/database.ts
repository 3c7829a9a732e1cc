import knexFactory, { type Knex } from 'knex';
import { knexSnakeCaseMappers } from 'objection';
import pg from 'pg';
import { FairSlots, type FreeSlots } from '../limits/fair-slots.ts';
import { codeOf } from '../process/error-code.ts';
import type { Log } from '../telemetry/log.ts';
import { sessionOptions, type SessionSettings } from './session-options.ts';
import { currentOwner } from '../limits/owner.ts';

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
      types,
      application_name: 'module-import-service',
      options: sessionOptions(session),
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: 10_000,
    // Without these it writes to the console.
    log: { warn, error: warn, deprecate: warn, debug: () => undefined },
    wrapIdentifier: mappers.wrapIdentifier,
    postProcessResponse: toCamelCase,
  });
  if (sharing !== undefined) waitingFor.set(database, shareConnections(database, poolSize, sharing));
  return database;
}

/** The slots of pools whose connections are shared: what waits for a connection waits for one of these. */
const waitingFor = new WeakMap<Database, FairSlots>();

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
  const pending = pool.numPendingAcquires() + (waitingFor.get(database)?.waiting() ?? 0);
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

/** A lock was not free in time, or a statement took too long. */
const OUT_OF_TIME = ['55P03', '57014'];

/** Whether PostgreSQL ended a statement because of the times of its session; another try may succeed. */
export function isOutOfTime(error: unknown): boolean {
  if (OUT_OF_TIME.includes(codeOf(error) ?? '')) return true;
  // Objection wraps the driver's errors.
  return error instanceof Error && 'nativeError' in error && isOutOfTime(error.nativeError);
}

/** Whether an error is the database refusing a second row under the index of this name. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return (
    codeOf(error) === UNIQUE_VIOLATION &&
    error instanceof Error &&
    'constraint' in error &&
    error.constraint === index
  );
}

/** How the connections of a pool are shared among owners. */
export interface ConnectionSharing {
  /** Work that has waited this long for a connection is refused. */
  readonly maxWaitMs: number;
}

/** The part of Knex's client that hands out connections; its types leave it open. */
export interface Connections {
  /** The settings of a pool, which its transactions share. */
  readonly config: object;
  acquireConnection(): Promise<pg.ClientBase>;
  releaseConnection(connection: pg.ClientBase): Promise<void>;
}

/** Work of one owner that may wait for each of its connections: some milliseconds each, so that it waits about a second. */
const WAITING_PER_CONNECTION = 64;

/**
 * Shares the connections of a pool: an owner uses at most half of them, rounded up, and waits for them in turns with
 * the others. Statements that wait for one row's lock thus leave connections to everybody else. A transaction takes
 * one; work that has one must not want a second.
 */
export function shareConnections(
  database: Knex,
  poolSize: number,
  { maxWaitMs }: ConnectionSharing,
): FairSlots {
  const client = database.client as Connections;
  const maxPerOwner = Math.ceil(poolSize / 2);
  const slots = new FairSlots({
    resource: 'database requests',
    ownerKind: 'caller',
    max: poolSize,
    maxPerOwner,
    maxWaitingPerOwner: maxPerOwner * WAITING_PER_CONNECTION,
    maxWaitMs,
  });
  const acquire = client.acquireConnection.bind(client);
  const release = client.releaseConnection.bind(client);
  const taken = new Map<pg.ClientBase, FreeSlots>();
  client.acquireConnection = async () => {
    const free = await slots.take(currentOwner());
    try {
      const connection = await acquire();
      taken.set(connection, free);
      return connection;
    } catch (error) {
      free();
      throw error;
    }
  };
  client.releaseConnection = async (connection) => {
    await release(connection);
    taken.get(connection)?.();
    taken.delete(connection);
  };
  return slots;
}
