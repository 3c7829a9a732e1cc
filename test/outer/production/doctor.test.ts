import { spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { probeDatabase } from '../../../shared/db/probe-database.ts';
import { freePort } from '../../../shared/local/free-port.ts';
import type { ProbeStep } from '../../../shared/process/probe-step.ts';
import { probeQueue } from '../../../shared/queue/probe-queue.ts';
import { findProgram } from '../../support/find-program.ts';
import { startRedisServer } from '../../support/part-servers.ts';

/** The failures and warnings, by step. */
function noted(steps: readonly ProbeStep[]): Record<string, ProbeStep> {
  const found = steps.filter(({ ok, advice }) => !ok || advice !== null);
  return Object.fromEntries(found.map((each) => [each.step, each]));
}

async function startRedis(settings: readonly string[]): Promise<{ redis: Redis; url: string }> {
  const folder = await mkdtemp(path.join(inject('scratch'), 'redis-'));
  const server = await startRedisServer(inject('redisProgram') ?? '', await freePort(), folder, settings);
  const url = `redis://127.0.0.1:${server.port}`;
  const redis = new Redis(url);
  // Without a password it may do nothing.
  redis.on('error', () => undefined);
  onTestFinished(() => {
    redis.disconnect();
    server.process.kill('SIGKILL');
  });
  return { redis, url };
}

async function probe(redisUrl: string): Promise<Record<string, ProbeStep>> {
  return noted(await probeQueue({ redisUrl, databaseUrl: '' }));
}

/** Runs the command of an advice: after `redis-cli`, or an ACL of this user. */
async function follow(redis: Redis, advice: string | null | undefined, user = ''): Promise<void> {
  const text =
    /redis-cli ([^,]+),/.exec(advice ?? '')?.[1] ?? /: (ACL [^.]+)\./.exec(advice ?? '')?.[1] ?? '';
  const [command = '', ...args] = text.replace('<user>', user).split(' ');
  await redis.call(command, ...args);
}

test('a Redis that evicts and keeps nothing on disk: with the commands of the advice it is good', async () => {
  const { redis, url } = await startRedis(['--save', '', '--maxmemory-policy', 'allkeys-lru']);
  const { eviction, persistence } = await probe(url);
  expect(eviction).toMatchObject({ ok: false, detail: expect.stringContaining('allkeys-lru') });
  expect(persistence?.ok).toBe(true);
  await follow(redis, eviction?.advice);
  await follow(redis, persistence?.advice);
  expect(await probe(url)).toEqual({});
});

test('a user of Redis without rights: with the ACL of the advice it is good', async () => {
  const { redis, url } = await startRedis(['--save', '', '--appendonly', 'yes']);
  await redis.call('ACL', 'SETUSER', 'farm', 'on', '>geheimwort', '~bull:*', '+ping', '+info');
  const address = new URL(url);
  [address.username, address.password] = ['farm', 'geheimwort'];
  const { jobs } = await probe(address.href);
  expect(jobs).toMatchObject({ ok: false, detail: expect.stringContaining('NOPERM') });
  await follow(redis, jobs?.advice, 'farm');
  expect(await probe(address.href)).toEqual({});
});

test('a wrong password of Redis is named, and not shown', async () => {
  const { url } = await startRedis(['--save', '', '--requirepass', 'geheimwort']);
  const address = new URL(url);
  address.password = 'another-word';
  const { connection } = await probe(address.href);
  expect(connection?.advice).toBe('Correct user and password in REDIS_URL.');
  expect(JSON.stringify(connection)).not.toContain('another-word');
});

const pgbouncer = findProgram('pgbouncer', ['/usr/sbin', '/usr/bin']);

/** A transaction pooler in front of the tests' database. */
async function startPooler(settings: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(inject('postgresUrl'));
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pgbouncer-'));
  const ownPort = await freePort();
  const database = `host=${hostname} port=${port} user=${username} password=${password}`;
  await writeFile(
    path.join(folder, 'pgbouncer.ini'),
    `[databases]\n* = ${database}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${ownPort}
unix_socket_dir =\nauth_type = any\npool_mode = transaction\n${settings}\n`,
  );
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(pgbouncer ?? '', [...user, path.join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(() => isOpen(ownPort)).toBe(true);
  await sleep(100);
  return `postgres://${username}@127.0.0.1:${ownPort}${pathname}`;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}

const needed = { connections: 1, processes: '1 API process' };

test.runIf(pgbouncer !== null)(
  'a pooler that refuses the options of sessions: with the line of the advice it connects',
  async () => {
    const refused = await startPooler('');
    const { connection } = noted(await probeDatabase({ url: refused, listenUrl: null }, needed));
    const [line = ''] = /ignore_startup_parameters = options/.exec(connection?.advice ?? '') ?? [];
    const url = await startPooler(line);
    const steps = await probeDatabase({ url, listenUrl: null }, needed);
    expect(steps[0]).toMatchObject({ ok: true, detail: expect.stringContaining('pooler') });
    const { notifications, session } = noted(steps);
    expect(notifications?.advice).toContain('Set DATABASE_LISTEN_URL');
    expect(session?.advice).toContain('alter role');
    const direct = await probeDatabase({ url, listenUrl: inject('postgresUrl') }, needed);
    expect(noted(direct)['notifications']).toBeUndefined();
  },
);
