import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { openDatabase } from '../../shared/db/database.ts';
import { migrate, MIGRATION_NAMES } from '../../shared/db/migrate.ts';
import { schemaReady } from '../../shared/db/schema-ready.ts';
import { ensureDatabase } from '../../shared/local/postgres.ts';

/** A new, empty database. */
async function emptyDatabase(): Promise<string> {
  return ensureDatabase(inject('templateUrl'), `test_${randomUUID().replaceAll('-', '')}`);
}

/** Rows of one statement on a database. */
async function rowsOf(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows.flatMap((row) => Object.values(row));
  } finally {
    await client.end();
  }
}

/** How many sessions of this database wait for a lock. */
const WAITING_HERE = `select count(*)::int from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;
const NAMES = 'select name from schema_migrations order by id';

test('four concurrent migrators on an empty database run every migration once, including the queue’s', async () => {
  const url = await emptyDatabase();
  await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)]);
  expect(await rowsOf(url, NAMES)).toEqual(MIGRATION_NAMES);
  expect(await rowsOf(url, 'select count(*)::int from bullmq.migration')).not.toEqual([0]);
});

test('a database of a later version is not changed, and this version runs on it', async () => {
  const url = await emptyDatabase();
  await migrate(url);
  await rowsOf(
    url,
    "insert into schema_migrations (name, batch, migration_time) values ('9999-later', 2, now())",
  );
  await migrate(url);
  expect(await rowsOf(url, NAMES)).toEqual([...MIGRATION_NAMES, '9999-later']);
  const database = openDatabase({ url, poolSize: 1 });
  try {
    await expect(schemaReady(database, () => expect.unreachable(), 0)).resolves.toBeUndefined();
  } finally {
    await database.destroy();
  }
});

test('a migrator stops waiting for a table that is in use, lets other queries proceed, and retries', async () => {
  const url = await emptyDatabase();
  await migrate(url);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table schema_migrations_lock in access exclusive mode');
  const migrating = migrate(url);
  const waits = async () => rowsOf(url, WAITING_HERE);
  await expect.poll(waits).toEqual([1]);
  await expect.poll(waits).toEqual([0]);
  await holder.query('rollback');
  await holder.end();
  await expect(migrating).resolves.toBeUndefined();
});

test('a process waits for the migrate step, logs that, and starts when it is done', async () => {
  const url = await emptyDatabase();
  const database = openDatabase({ url, poolSize: 1 });
  const reported: (readonly string[])[] = [];
  try {
    const ready = schemaReady(database, (missing) => {
      reported.push(missing);
      void migrate(url);
    });
    await expect(ready).resolves.toBeUndefined();
    expect(reported).toEqual([MIGRATION_NAMES]);
  } finally {
    await database.destroy();
  }
});

test('a process refuses an outdated database, and reports the missing migrations and the command to run', async () => {
  const database = openDatabase({ url: await emptyDatabase(), poolSize: 1 });
  try {
    await expect(schemaReady(database, () => undefined, 0)).rejects.toThrow(
      /lacks 0001-registry, .*npm run migrate/,
    );
  } finally {
    await database.destroy();
  }
});
