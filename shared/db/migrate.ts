import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations } from 'bullmq';
import type { Knex } from 'knex';
import pg from 'pg';
import { openDatabase } from './database.ts';
import * as registry from './migrations/0001-registry.ts';
import * as machineAccess from './migrations/0002-machine-access.ts';
import * as operations from './migrations/0003-operations.ts';

interface Migration {
  readonly name: string;
  up(knex: Knex): Promise<void>;
}

const MIGRATIONS: readonly Migration[] = [registry, machineAccess, operations];

/** The table that records which migrations a database has. */
export const MIGRATIONS_TABLE = 'schema_migrations';

/** What a database of this version has, oldest first. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map((migration) => migration.name);

/** Any number, the same in every version: the process that has the lock migrates, the others wait. */
const MIGRATOR_LOCK = 7_245_001;

/**
 * A statement that waits for a table's lock makes every later query on that table wait behind it. So it stops
 * waiting soon, so that the running version can go on, and tries again.
 */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_RETRY_MS = 1_000;
const LOCK_ATTEMPTS = 60;
const LOCK_NOT_AVAILABLE = '55P03';

/** Gives Knex the imported migrations instead of a folder: the compiled tree needs no globbing. */
const source: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...MIGRATIONS]),
  getMigrationName: (migration) => migration.name,
  getMigration: (migration) =>
    Promise.resolve({
      up: (knex: Knex) => migration.up(knex),
      down: () => Promise.reject(new Error('migrations cannot be undone')),
    }),
};

/**
 * Brings a database to this version: the service's tables, and the queue's where the queue lives in it. Each
 * of the two is done whole or not at all. Several processes may call it at once, and the previous version may
 * serve meanwhile. A database of a later version is left unchanged. The address must not lead through a
 * transaction pooler.
 * @throws the database's error where a lock could not be acquired within some minutes.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const knex = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    await withLockRetries(() => knex.transaction(migrateTables));
  } finally {
    await knex.destroy();
  }
  await withLockRetries(() => migrateQueue(databaseUrl));
}

async function migrateTables(transaction: Knex.Transaction): Promise<void> {
  // Waiting for another migrator locks no table, so it has no time limit: the limit is set after it.
  await transaction.raw('select pg_advisory_xact_lock(?)', [MIGRATOR_LOCK]);
  await transaction.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await transaction.migrate.latest({
    migrationSource: source,
    tableName: MIGRATIONS_TABLE,
    // After a rollback this version finds migrations that it does not know: they are not an error.
    disableMigrationsListValidation: true,
  });
}

async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await runMigrations(client, 'bullmq');
  } finally {
    await client.end();
  }
}

async function withLockRetries(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      const isLocked = error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;
      if (!isLocked || attempt === LOCK_ATTEMPTS) throw error;
      await sleep(LOCK_RETRY_MS);
    }
  }
}
