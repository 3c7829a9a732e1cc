import { runMigrations } from 'bullmq';
import type { Knex } from 'knex';
import pg from 'pg';
import { openDatabase } from './database.ts';
import * as registry from './migrations/0001-registry.ts';
import * as machineAccess from './migrations/0002-machine-access.ts';
import * as moduleExport from './migrations/0003-module-export.ts';

interface Migration {
  readonly name: string;
  up(knex: Knex): Promise<void>;
}

const MIGRATIONS: readonly Migration[] = [registry, machineAccess, moduleExport];

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
 * Brings a database to this version: the service's tables, and the queue's where the queue lives in it.
 * Several processes may call it at once.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const knex = openDatabase({ url: databaseUrl, poolSize: 2 });
  try {
    await knex.raw("set lock_timeout = '10s'");
    await knex.migrate.latest({ migrationSource: source, tableName: 'schema_migrations' });
  } finally {
    await knex.destroy();
  }
  await migrateQueue(databaseUrl);
}

async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client, 'bullmq');
  } finally {
    await client.end();
  }
}
