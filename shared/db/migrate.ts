import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations } from 'bullmq';
import type { Knex } from 'knex';
import pg from 'pg';
import { openDatabase, type Database } from './database.ts';
import * as baseline from './migrations/0001-baseline/baseline.ts';
import type { Migration, NewIndex } from './migrations/migration.ts';
import { sessionOptions } from './session-options.ts';
import { codeOf } from '../process/error-code.ts';
import { PartProblem } from '../process/part-problem.ts';
import { databaseProblem } from './database-problem.ts';
import { onlyRow, queryRow } from './statement.ts';

/** The migrations that bring an empty database to this version, oldest first. */
export const MIGRATIONS: readonly Migration[] = [baseline];

/** The table that records which migrations a database has. */
export const MIGRATIONS_TABLE = 'schema_migrations';

/** The migrations that a database of this version has, oldest first. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map((migration) => migration.name);

/** Any number, the same in every version: the process that has the lock migrates, the others wait. */
const MIGRATOR_LOCK = 7_245_001;
const MIGRATOR_POLL_MS = 200;

/**
 * A statement that waits for a table's lock makes every later query on that table wait behind it. So it stops
 * waiting soon, so that the running version can go on, and tries again.
 */
const TIMES = { lockMs: 2_000, statementMs: 0 };
/** An index that is made concurrently waits for running transactions, and nobody waits behind it. */
const INDEX_LOCK_MS = 60_000;
const LOCK_RETRY_MS = 1_000;
const LOCK_ATTEMPTS = 60;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * BullMQ, which has no option for it, writes an event for each step of a job, and notifies every session that listens. Nobody reads
 * them. A migration of BullMQ may bring its own function back.
 */
const NO_EVENT = 'select 0::bigint';
const WRITE_NO_EVENTS = `
  create or replace function bullmq.publish_event(p_queue text, p_event text, p_data jsonb) returns bigint
    language sql as '${NO_EVENT}'`;

/**
 * Brings a database to this version: the service's tables, and the queue's where the queue lives in it. Each
 * migration is done whole, or repeated by the next call. Several processes may call it at once, and the previous
 * version may serve meanwhile. A database of a later version is left unchanged. The address must not lead through a
 * transaction pooler.
 * @throws the database's error where a lock could not be acquired within some minutes.
 */
export async function migrate(databaseUrl: string, migrations = MIGRATIONS): Promise<void> {
  // First: a process waits for the service's tables alone, and a queue reads its schema once.
  await withLockRetries(() => migrateQueue(databaseUrl));
  const database = openDatabase({ url: databaseUrl, poolSize: 2, times: TIMES });
  try {
    await withLockRetries(() =>
      asOnlyMigrator(database, async () => {
        await writeNoEvents(database);
        await migrateTables(database, migrations);
      }),
    );
  } finally {
    await database.destroy();
  }
}

/**
 * Runs the work while a transaction on another connection holds the lock of migrators. Other migrators try again and
 * again: one that waited for the lock in a statement would have a snapshot, and an index that is made concurrently
 * waits for the ends of all older snapshots.
 */
async function asOnlyMigrator(database: Database, act: () => Promise<void>): Promise<void> {
  for (;;) {
    const isDone = await database.transaction(async (guard) => {
      await guard.raw('set local idle_in_transaction_session_timeout = 0');
      // Without parameters: the portal of a statement with parameters keeps its snapshot while the transaction is idle.
      const { rows } = await guard.raw<{ rows: { isFree: boolean }[] }>(
        `select pg_try_advisory_xact_lock(${MIGRATOR_LOCK}) as is_free`,
      );
      if (rows[0]?.isFree !== true) return false;
      await act();
      return true;
    });
    if (isDone) return;
    await sleep(MIGRATOR_POLL_MS);
  }
}

async function migrateTables(database: Database, migrations: readonly Migration[]): Promise<void> {
  await database.raw(
    `create table if not exists ${MIGRATIONS_TABLE}
       (id integer primary key generated always as identity, name text not null unique,
        migrated_at timestamptz not null default now())`,
  );
  const done = new Set(await database(MIGRATIONS_TABLE).pluck<string[]>('name'));
  for (const migration of migrations)
    if (!done.has(migration.name)) await run(database, migration, done.size === 0);
}

