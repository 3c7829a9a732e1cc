import { spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { freePort } from '../../shared/local/free-port.ts';
import { ensureDatabase } from '../../shared/local/postgres.ts';
import { filesOf, zipFiles } from '../../shared/local/zip-folder.ts';
import {
  accountOf,
  buildah,
  closeContainer,
  inspectImage,
  killContainerProcess,
  openContainer,
  programOf,
  runAsFirstProcess,
  runInContainer,
  type ImageContainer,
} from '../support/image-container.ts';
import { makeBucket } from '../support/part-servers.ts';
import { packageForm } from '../support/package-form.ts';
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts';

/** Those that `.ci/image` sets. */
const { IMAGE = '', IMAGE_BASE = '', IMAGE_SBOM = '', IMAGE_SECRET = '' } = process.env;
const MAX_LAYER_BYTES = 100_000_000;
const MIGRATE = ['dist/shared/db/migrate-command.js'];
const { config, layers } = inspectImage(IMAGE);

let container: ImageContainer;
let issuer: TestIssuer;
let environment: Record<string, string>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  container = openContainer(IMAGE);
  issuer = await startTestIssuer();
});

beforeEach(async () => {
  environment = {
    HOST: '127.0.0.1',
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    PORT: '0',
    ADMIN_PORT: '',
    DATABASE_URL: await ensureDatabase(inject('postgresUrl'), `test_${randomUUID().replaceAll('-', '')}`),
    REDIS_URL: `${inject('redisUrl') ?? ''}/${randomInt(1_000_000)}`,
    ...(await makeBucket(inject('s3Endpoint') ?? '')),
    AUTH_ISSUER: issuer.url,
  };
});

afterEach(async () => {
  for (const child of running.splice(0)) await killContainerProcess(child);
});

afterAll(async () => {
  await issuer.stop();
  closeContainer(container);
});

/** Starts the image's program with arguments, and with settings in addition to the common ones. */
function run(
  args: readonly string[] = config.Cmd,
  settings: Readonly<Record<string, string>> = {},
): ChildProcess {
  const child = runInContainer(container, [...config.Entrypoint, ...args], { ...environment, ...settings });
  running.push(child);
  return child;
}

/** Runs a command of the image to its end; returns the exit code and all output. */
async function toEnd(child: ChildProcess): Promise<{ code: unknown; said: string }> {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => (said += String(bytes)));
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, said };
}

/** The container's health check, as the image configures it. */
function checkHealth(settings: Readonly<Record<string, string>>): Promise<{ code: unknown; said: string }> {
  const [kind, ...command] = config.Healthcheck.Test;
  expect(kind).toBe('CMD');
  return toEnd(runInContainer(container, command, { ...environment, ...settings }));
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

/** Sends SIGTERM to the program itself, as a container runtime does; returns the exit code. */
async function stopped(child: ChildProcess): Promise<unknown> {
  const closed = once(child, 'close');
  process.kill(programOf(child), 'SIGTERM');
  return ((await closed) as unknown[])[0];
}

/** Imports the example package as a new vendor. */
async function importExample(port: unknown): Promise<unknown> {
  const organization = randomUUID();
  const url = `http://127.0.0.1:${String(port)}/api/v8.0`;
  const operator = { Authorization: `Bearer ${await issuer.token({ operator: true })}` };
  const made = await fetch(`${url}/organizations/${organization}`, {
    method: 'PUT',
    headers: { ...operator, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Vendor', kind: 'vendor', tenantId: randomUUID() }),
  });
  expect(made.ok).toBe(true);
  const file = path.join(inject('scratch'), `${organization}.zip`);
  await zipFiles(filesOf(path.resolve('test/fixtures/example-module')), file);
  const organizations = [{ id: organization, roles: ['OrganizationAdmin'] }];
  const answer = await fetch(`${url}/${organization}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await issuer.token({ organizations })}` },
    body: packageForm(await readFile(file)),
  });
  return answer.json();
}

/** The names and versions of the packages in a folder `node_modules`, nested ones included. */
function packagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?:^|\/node_modules\/)(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(file))
    .map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Record<string, string>)
    .map(({ name, version }) => `${name}@${version}`);
}

test('nothing of the image is writable for its user, and nothing at all on a read-only file system', async () => {
  const find = 'find / -xdev -writable -not -type l 2>/dev/null; true';
  const writable = runInContainer(container, ['sh', '-c', find], {});
  expect(await toEnd(writable)).toEqual({ code: 0, said: '' });
  const { said } = await toEnd(run(['-e', "fs.writeFileSync('dist/api/main.js', '')"]));
  expect(said).toMatch(/EROFS|EACCES/);
  const app = spawnSync('find', [path.join(container.root, 'app'), '-not', '-user', 'root'], {
    encoding: 'utf8',
  });
  expect(app).toMatchObject({ status: 0, stdout: '' });
});

