import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../../shared/local/free-port.ts';
import { startPostgres, type RunningPostgres } from '../../shared/local/postgres.ts';
import { filesOf, zipFiles } from '../../shared/local/zip-folder.ts';
import { makeBucket } from '../support/part-servers.ts';
import { replaced, shellBlockWith } from '../support/page-blocks.ts';
import { unitEnvironment } from '../support/read-unit.ts';
import { startReadyProxy, type ReadyProxy } from '../support/ready-proxy.ts';
import { S3_KEYS } from '../support/s3-stores.ts';
import { compileService, startServiceProcess, type ServiceProcess } from '../support/service-process.ts';
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts';

const PAGE = 'docs/operators.md';
const ROOT = path.resolve(import.meta.dirname, '../..');
const CLIENTS = 2;
/** So that the clients stay below the imports of an organization in a minute. */
const PAUSE_MS = 500;
const folder = path.join(inject('scratch'), `operators-${randomUUID()}`);
const secrets = path.join(folder, 'secrets');
let postgres: RunningPostgres;
let redis: ChildProcess;
let redisPort: number;
let issuer: TestIssuer;
let bucket: Record<string, string>;
let proxy: ReadyProxy;
let restarts: (() => Promise<void>)[];
const processes: ServiceProcess[] = [];

/** Runs blocks of the page as one script; returns its output. */
async function run(script: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = {
    PATH: [inject('postgresFolder'), process.env['PATH']].join(path.delimiter),
    HOME: folder,
    ADMIN_URL: postgres.url,
    ...variables,
  };
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: folder, env });
  return stdout;
}

/** A block with the addresses and folders of the test. */
function block(text: string, replacements: Readonly<Record<string, string>>): string {
  return replaced(shellBlockWith(PAGE, text), replacements);
}

const AS_POSTGRES = { 'runuser --user=postgres -- psql': 'psql --dbname="$ADMIN_URL"' };
const addresses = () => {
  const { host } = new URL(postgres.url);
  return { '127.0.0.1:5432': host, '127.0.0.1:6379': `127.0.0.1:${redisPort}` };
};

beforeAll(async () => {
  compileService();
  await mkdir(folder, { recursive: true });
  redisPort = await freePort();
  [postgres, issuer, bucket] = await Promise.all([
    // Beside the folder of settings, which a command of the page closes to all other accounts.
    startPostgres(`${folder}-postgres`, { fsync: false, programs: inject('postgresFolder') }),
    startTestIssuer(),
    makeBucket(inject('s3Endpoint') ?? ''),
  ]);
});

afterAll(async () => {
  await proxy.stop();
  for (const each of processes) await each.stop();
  redis.kill('SIGKILL');
  await postgres.stop();
  await issuer.stop();
});

/** The environment of a process under systemd: the settings, and a copy of the secrets. */
function environmentOf(unit: string): Record<string, string> {
  return {
    ...unitEnvironment(unit, { credentials: secrets, instance: '1' }),
    AUTH_ISSUER: issuer.url,
    ADMIN_PORT: '0',
    APPS_PORT: '0',
    S3_ENDPOINT: bucket['S3_ENDPOINT'] ?? '',
    S3_BUCKET: bucket['S3_BUCKET'] ?? '',
    // Many times the interval of the proxy's probes, also on a busy machine.
    SHUTDOWN_DELAY_SECONDS: '3',
  };
}

async function startParts(): Promise<void> {
  const makeSecrets = block('--mode=700', {
    '/etc/module-import': folder,
    ...addresses(),
  });
  const database = block('create role modules nologin', {
    ...AS_POSTGRES,
    'systemctl restart postgresql': '',
  });
  const queue = block('maxmemory 400mb', {
    '/etc/redis/redis.conf': path.join(folder, 'redis.conf'),
    'systemctl restart redis-server': '',
  });
  await run([makeSecrets, database, queue].join('\n'));
  await writeFile(path.join(secrets, 's3-access-key-id'), `${S3_KEYS.accessKeyId}\n`);
  await writeFile(path.join(secrets, 's3-secret-access-key'), `${S3_KEYS.secretAccessKey}\n`);
  const args = [path.join(folder, 'redis.conf'), '--port', String(redisPort), '--bind', '127.0.0.1'];
  redis = spawn(inject('redisProgram') ?? '', args, { cwd: folder, stdio: 'ignore' });
  const migrate = spawn(process.execPath, [path.join(ROOT, 'dist/shared/db/migrate-command.js')], {
    env: environmentOf('module-import-worker@.service'),
    stdio: 'ignore',
  });
  expect(await once(migrate, 'close')).toEqual([0, null]);
}

