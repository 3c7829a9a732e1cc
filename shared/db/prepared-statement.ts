import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Database } from './database.ts';

/** A statement that a connection parses once. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * Names a statement by its text. Behind a transaction pooler a connection may have statements of another
 * version of the service: the same name must never mean another text.
 */
export function preparedStatement(text: string): PreparedStatement {
  return { text, name: createHash('sha256').update(text).digest('hex').slice(0, 32) };
}

/** The part of Knex's client that its types leave open. */
interface Connections {
  /** The settings of a pool, which its transactions share. */
  readonly config: object;
  acquireConnection(): Promise<pg.ClientBase>;
  releaseConnection(connection: pg.ClientBase): Promise<void>;
}

/** PostgreSQL does not know the name, or knows it already: the connection is not the one that prepared it. */
const OTHER_CONNECTION = new Set(['26000', '42P05']);

/** Pools behind a pooler that does not keep track of prepared statements. */
const unprepared = new WeakSet<object>();

/**
 * Runs a prepared statement on a connection of the pool; Knex itself prepares nothing by name. Columns have the
 * names that are in the statement. A transaction pooler must track prepared statements; behind one that
 * does not, statements are sent in full after the first error. In a transaction they always are, because an error
 * there cannot be recovered from.
 */
export async function runPrepared<Row extends pg.QueryResultRow>(
  database: Database,
  { name, text }: PreparedStatement,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const pool = database.client as Connections;
  const isNamed = database.isTransaction !== true && !unprepared.has(pool.config);
  const connection = await pool.acquireConnection();
  const run = async (named: { readonly name?: string }) =>
    (await connection.query<Row>({ ...named, text, values: [...values] })).rows;
  try {
    return await run(isNamed ? { name } : {});
  } catch (error) {
    if (!isNamed || !isOfOtherConnection(error)) throw error;
    unprepared.add(pool.config);
    return await run({});
  } finally {
    await pool.releaseConnection(connection);
  }
}

/** Whether PostgreSQL rejected the name, which it does before it runs anything. */
function isOfOtherConnection(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    OTHER_CONNECTION.has(error.code)
  );
}
