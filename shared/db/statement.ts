import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { codeOf } from '../process/error-code.ts';
import { untilUnlocked, type Connection, type Connections } from './connection-sharing.ts';
import { camelCaseRows, type Database } from './database.ts';

/** An object is sent as JSON. */
type Scalar = string | number | boolean | Date | Buffer | { readonly [name: string]: unknown } | null;

/** The values of a statement's parameters, by name. */
export type StatementValues = Readonly<Record<string, Scalar | readonly Scalar[] | undefined>>;

/** Bytes in the text form of PostgreSQL, as JSON can contain them. */
export function byteaText(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

/** A statement that a connection parses once. */
export interface PreparedStatement {
  readonly name: string;
  /** Its parameters are numbered. */
  readonly text: string;
  /** The names of the parameters, in the order of their numbers. */
  readonly parameters: readonly string[];
}

/** A parameter; a cast has two colons. */
const PARAMETER = /(?<!:):([a-z]\w*)/gi;

/**
 * Names a statement by its text. Behind a transaction pooler a connection may have statements of another
 * version of the service: the same name must never mean another text.
 */
export function statementName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Makes a statement that each connection parses once. */
export function preparedStatement(sql: string): PreparedStatement {
  const parameters = [...new Set(Array.from(sql.matchAll(PARAMETER), ([, name = '']) => name))];
  const text = sql.replaceAll(PARAMETER, (_all, name: string) => `$${parameters.indexOf(name) + 1}`);
  return { text, parameters, name: statementName(text) };
}

/**
 * A statement that is sent right behind another one, on the same connection, in the same round trip. It runs in its own transaction
 * whatever became of the other, which does not fail with it.
 */
export interface SentBehind {
  readonly statement: PreparedStatement;
  readonly values: StatementValues;
  /** Called where it has succeeded, before the rows of the other are returned. */
  readonly onDone: () => void;
}

/** Runs a statement with parameters such as `:moduleId`; its columns get camelCase names. */
export async function queryRows<Row extends object>(
  database: Database,
  statement: string | PreparedStatement,
  values: StatementValues = {},
): Promise<readonly Row[]> {
  if (typeof statement !== 'string')
    return untilUnlocked(database, () => runPrepared<Row>(database, statement, values));
  const { rows } = await database.raw<{ rows: Row[] }>(statement, values as Knex.ValueDict);
  return rows;
}

/** A column of the first rows of a statement for several requests, which limits its waits for locks; see `queryTogether`. */
export const LOCK_LIMIT =
  "set_config('lock_timeout', coalesce(:lockLimit, current_setting('lock_timeout')), true) as lock_limit";
/** The longest wait for a lock of a statement for several requests, in milliseconds: a transaction without a problem ends in it. */
const LOCK_LIMIT_MS = '10';

/**
 * The rows of a statement for several requests that has `LOCK_LIMIT`. One that is alone waits for locks; if several meet one, the
 * statement fails, so that they can go by themselves.
 * @param behind never in a transaction
 */
export async function queryTogether<Row extends object>(
  database: Database,
  statement: PreparedStatement,
  values: StatementValues,
  requests: number,
  behind: SentBehind | null = null,
): Promise<readonly Row[]> {
  const run = async (lockLimit: string | null) =>
    runPrepared<Row>(database, statement, { ...values, lockLimit }, behind);
  return requests === 1 ? untilUnlocked(database, async () => run(null)) : run(LOCK_LIMIT_MS);
}

/** The first row of a statement; null where it has none. */
export async function queryRow<Row extends object>(
  database: Database,
  statement: string | PreparedStatement,
  values: StatementValues = {},
): Promise<Row | null> {
  return (await queryRows<Row>(database, statement, values))[0] ?? null;
}

/** The row of a statement that always has one, such as a count. */
export async function onlyRow<Row extends object>(
  database: Database,
  statement: string | PreparedStatement,
  values: StatementValues = {},
): Promise<Row> {
  const row = await queryRow<Row>(database, statement, values);
  if (row === null) throw new Error('a statement returned no row');
  return row;
}

/**
 * PostgreSQL does not know the name, or knows it already: the connection is not the one that prepared it. Or the rows
 * have other columns since then, as after the migration of a later version.
 */
const REFUSED_NAMES = ['26000', '42P05', '0A000'];

/** Pools behind a pooler that does not keep track of prepared statements. */
const unprepared = new WeakSet<object>();

/** Whether connections lead to the sessions that prepare their statements. */
const direct = new WeakMap<Connection, boolean>();

/** A pooler, which may change the session from one transaction to the next, hides the session's process. */
async function isDirect(connection: Connection): Promise<boolean> {
  const known = direct.get(connection);
  if (known !== undefined) return known;
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  const isSame = rows[0]?.pid === connection.processID;
  direct.set(connection, isSame);
  return isSame;
}

/**
 * Runs a prepared statement on a connection of the pool; Knex itself prepares nothing by name. A transaction pooler must
 * track prepared statements; behind one that does not, statements are sent in full after the first error. In a
 * transaction, where an error cannot be recovered from, they always are behind a pooler.
 */
async function runPrepared<Row extends object>(
  database: Database,
  statement: PreparedStatement,
  values: StatementValues,
  behind: SentBehind | null = null,
): Promise<readonly Row[]> {
  const pool = database.client as Connections;
  const isAlone = database.isTransaction !== true;
  const [first, second] = [queryOf(statement, values), behind && queryOf(behind.statement, behind.values)];
  const connection = await pool.acquireConnection();
  const send = async (query: Query, named: boolean) =>
    connection.query(named ? query : { ...query, name: undefined });
  const run = async (named: boolean) => {
    const { stream } = connection.connection;
    // PostgreSQL, woken by the first alone, would often run before this process has sent the second.
    stream.cork();
    const answering = send(first, named);
    const ended = second && send(second, named).then(behind?.onDone, () => undefined);
    stream.uncork();
    const [answer] = await Promise.all([answering, ended]);
    return camelCaseRows(answer.rows) as readonly Row[];
  };
  try {
    if (unprepared.has(pool.config) || !(isAlone || (await isDirect(connection)))) return await run(false);
    return await run(true).catch(async (error: unknown) => {
      // It rejects the name before it runs anything.
      if (!REFUSED_NAMES.includes(codeOf(error) ?? '')) throw error;
      unprepared.add(pool.config);
      if (!isAlone) throw error;
      return run(false);
    });
  } finally {
    await pool.releaseConnection(connection);
  }
}

type Query = ReturnType<typeof queryOf>;

/** The form of the driver. */
function queryOf({ name, text, parameters }: PreparedStatement, given: StatementValues) {
  const missing = parameters.filter((parameter) => given[parameter] === undefined);
  if (missing.length > 0) throw new Error(`a statement has no value for ${missing.join(', ')}`);
  return { name, text, values: parameters.map((parameter) => given[parameter]) };
}
