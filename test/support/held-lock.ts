import type { Knex } from 'knex';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { TestApp } from './test-app.ts';

/** A lock that a transaction of another connection holds. */
export interface HeldLock {
  release(): Promise<void>;
}

/** Holds what a statement locks, such as `select … for update`, on a connection of its own. */
export async function holdLock(
  { environment }: Pick<TestApp, 'environment'>,
  statement: string,
  values: readonly string[],
): Promise<HeldLock> {
  const client = new pg.Client({ connectionString: environment['DATABASE_URL'] });
  await client.connect();
  await client.query('begin');
  await client.query(statement, [...values]);
  return {
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}

/** Holds the row that serialises the writes of a farmer's structures; it has written some. */
export async function holdStructures(app: TestApp, organizationId: string): Promise<HeldLock> {
  return holdLock(app, 'select 1 from structure_sets where organization_id = $1 for update', [
    organizationId,
  ]);
}

/**
 * A transaction that waits while a test does something else, however long that takes. It is rolled back at the end of the
 * test at the latest: a pool that is closed waits for its transactions.
 */
export async function holdTransaction(database: Knex): Promise<Knex.Transaction> {
  const transaction = await database.transaction();
  onTestFinished(async () => {
    if (!transaction.isCompleted()) await transaction.rollback();
  });
  await transaction.raw('set local idle_in_transaction_session_timeout = 0');
  // A part of the service may have what it locks for a moment.
  await transaction.raw('set local lock_timeout = 0');
  return transaction;
}