/** In a new database there are no rows yet whose writes an index could block. */
async function run(database: Database, migration: Migration, isNew: boolean): Promise<void> {
  const { name } = migration;
  const record = (connection: Database) => connection(MIGRATIONS_TABLE).insert({ name });
  if ('indexes' in migration) {
    for (const index of migration.indexes) await createConcurrently(database, index);
    await record(database);
    return;
  }
  await database.transaction(async (transaction) => {
    if (!isNew) refuseIndexes(transaction, name);
    await migration.up(transaction);
    await record(transaction);
  });
}

/** @throws Error where a migration of a database with rows makes an index that blocks writes. */
function refuseIndexes(transaction: Knex.Transaction, name: string): void {
  transaction.on('query', ({ sql }: { readonly sql: string }) => {
    if (/\bcreate\s+(?:unique\s+)?index\b/i.test(sql))
      throw new Error(
        `${name} creates an index in its transaction, which blocks writes: a migration with indexes makes it`,
      );
  });
}

/** Makes an index while the table is written. An attempt that failed leaves an invalid index, which is removed first. */
async function createConcurrently(database: Database, index: NewIndex): Promise<void> {
  await database.raw(`set lock_timeout = ${INDEX_LOCK_MS}`);
  try {
    const { rows } = await database.raw<{ rows: { isValid: boolean }[] }>(
      'select indisvalid as is_valid from pg_index where indexrelid = to_regclass(:name)',
      { name: index.name },
    );
    if (rows[0]?.isValid === true) return;
    if (rows.length > 0) await database.raw(`drop index concurrently ${index.name}`);
    const { name, on, isUnique = false } = index;
    await database.raw(`create ${isUnique ? 'unique ' : ''}index concurrently ${name} on ${on}`);
  } finally {
    await database.raw(`set lock_timeout = ${TIMES.lockMs}`);
  }
}

async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: sessionOptions({ times: TIMES }),
  });
  await client.connect();
  try {
    await runMigrations(client, 'bullmq');
  } finally {
    await client.end();
  }
}

async function writeNoEvents(database: Database): Promise<void> {
  const { source } = await onlyRow<{ source: string }>(
    database,
    "select prosrc as source from pg_proc where oid = 'bullmq.publish_event(text, text, jsonb)'::regprocedure",
  );
  if (source !== NO_EVENT) await database.raw(WRITE_NO_EVENTS);
}

async function withLockRetries(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE || attempt === LOCK_ATTEMPTS) throw error;
      await sleep(LOCK_RETRY_MS);
    }
  }
}

/** Migrations of this version that a database lacks, oldest first; those of later versions are ignored. */
export async function missingMigrations(database: Database): Promise<readonly string[]> {
  const found = await queryRow<{ isThere: boolean }>(
    database,
    'select to_regclass(:table) is not null as is_there',
    { table: MIGRATIONS_TABLE },
  );
  if (found?.isThere !== true) return MIGRATION_NAMES;
  const done = await database(MIGRATIONS_TABLE).select<{ name: string }[]>('name');
  return MIGRATION_NAMES.filter((name) => !done.some((row) => row.name === name));
}

/** The problem of a database that lacks migrations. */
export function lackingMigrations(missing: readonly string[]): PartProblem {
  return new PartProblem({
    problem: `The database lacks ${missing.join(', ')}.`,
    advice: "Run this version's migrate step: node dist/shared/db/migrate-command.js.",
  });
}

/**
 * Returns if a database answers and has the migrations of this version.
 * @throws PartProblem that says what is wrong with the database at this URL
 */
export async function requireSchema(database: Database, url: string): Promise<void> {
  const missing = await missingMigrations(database).catch((error: unknown) => {
    throw databaseProblem(error, url);
  });
  if (missing.length > 0) throw lackingMigrations(missing);
}
