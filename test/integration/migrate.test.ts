import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Knex } from 'knex';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../shared/config/config.ts';
import { openDatabase } from '../../shared/db/database.ts';
import { migrate, MIGRATION_NAMES, MIGRATIONS, requireSchema } from '../../shared/db/migrate.ts';
import { ensureDatabase } from '../../shared/local/postgres.ts';
import { openContext } from '../../shared/process/context.ts';
import { openQueue } from '../../shared/queue/import-queue.ts';
import { LATER_MIGRATIONS } from '../support/example-migration.ts';
import { recordingLog } from '../support/recording-log.ts';
import { cloneDatabase } from '../support/test-app.ts';

/** A new, empty database. */
async function emptyDatabase(): Promise<string> {
  return ensureDatabase(inject('postgresUrl'), `test_${randomUUID().replaceAll('-', '')}`);
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

/** The number of this database's sessions that wait for a lock. */
const WAITING_HERE = `select count(*)::int from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;
const NAMES = 'select name from schema_migrations order by id';

test('four concurrent migrators on an empty database run every migration once, including the queue’s', async () => {
  const url = await emptyDatabase();
  await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)]);
  expect(await rowsOf(url, NAMES)).toEqual(MIGRATION_NAMES);
  expect(await rowsOf(url, 'select count(*)::int from bullmq.migration')).not.toEqual([0]);
});

test('the queue’s tables exist before a migration of the service’s is recorded, which is what processes wait for', async () => {
  const url = await emptyDatabase();
  let found: unknown[] = [];
  const name = '9999-after-queue';
  const up = async () => {
    found = await rowsOf(url, 'select count(*) > 0 from bullmq.migration');
  };
  await migrate(url, [{ name, up }]);
  expect(found).toEqual([true]);
});

test('a queue in the database writes no events, which nobody reads, also after a migration of BullMQ', async () => {
  const url = await cloneDatabase();
  await rowsOf(
    url,
    `create or replace function bullmq.publish_event(p_queue text, p_event text, p_data jsonb) returns bigint language sql
       as 'insert into bullmq.event (queue, event, data, created_at_ms) values (p_queue, p_event, p_data, 0) returning id'`,
  );
  await Promise.all([migrate(url), migrate(url)]);
  const queue = openQueue({ redisUrl: null, databaseUrl: url }, recordingLog().log);
  await queue.addImport({ importId: randomUUID(), retries: 0 });
  expect(await queue.countJobs()).toMatchObject({ waiting: 1 });
  expect(await rowsOf(url, 'select * from bullmq.event')).toEqual([]);
  await queue.close();
});

test('a process whose queue cannot read its schema opens it anew until it can', async () => {
  const url = await cloneDatabase();
  const { log, lines } = recordingLog();
  await rowsOf(url, 'alter table bullmq.migration rename to hidden');
  const config = loadConfig({ DATABASE_URL: url, DATA_DIR: inject('scratch') });
  const wait = () => Promise.resolve({ close: () => Promise.resolve() });
  const opening = openContext('test', config, { log, wait });
  await expect.poll(() => lines).toMatchObject([{ part: 'queue', msg: 'waiting for a part' }]);
  await rowsOf(url, 'alter table bullmq.hidden rename to migration');
  const context = await opening;
  onTestFinished(() => context.close());
  expect(await context.queue.countJobs()).toMatchObject({ waiting: 0 });
});

test('a database with rows is brought to a later version, on which this one writes rows', async () => {
  const url = await cloneDatabase();
  await rowsOf(url, INSERT);
  await migrate(url, LATER_MIGRATIONS);
  expect(await rowsOf(url, NAMES)).toEqual(LATER_MIGRATIONS.map(({ name }) => name));
  await rowsOf(url, INSERT);
  await migrate(url);
  expect(await rowsOf(url, 'select count(*)::int from organizations where deleted_at is null')).toEqual([2]);
});

test('a database of a later version is not changed, and this version runs on it', async () => {
  const url = await cloneDatabase();
  await rowsOf(url, "insert into schema_migrations (name) values ('9999-later')");
  await migrate(url);
  expect(await rowsOf(url, NAMES)).toEqual([...MIGRATION_NAMES, '9999-later']);
  const database = openDatabase({ url, poolSize: 1 });
  try {
    await expect(requireSchema(database, url)).resolves.toBeUndefined();
  } finally {
    await database.destroy();
  }
});

test('a migrator stops waiting for a table that is in use, lets other queries proceed, and retries', async () => {
  const url = await cloneDatabase();
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table schema_migrations in access exclusive mode');
  const migrating = migrate(url);
  const waits = async () => rowsOf(url, WAITING_HERE);
  await expect.poll(waits).toEqual([1]);
  await expect.poll(waits).toEqual([0]);
  await holder.query('rollback');
  await holder.end();
  await expect(migrating).resolves.toBeUndefined();
});

/** A connection of the running version, which is migrated meanwhile; it must not wait behind the migration. */
async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c lock_timeout=30s' });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const INSERT = `insert into organizations (id, tenant_id, kind, name, created_by, updated_by)
  values (gen_random_uuid(), gen_random_uuid(), 'farmer', 'A name', '', '')`;
const INDEX = { name: '9998-index', indexes: [{ name: 'by_name', on: 'organizations (name)' }] };
const IS_VALID = "select indisvalid from pg_index where indexrelid = to_regclass('by_name')";

test('an index of a later version is made while the table is written', async () => {
  const url = await cloneDatabase();
  const [holder, writer] = [await connected(url), await connected(url)];
  await holder.query('begin');
  await holder.query(INSERT);
  const migrating = migrate(url, [...MIGRATIONS, INDEX]);
  await expect.poll(() => rowsOf(url, WAITING_HERE)).toEqual([1]);
  await writer.query(INSERT);
  // The index still waits for the transaction that began before it.
  expect(await rowsOf(url, WAITING_HERE)).toEqual([1]);
  expect(await rowsOf(url, NAMES)).toEqual(MIGRATION_NAMES);
  await holder.query('commit');
  await migrating;
  expect(await rowsOf(url, IS_VALID)).toEqual([true]);
  expect(await rowsOf(url, NAMES)).toEqual([...MIGRATION_NAMES, INDEX.name]);
});

test('several migrators at once make an index once', async () => {
  const url = await cloneDatabase();
  await Promise.all(Array.from({ length: 3 }, () => migrate(url, [...MIGRATIONS, INDEX])));
  expect(await rowsOf(url, IS_VALID)).toEqual([true]);
});

test('an index that could not be made is made when the cause is gone', async () => {
  const url = await cloneDatabase();
  const unique = { ...INDEX, indexes: INDEX.indexes.map((each) => ({ ...each, isUnique: true })) };
  await rowsOf(url, INSERT);
  await rowsOf(url, INSERT);
  await expect(migrate(url, [...MIGRATIONS, unique])).rejects.toThrow(/by_name/);
  expect(await rowsOf(url, IS_VALID)).toEqual([false]);
  await rowsOf(url, 'delete from organizations where deleted_at is null');
  await migrate(url, [...MIGRATIONS, unique]);
  expect(await rowsOf(url, IS_VALID)).toEqual([true]);
});

test('a migration that waits for a table gives up, readers behind it proceed, and it is tried again', async () => {
  const url = await cloneDatabase();
  const [holder, reader] = [await connected(url), await connected(url)];
  await holder.query('begin');
  await holder.query('select from organizations');
  const migrating = migrate(url, [
    ...MIGRATIONS,
    {
      name: '9998-column',
      async up(transaction) {
        await transaction.raw('alter table organizations add column note text');
      },
    },
  ]);
  await expect.poll(() => rowsOf(url, WAITING_HERE)).toEqual([1]);
  await reader.query('select from organizations');
  await holder.query('commit');
  await migrating;
  await reader.query('select note from organizations');
});

test('a later version whose migration makes an index in its transaction is refused', async () => {
  const url = await cloneDatabase();
  const blocking = {
    name: '9998-blocking',
    async up(transaction: Knex) {
      await transaction.raw('create index by_name on organizations (name)');
    },
  };
  await expect(migrate(url, [...MIGRATIONS, blocking])).rejects.toThrow(/9998-blocking .* blocks writes/);
  expect(await rowsOf(url, IS_VALID)).toEqual([]);
});

test('an outdated database is refused with the missing migrations and a command that every installation has', async () => {
  const url = await emptyDatabase();
  const database = openDatabase({ url, poolSize: 1 });
  try {
    const error: unknown = await requireSchema(database, url).catch((caught: unknown) => caught);
    const [, source = ''] = /lacks 0001-baseline.* node dist\/(\S+)\.js\.$/.exec(String(error)) ?? [];
    expect(existsSync(`${source}.ts`), String(error)).toBe(true);
  } finally {
    await database.destroy();
  }
});