test('the image contains no package manager, no compiler, no tests and no development issuer', () => {
  const present = [
    'dist/api/main.js',
    'dist/cli/modulectl.mjs',
    'dist/worker/main.js',
    'dist/portal/index.html',
  ];
  const inApp = (file: string) => path.join(container.root, 'app', file);
  const list = (folder: string) => readdirSync(inApp(folder));
  expect(list('.').toSorted()).toEqual(['LICENSE', 'dist', 'node_modules', 'package.json']);
  for (const file of present) expect(readFileSync(inApp(file)).length).toBeGreaterThan(0);
  expect(list('dist').filter((name) => name === 'test')).toEqual([]);
  expect(list('dist/shared').filter((name) => ['cli', 'local'].includes(name))).toEqual([]);
  expect(readdirSync(path.join(container.root, 'usr/local/bin'))).toEqual(['node']);
});

test('the bill of materials lists the packages in the image, and no other', () => {
  const { components } = JSON.parse(readFileSync(IMAGE_SBOM, 'utf8')) as {
    readonly components: readonly { readonly name: string; readonly version: string }[];
  };
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  expect(new Set(packagesIn(path.join(container.root, 'app/node_modules')))).toEqual(listed);
});

test('the layers above the base are small, and hold no secret that lay beside the sources', () => {
  const folder = path.join(inject('scratch'), 'image');
  buildah('push', '--quiet', '--disable-compression', IMAGE, `dir:${folder}`);
  const base = inspectImage(IMAGE_BASE).layers;
  expect(layers.slice(0, base.length)).toEqual(base);
  const own = layers
    .slice(base.length)
    .map((digest) => readFileSync(path.join(folder, digest.replace('sha256:', ''))));
  const bytes = own.reduce((sum, layer) => sum + layer.length, 0);
  process.stdout.write(`layers above the base: ${own.length}, ${(bytes / 1e6).toFixed(1)} MB\n`);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(MAX_LAYER_BYTES);
  expect(IMAGE_SECRET).not.toBe('');
  for (const layer of own) {
    // The scan sees the content of files: this is what one begins with.
    expect(layer.includes('"name": "module-import-service"')).toBe(true);
    expect(layer.includes(IMAGE_SECRET)).toBe(false);
    expect(layer.toString('latin1')).not.toMatch(
      /_authToken\s*=|-----BEGIN [A-Z ]*PRIVATE KEY-----\n[\w+/=]{60}/,
    );
  }
});

test('without its settings the image refuses to start, and names every missing one', async () => {
  const none = Object.fromEntries(Object.keys(environment).map((name) => [name, '']));
  const { code, said } = await toEnd(run(config.Cmd, { ...none, NODE_ENV: 'production' }));
  expect(code).toBe(2);
  for (const name of ['AUTH_ISSUER', 'ENCRYPTION_KEYS', 'DATABASE_URL', 'REDIS_URL', 'S3_BUCKET'])
    expect(said).toContain(name);
});

test("migrate, API and worker run with the image's commands: the example package is imported", async () => {
  // They may start first: both wait for the migrate step.
  const api = run();
  const adminPort = String(await freePort());
  const worker = run(['dist/worker/main.js'], { ADMIN_PORT: adminPort });
  await Promise.all([api, worker].map((child) => logLine(child, 'waiting for a part')));
  const listening = logLine(api, 'api listens');
  const accepting = logLine(worker, 'worker accepts jobs');
  expect(await toEnd(run(MIGRATE))).toMatchObject({ code: 0 });
  const { port } = await listening;
  await accepting;

  const ids = '65532\t65532\t65532\t65532';
  for (const child of [api, worker]) expect(accountOf(programOf(child))).toEqual([ids, ids]);
  expect(await importExample(port)).toMatchObject({ status: 'succeeded', outcome: 'created' });

  // A runtime tries again, too: the check waits three seconds, which may be short on a busy machine.
  await expect.poll(() => checkHealth({ PORT: String(port) })).toMatchObject({ code: 0 });
  await expect.poll(() => checkHealth({ ADMIN_PORT: adminPort })).toMatchObject({ code: 0 });
  expect(await Promise.all([stopped(api), stopped(worker)])).toEqual([0, 0]);
  expect(await checkHealth({ PORT: String(port) })).toMatchObject({ code: 1 });
  expect(await checkHealth({ ADMIN_PORT: adminPort })).toMatchObject({ code: 1 });
});

test('without a shell or an init above it, the API drains on SIGTERM', async () => {
  expect(await toEnd(run(MIGRATE))).toMatchObject({ code: 0 });
  const ofImage = Object.fromEntries(config.Env.map((each) => each.split(/=(.*)/s)));
  const settings = { ...ofImage, ...environment };
  const api = runAsFirstProcess(container, [...config.Entrypoint, ...config.Cmd], config.User, settings);
  running.push(api);
  const { pid } = await logLine(api, 'api listens');
  expect(pid).toBe(1);
  expect(await stopped(api)).toBe(0);
});
