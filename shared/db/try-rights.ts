import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Finding } from '../process/probe-step.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Makes, changes and fills a table in a transaction that is rolled back: what the migrate step does. */
export async function tryRights(client: pg.Client, isMigrated: boolean): Promise<Finding> {
  const table = `doctor_${randomBytes(6).toString('hex')}`;
  await client.query('begin');
  try {
    await client.query(`create table ${table} (id integer primary key)`);
    await client.query(`alter table ${table} add column value text`);
    await client.query(`insert into ${table} values (1, 'doctor')`);
    await client.query(`drop table ${table}`);
  } catch (error) {
    await client.query('rollback');
    if (!isInsufficient(error)) throw error;
    return refusedCreate(client, isMigrated);
  }
  await client.query('rollback');
  return (await lackingSchema(client)) ?? 'the role may create, change and fill tables';
}

function isInsufficient(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE;
}

/** A role that may not create tables is enough for API and workers; the migrate step needs more. */
async function refusedCreate(client: pg.Client, isMigrated: boolean): Promise<Finding> {
  const { role, schema, database } = await namesOf(client);
  return {
    ok: isMigrated,
    detail: `The role ${role} may not create tables, as the migrate step does.`,
    advice: `As their owner run: grant create on schema ${schema} to ${role}; grant create on database ${database} to ${role}; Or run the migrate step with another role, and grant this one its tables.`,
  };
}

/** The queue's tables are in a schema of their own, also where the queue is in Redis. */
async function lackingSchema(client: pg.Client): Promise<Finding | null> {
  const { rows } = await client.query<{ may: boolean }>(
    `select to_regnamespace('bullmq') is not null or has_database_privilege(current_database(), 'create') as may`,
  );
  if (rows[0]?.may === true) return null;
  const { role, database } = await namesOf(client);
  return {
    ok: false,
    detail: `The role ${role} may not create the schema of the queue, as the migrate step does.`,
    advice: `As its owner run: grant create on database ${database} to ${role};`,
  };
}

/** Whether the role may use the tables, which another role may have created, and read which server this is. */
export async function tryTables(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r'
       and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
         and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
     order by relname`,
  );
  const { role, schema } = await namesOf(client);
  const names = rows.map(({ name }) => name);
  if (names.length > 0)
    return {
      ok: false,
      detail: `The role ${role} may not read and write ${names.join(', ')}.`,
      advice: `As their owner run: grant usage on schema ${schema} to ${role}; grant select, insert, update, delete on all tables in schema ${schema} to ${role};`,
    };
  const control = await client.query<{ may: boolean }>(
    `select has_function_privilege('pg_control_system()', 'execute') as may`,
  );
  if (control.rows[0]?.may === true) return 'the role may read and write every table';
  return {
    ok: false,
    detail: `The role ${role} may not read the identity of the server.`,
    advice: `As a superuser run: grant execute on function pg_control_system() to ${role};`,
  };
}

async function namesOf(client: pg.Client): Promise<{ role: string; schema: string; database: string }> {
  const { rows } = await client.query<{ role: string; schema: string; database: string }>(
    `select quote_ident(current_user) as role, quote_ident(coalesce(current_schema(), 'public')) as schema,
       quote_ident(current_database()) as database`,
  );
  return rows[0] ?? { role: '', schema: '', database: '' };
}
