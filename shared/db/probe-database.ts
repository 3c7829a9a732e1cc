import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { shownAddress } from '../process/network-problem.ts';
import { finding, trySteps, type Finding, type ProbeStep } from '../process/probe-step.ts';
import { within } from '../process/within.ts';
import { databaseProblem } from './database-problem.ts';
import { sessionOptions } from './session-options.ts';

const CONNECT_MS = 5_000;
const NOTIFIED_MS = 3_000;

/** The most connections of all processes together, and of how many. */
interface Needed {
  readonly connections: number;
  readonly processes: string;
}

/** Finds problems of the database that the service would not notice at start. Never throws. */
export async function probeDatabase(
  { url, listenUrl }: { readonly url: string; readonly listenUrl: string | null },
  needed: Needed,
): Promise<readonly ProbeStep[]> {
  const client = openClient(url);
  let isPooled = false;
  const connection = async () => {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    // A pooler gives its clients other process IDs than the server's.
    isPooled = 'processID' in client && rows[0]?.pid !== client.processID;
    return `${shownAddress(url)}${isPooled ? ', through a connection pooler' : ''}`;
  };
  const check = async (sql: string, advice: string, isAdvisable = false) => {
    const { rows } = await client.query<{ good: boolean; text: string }>(`select ${sql}`);
    return finding(rows[0]?.good === true, rows[0]?.text ?? '', advice, isAdvisable);
  };
  const probes = {
    connection,
    version: () => check(VERSION, 'Use PostgreSQL 15 or newer.'),
    encoding: () => check(ENCODING, 'Create it anew: createdb --template=template0 --encoding=UTF8 NAME'),
    session: () => check(TIME_LIMITS, SET_TIME_LIMITS, true),
    // A pooler has a limit of its own.
    connections: () => check(connectionsOf(needed), moreConnections(needed), isPooled),
    notifications: () => tryNotifications(client, listenUrl ?? url),
  };
  const steps = await trySteps(probes, (error) => databaseProblem(error, url));
  await client.end().catch(() => undefined);
  return steps;
}

/** Earlier versions lack what the migrations use. */
const VERSION = `current_setting('server_version_num')::int >= 150000 as good,
  'PostgreSQL ' || current_setting('server_version') as text`;

const ENCODING = `current_setting('server_encoding') = 'UTF8' as good,
  'texts are stored as ' || current_setting('server_encoding') as text`;

/** A pooler that ignores the parameter `options` leaves sessions without them. */
const TIME_LIMITS = `count(*) = 0 as good, 'without a time limit: ' || coalesce(string_agg(name, ', '), 'nothing') as text
  from unnest(array['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']) as name
  where current_setting(name) = '0'`;

const SET_TIME_LIMITS =
  "Run on the server as the service's role: set role none; alter role session_user set lock_timeout = '5s'; alter role session_user set statement_timeout = '20min'; alter role session_user set idle_in_transaction_session_timeout = '10s'; Then reconnect the pooler (PgBouncer: RECONNECT).";

function connectionsOf({ connections, processes }: Needed): string {
  return `${connections} <= allowed as good,
    '${processes} open up to ${connections} connections, and the server allows ' || allowed as text
    from (select least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(nullif(current_setting('reserved_connections', true), ''), '0')::int,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as allowed) as server`;
}

function moreConnections({ connections }: Needed): string {
  return `Set max_connections = ${connections + 20} on the server and restart it, lower DATABASE_POOL_SIZE, or put a transaction pooler in between.`;
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

/** Listens on one connection and notifies on the other: a transaction pooler delivers nothing. */
async function tryNotifications(client: pg.Client, listenUrl: string): Promise<Finding> {
  const listener = openClient(listenUrl);
  const channel = `doctor_${randomBytes(6).toString('hex')}`;
  try {
    await listener.connect();
    const notified = new Promise((resolve) => listener.on('notification', () => resolve(true)));
    await listener.query(`listen ${channel}`);
    await client.query('select pg_notify($1, $2)', [channel, 'doctor']);
    const isNotified = await within(NOTIFIED_MS, notified).then(
      () => true,
      () => false,
    );
    return finding(
      isNotified,
      isNotified ? 'NOTIFY arrives' : 'NOTIFY does not arrive: finished imports are noticed by a poll',
      'Set DATABASE_LISTEN_URL to the server itself, and to the same database: a transaction pooler keeps no session.',
      true,
    );
  } catch (error) {
    throw databaseProblem(error, listenUrl, 'DATABASE_LISTEN_URL');
  } finally {
    await listener.end().catch(() => undefined);
  }
}
