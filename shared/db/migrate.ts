import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations } from 'bullmq';
import type { Knex } from 'knex';
import pg from 'pg';
import { openDatabase } from './database.ts';
import * as registry from './migrations/0001-registry.ts';
import * as machineAccess from './migrations/0002-machine-access.ts';
import * as traceContext from './migrations/0003-trace-context.ts';
import * as duties from './migrations/0004-duties.ts';
import * as moduleExport from './migrations/0005-module-export.ts';
import * as portalSessions from './migrations/0006-portal-sessions.ts';
import * as namedModule from './migrations/0007-named-module.ts';
import * as givenUpImports from './migrations/0008-given-up-imports.ts';
import * as declaredDataAreas from './migrations/0009-declared-data-areas.ts';

interface Migration {
  readonly name: string;
  up(knex: Knex): Promise<void>;
}

const MIGRATIONS: readonly Migration[] = [
  registry,
  machineAccess,
  traceContext,
  duties,
  moduleExport,
  portalSessions,
  namedModule,
  givenUpImports,
  declaredDataAreas,
];

/** Where it is noted which migrations a database has. */
export const MIGRATIONS_TABLE = 'schema_migrations';

/** What a database of this version has, oldest first. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map((migration) => migration.name);

/** Any number, the same in every version: who holds it migrates, the others wait. */
const MIGRATOR_LOCK = 7_245_001;

/**
 * A statement that waits for a table's lock makes every later query on that table wait behind it. So it gives
 * up soon, lets the running version go on, and tries again.
 */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_RETRY_MS = 1_000;
const LOCK_ATTEMPTS = 60;
const LOCK_NOT_AVAILABLE = '55P03';

/** Knex's face to migrations that are imported, not found in a folder: the compiled tree needs no globbing. */
const source: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...MIGRATIONS]),
  getMigrationName: (migration) => migration.name,
  getMigration: (migration) =>
    Promise.resolve({
      up: (knex: Knex) => migration.up(knex),
      down: () => Promise.reject(new Error('no way back')),
    }),
};

/**
 * Brings a database to this version: the service's tables, and the queue's where the queue lives in it. Each
 * of the two is done whole or not at all. Several processes may call it at once, and the version before may
 * serve meanwhile. A database of a later version is left as it is. The address must not lead through a
 * transaction pooler.
 * @throws the database's error where a lock could not be had within some minutes.
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
  // Waiting for another migrator holds no table's lock, so it has no time limit: the limit follows it.
  await transaction.raw('select pg_advisory_xact_lock(?)', [MIGRATOR_LOCK]);
  await transaction.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await transaction.migrate.latest({
    migrationSource: source,
    tableName: MIGRATIONS_TABLE,
    // After a rollback this version meets migrations that it does not know: they are no fault.
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
