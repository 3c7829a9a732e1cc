import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Config } from '../config/config.ts';
import { clockDifference, clockFinding } from '../process/clock-step.ts';
import { shownAddress } from '../process/network-problem.ts';
import { tryStep, type Finding, type ProbeStep } from '../process/probe-step.ts';
import { within } from '../process/within.ts';
import { openDatabase } from './database.ts';
import { databaseProblem } from './database-problem.ts';
import { lackingMigrations, missingMigrations } from './migrate.ts';
import { sessionOptions } from './session-options.ts';
import { tryRights, tryTables } from './try-rights.ts';

const CONNECT_MS = 5_000;
const NOTIFIED_MS = 3_000;
/** Of version 15: earlier ones lack what the migrations use. */
const LOWEST_VERSION = 150_000;

/** What the database is to be probed for. */
export interface DatabaseProbe {
  readonly url: string;
  readonly config: Pick<Config['database'], 'listenUrl'>;
  /** The most connections of all processes together, and of how many. */
  readonly needed: { readonly connections: number; readonly processes: string };
}

/** Tries what the service needs of its database; what it makes, it takes back. Never throws. */
export async function probeDatabase({ url, config, needed }: DatabaseProbe): Promise<readonly ProbeStep[]> {
  const client = openClient(url);
  const step = (name: string, act: () => Promise<Finding>, setting?: string, address = url) =>
    tryStep(name, act, (error) => {
      const { problem, advice } = databaseProblem(error, address, setting);
      return { detail: problem, advice };
    });
  const connection = await step('connection', async () => {
    await client.connect();
    return `${shownAddress(url)}${(await isPooled(client)) ? ', through a connection pooler' : ''}`;
  });
  if (!connection.ok) return [connection];
  try {
    const missing = await within(CONNECT_MS, readMissing(url)).catch(() => null);
    // Tables that cannot be read are those of another role.
    const hasTables = missing === null || missing.length === 0;
    const listenUrl = config.listenUrl ?? url;
    const listenSetting = config.listenUrl === null ? 'DATABASE_URL' : 'DATABASE_LISTEN_URL';
    return [
      connection,
      await step('version', () => tryVersion(client)),
      await step('encoding', () => tryEncoding(client)),
      await step('migrations', () => Promise.resolve(migrationsFinding(missing))),
      await step('rights', () => tryRights(client, hasTables)),
      ...(hasTables ? [await step('tables', () => tryTables(client))] : []),
      await step('session', () => trySession(client)),
      await step('notifications', () => tryNotify(client, listenUrl, config), listenSetting, listenUrl),
      await step('connections', () => tryConnections(client, needed)),
      await step('clock', () => tryClock(client)),
    ];
  } finally {
    await client.end().catch(() => undefined);
  }
}

function openClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
    options: sessionOptions(),
    application_name: 'doctor',
  });
  client.on('error', () => undefined);
  return client;
}

/** A pooler gives its clients other process IDs than the server's. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return 'processID' in client && rows[0]?.pid !== client.processID;
}

async function readMissing(url: string): Promise<readonly string[]> {
  const database = openDatabase({ url, poolSize: 1 });
  try {
    return await missingMigrations(database);
  } finally {
    await database.destroy();
  }
}

function migrationsFinding(missing: readonly string[] | null): Finding {
  if (missing === null)
    return {
      ok: false,
      detail: 'The table of migrations cannot be read.',
      advice: 'Check the rights below.',
    };
  if (missing.length === 0) return 'the database has every migration of this version';
  const { problem, advice } = lackingMigrations(missing);
  return { ok: false, detail: problem, advice };
}

async function tryVersion(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ number: number; version: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version`,
  );
  const { number = 0, version = 'unknown' } = rows[0] ?? {};
  if (number >= LOWEST_VERSION) return `PostgreSQL ${version}`;
  return { ok: false, detail: `PostgreSQL ${version} is too old.`, advice: 'Use PostgreSQL 15 or newer.' };
}

async function tryEncoding(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ encoding: string }>(
    `select current_setting('server_encoding') as encoding`,
  );
  const encoding = rows[0]?.encoding ?? 'unknown';
  if (encoding === 'UTF8') return encoding;
  return {
    ok: false,
    detail: `The database has the encoding ${encoding}, which cannot store every text.`,
    advice: 'Create it anew: createdb --template=template0 --encoding=UTF8 NAME',
  };
}

/** A pooler that ignores the parameter `options` leaves sessions without their time limits. */
async function trySession(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ role: string; lacking: string[] }>(
    `select quote_ident(current_user) as role,
       array(select name from unnest(array['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'])
             as name where current_setting(name) = '0') as lacking`,
  );
  const { role = '', lacking = [] } = rows[0] ?? {};
  if (lacking.length === 0) return 'statements, locks and idle transactions have time limits';
  const values: Readonly<Record<string, string>> = {
    lock_timeout: '5s',
    statement_timeout: '20min',
    idle_in_transaction_session_timeout: '10s',
  };
  const set = lacking.map((name) => `alter role ${role} set ${name} = '${values[name] ?? ''}';`);
  return {
    ok: true,
    detail: `The pooler drops the time limits of sessions: ${lacking.join(', ')}.`,
    advice: `Run on the server: ${set.join(' ')} Then reconnect the pooler (PgBouncer: RECONNECT).`,
  };
}

/** Listens on one connection and notifies on the other: a transaction pooler delivers nothing. */
async function tryNotify(
  client: pg.Client,
  listenUrl: string,
  { listenUrl: direct }: DatabaseProbe['config'],
): Promise<Finding> {
  const listener = openClient(listenUrl);
  const channel = `doctor_${randomBytes(6).toString('hex')}`;
  await listener.connect();
  try {
    const heard = new Promise<void>((resolve) => {
      listener.on('notification', () => resolve());
    });
    await listener.query(`listen ${channel}`);
    await client.query('select pg_notify($1, $2)', [channel, 'doctor']);
    const isHeard = await within(NOTIFIED_MS, heard).then(
      () => true,
      () => false,
    );
    await listener.query(`unlisten ${channel}`);
    if (isHeard) return 'NOTIFY arrives';
  } finally {
    await listener.end().catch(() => undefined);
  }
  return {
    ok: true,
    detail: 'NOTIFY does not arrive, so finished imports are noticed by a poll once a second.',
    advice:
      direct === null
        ? 'Set DATABASE_LISTEN_URL to the server itself: a transaction pooler keeps no session.'
        : 'Let DATABASE_LISTEN_URL lead to the server itself, and to the same database.',
  };
}

async function tryConnections(client: pg.Client, needed: DatabaseProbe['needed']): Promise<Finding> {
  const { rows } = await client.query<{ free: number }>(
    `select least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(nullif(current_setting('reserved_connections', true), ''), '0')::int,
       (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
       (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as free`,
  );
  const { free = 0 } = rows[0] ?? {};
  const detail = `${needed.processes} open up to ${needed.connections} connections, and the server allows ${free}`;
  if (needed.connections <= free) return detail;
  const advice = `Set max_connections = ${needed.connections + 20} on the server and restart it, lower DATABASE_POOL_SIZE, or put a transaction pooler in between.`;
  // The pooler's own limit counts.
  return { ok: await isPooled(client), detail: `${detail}.`, advice };
}

async function tryClock(client: pg.Client): Promise<Finding> {
  const differenceMs = await clockDifference(async () => {
    const { rows } = await client.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    );
    return rows[0]?.ms ?? 0;
  });
  return clockFinding(differenceMs, 'the database');
}
