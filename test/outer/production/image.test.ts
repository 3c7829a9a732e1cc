import { execFileSync, type ChildProcess } from 'node:child_process';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../../../shared/local/free-port.ts';
import { ensureDatabase } from '../../../shared/local/postgres.ts';
import { filesOf, zipFiles } from '../../../shared/local/zip-folder.ts';
import { buildByHand, imageEnvironment, runInImage } from '../../support/image-sandbox.ts';
import { makeBucket } from '../../support/part-servers.ts';
import { packageForm } from '../../support/package-form.ts';
import { startTestIssuer, type TestIssuer } from '../../support/test-issuer.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const DOCKERFILE = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
const MIGRATE = 'dist/shared/db/migrate-command.js';
const CHECK = 'dist/shared/process/health-check.js';

let target: string;
let app: string;
let writable: string;
let issuer: TestIssuer;
let environment: Record<string, string>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  // Outside the folder of the other tests: the image's user must be able to enter.
  target = await mkdtemp(path.join(os.tmpdir(), 'module-import-image-'));
  await chmod(target, 0o755);
  writable = path.join(target, 'tmp');
  await mkdir(writable);
  await chmod(writable, 0o777);
  app = await buildByHand(ROOT, DOCKERFILE, target);
  issuer = await startTestIssuer();
  environment = {
    ...imageEnvironment(DOCKERFILE),
    HOST: '127.0.0.1',
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    PORT: '0',
    ADMIN_PORT: '',
    DATABASE_URL: await ensureDatabase(inject('postgresUrl'), `test_${randomUUID().replaceAll('-', '')}`),
    REDIS_URL: `${inject('redisUrl') ?? ''}/${randomInt(1_000_000)}`,
    ...(await makeBucket(inject('s3Endpoint') ?? '')),
    AUTH_ISSUER: issuer.url,
  };
}, 300_000);

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await issuer.stop();
  await rm(target, { recursive: true, force: true });
});

/** Starts a script of the image with settings in addition to the common ones. */
function run(args: readonly string[], settings: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = runInImage(app, args, { ...environment, ...settings }, writable);
  running.push(child);
  return child;
}

/** Runs to the end; returns the exit code and all output. */
async function runToEnd(...options: Parameters<typeof run>): Promise<{ code: unknown; said: string }> {
  const child = run(...options);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => (said += String(bytes)));
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, said };
}

/** The first log line with this message. */
async function logLine(child: ChildProcess, message: string): Promise<Record<string, unknown>> {
  let said = '';
  return new Promise((resolve, reject) => {
    const look = (bytes: Buffer) => {
      said += String(bytes);
      const line = said.split('\n').find((each) => each.includes(`"msg":"${message}"`));
      if (line !== undefined) resolve(JSON.parse(line) as Record<string, unknown>);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('close', () => reject(new Error(`ended before "${message}": ${said}`)));
  });
}

async function stopped(child: ChildProcess): Promise<unknown> {
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  return ((await closed) as unknown[])[0];
}

test('the image cannot write to itself', async () => {
  const { said } = await runToEnd(['-e', "fs.writeFileSync('dist/api/main.js', '')"]);
  expect(said).toMatch(/EROFS|EACCES/);
});

test('the image contains no compiler, no tests and no development issuer', () => {
  const found = execFileSync('find', ['.', '-path', './node_modules/*/*', '-prune', '-o', '-print'], {
    cwd: app,
    encoding: 'utf8',
  }).split('\n');
  expect(found).toEqual(
    expect.arrayContaining([
      './dist/api/main.js',
      './dist/cli/modulectl.mjs',
      './dist/worker/main.js',
      './dist/portal/index.html',
      './package.json',
    ]),
  );
  for (const absent of [
    './node_modules/typescript',
    './node_modules/vitest',
    './dist/test',
    './dist/shared/cli',
    './dist/shared/local',
  ])
    expect(found).not.toContain(absent);
  const sizeMiB = Number(
    execFileSync('du', ['-sm', 'node_modules'], { cwd: app, encoding: 'utf8' }).split('\t')[0],
  );
  expect(sizeMiB).toBeLessThan(130);
});

test('without its settings the image refuses to start, and names every missing one', async () => {
  const { code, said } = await runToEnd(['dist/api/main.js'], {
    ...Object.fromEntries(Object.keys(environment).map((name) => [name, ''])),
    NODE_ENV: 'production',
  });
  expect(code).toBe(2);
  for (const name of ['AUTH_ISSUER', 'ENCRYPTION_KEYS', 'DATABASE_URL', 'REDIS_URL', 'S3_BUCKET'])
    expect(said).toContain(name);
});

test("migrate, api and worker run with the image's commands: the example package is imported", async () => {
  // They may start first: both wait for the migrate step.
  const api = run(['dist/api/main.js']);
  const adminPort = String(await freePort());
  const worker = run(['dist/worker/main.js'], { ADMIN_PORT: adminPort });
  await Promise.all([api, worker].map((child) => logLine(child, 'waiting for a part')));
  const listening = logLine(api, 'api listens');
  const taking = logLine(worker, 'worker accepts jobs');
  expect(await runToEnd([MIGRATE])).toMatchObject({ code: 0 });
  const { port } = await listening;
  await taking;

  const organization = randomUUID();
  const url = `http://127.0.0.1:${String(port)}/api/v8.0`;
  const operator = { Authorization: `Bearer ${await issuer.token({ operator: true })}` };
  const made = await fetch(`${url}/organizations/${organization}`, {
    method: 'PUT',
    headers: { ...operator, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Vendor', kind: 'vendor', tenantId: randomUUID() }),
  });
  expect(made.ok).toBe(true);
  const file = path.join(target, 'example.zip');
  await zipFiles(filesOf(path.join(ROOT, 'test/fixtures/example-module')), file);
  const organizations = [{ id: organization, roles: ['OrganizationAdmin'] }];
  const answer = await fetch(`${url}/${organization}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await issuer.token({ organizations })}` },
    body: packageForm(await readFile(file)),
  });
  expect(await answer.json()).toMatchObject({ status: 'succeeded', outcome: 'created' });

  expect(await runToEnd([CHECK], { PORT: String(port) })).toMatchObject({ code: 0 });
  expect(await runToEnd([CHECK], { ADMIN_PORT: adminPort })).toMatchObject({ code: 0 });
  expect(await Promise.all([stopped(api), stopped(worker)])).toEqual([0, 0]);
  expect(await runToEnd([CHECK], { PORT: String(port) })).toMatchObject({ code: 1 });
  expect(await runToEnd([CHECK], { ADMIN_PORT: adminPort })).toMatchObject({ code: 1 });
}, 180_000);