async function startService(): Promise<void> {
  const ports = [await freePort(), await freePort()];
  const starts = [
    ...ports.map(
      (port) => () =>
        startServiceProcess('api', {
          ...environmentOf('module-import-api@.service'),
          PORT: String(port),
        }),
    ),
    () => startServiceProcess('worker', environmentOf('module-import-worker@.service')),
  ];
  processes.push(...(await Promise.all(starts.map((start) => start()))));
  proxy = await startReadyProxy(ports);
  const allReady = () => expect.poll(() => proxy.ready.size).toBe(ports.length);
  await allReady();
  restarts = starts.map((start, index) => async () => {
    await allReady();
    await processes[index]?.stop();
    processes[index] = await start();
    await allReady();
  });
}

/** The page's call that imports a package. */
async function importPackage(variables: Readonly<Record<string, string>>, file: string): Promise<string> {
  return run(block('ImportModuleAsync', { 'module.zip': file }), variables);
}

test('the commands of the page lead from empty parts to the first import, and rotate the passwords meanwhile', async () => {
  await startParts();
  await startService();
  const PUBLIC_URL = proxy.url;
  const organizations = `${block('/proc/sys/kernel/random/uuid', {})}\necho "$vendor"`;
  const made = await run(organizations, {
    PUBLIC_URL,
    OPERATOR_TOKEN: await issuer.token({ operator: true }),
  });
  const vendor = made.trim().slice(-36);
  const file = path.join(folder, 'example.zip');
  await zipFiles(filesOf(path.join(ROOT, 'test/fixtures/example-module')), file);
  const roles = [{ id: vendor, roles: ['OrganizationAdmin'] }];
  const variables = { PUBLIC_URL, vendor, VENDOR_TOKEN: await issuer.token({ organizations: roles }) };
  expect(await importPackage(variables, file)).toContain('"outcome":"created"');

  const load = { isOver: false };
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!load.isOver) {
      expect(await importPackage(variables, file)).toContain('"succeeded"');
      await sleep(PAUSE_MS);
    }
  });
  await rotateDatabasePassword();
  await rotateQueuePassword();
  load.isOver = true;
  await Promise.all(clients);
  await listTakenAway();
});

/** What a restore grants again is listed from the old database. */
async function listTakenAway(): Promise<void> {
  const live = new URL('/modules', postgres.url).href;
  const entryOf = (action: string) =>
    `insert into audit_log (id, organization_id, actor, action, trace_id, created_at)
     select gen_random_uuid(), id, '', '${action}', '', '2027-11-21' from organizations limit 1`;
  for (const action of ['installation.removed', 'installation.created', 'organization.suspended'])
    await run(`psql --dbname='${live}' --command="${entryOf(action)}"`);
  await run(
    block('taken-away.csv', {
      'runuser --user=postgres -- psql --dbname=modules': `psql --dbname='${live}'`,
    }),
  );
  const [header, ...lines] = (await readFile(path.join(folder, 'taken-away.csv'), 'utf8')).trim().split('\n');
  expect(header).toBe('created_at,action,organization_id,module_id,client_id,actor,details');
  expect(lines.map((line) => line.split(',')[1]).toSorted()).toEqual([
    'installation.removed',
    'organization.suspended',
  ]);
}

async function restartEach(): Promise<void> {
  for (const restart of restarts) await restart();
}

async function rotateDatabasePassword(): Promise<void> {
  const old = (await readFile(path.join(secrets, 'database-url'), 'utf8')).trim();
  await run(block('create role modules_b', { ...AS_POSTGRES, '/etc/module-import': folder }));
  await restartEach();
  await run('psql --dbname="$ADMIN_URL" --command="drop role modules_a"');
  await expect(run(`psql --dbname='${old}' --command='select 1'`)).rejects.toThrow('authentication failed');
}

async function rotateQueuePassword(): Promise<void> {
  const port = { 'redis-cli ': `redis-cli -p ${redisPort} ` };
  const { '127.0.0.1:6379': address } = addresses();
  const accept = block('ACL SETUSER', {
    ...port,
    '127.0.0.1:6379': address,
    '/etc/module-import': folder,
  });
  const passwords = await run(`${accept}\necho "$old_password $new_password"`);
  const [old = '', latest = ''] = (passwords.trim().split('\n').at(-1) ?? '').split(' ');
  await restartEach();
  const withdraw = block('CONFIG SET requirepass', port);
  await run(withdraw, { REDISCLI_AUTH: old, new_password: latest });
  const ping = (password: string) => run(`redis-cli -p ${redisPort} PING 2>&1`, { REDISCLI_AUTH: password });
  expect(await ping(latest)).toBe('PONG\n');
  expect(await ping(old)).not.toContain('PONG');
  expect(await readFile(path.join(folder, 'redis.conf'), 'utf8')).toContain(latest);
}
