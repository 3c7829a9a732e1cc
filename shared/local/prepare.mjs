// Prepares a fresh clone: uses only Node itself until the dependencies are installed and the sources compiled.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** The top of the repository. */
export const root = path.resolve(
  import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname),
  '../..',
);
const LOCK_STALE_MS = 10 * 60_000;
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Writes to standard error: some commands print a single result on standard output. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** The advice to a user of this version of Node; null where it is supported. Odd versions live for half a year. */
export function nodeAdvice(version) {
  const [major] = version.split('.').map(Number);
  if (major >= 22 && major % 2 === 0) return null;
  return `Node ${major} is past its end and gets no security fixes: Node 22 and 24 are supported.`;
}

function run(command, args) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')} failed`);
  }
}

/** Prevents two commands from installing or compiling at the same time. */
function withLock(act) {
  const lock = path.join(root, '.run-lock');
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > LOCK_STALE_MS || !ownerIsAlive(lock)) rmSync(lock, { recursive: true, force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  writeFileSync(path.join(lock, 'pid'), String(process.pid));
  try {
    act();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function ownerIsAlive(lock) {
  const file = path.join(lock, 'pid');
  // A lock without its owner's ID has just been created, or its owner was killed before it wrote the ID.
  if (!existsSync(file))
    return Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) < 2_000;
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

const installMark = path.join(root, 'node_modules', '.installed-lock-hash');

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
}

function isInstalled() {
  return existsSync(installMark) && readFileSync(installMark, 'utf8') === lockHash();
}

/** Runs `npm ci` if the lock file has changed since the last install. */
function install() {
  if (isInstalled()) return;
  const installed = path.join(root, 'node_modules', '.package-lock.json');
  if (
    !existsSync(installed) ||
    statSync(installed).mtimeMs < statSync(path.join(root, 'package-lock.json')).mtimeMs
  ) {
    say('installing dependencies (npm ci) …');
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  }
  writeFileSync(installMark, lockHash());
}

const compileMark = path.join(root, 'dist', '.compiled');

function isCompiled() {
  const compiledMs = statSync(compileMark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ['tsconfig.json', 'api', 'worker', 'shared', 'test'].map((name) => path.join(root, name));
  return !sources.some((source) => newestMs(source) > compiledMs);
}

/** Compiles if a source is newer than the last compilation; `npm run check` checks types. */
function compile() {
  if (isCompiled()) return;
  const startedAt = new Date();
  say('compiling …');
  run(process.execPath, [path.join(root, 'node_modules/typescript-7/bin/tsc'), '-p', root, '--noCheck']);
  generateTypes();
  const portal = path.join(root, 'api/portal/vite.config.mjs');
  run(process.execPath, [path.join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', portal]);
  writeFileSync(compileMark, startedAt.toISOString());
}

/** Makes the types of the typed client from the endpoints, where those have changed: compilers and editors need them. */
function generateTypes() {
  const types = path.join(root, 'shared/client/openapi-types.ts');
  const document = path.join(root, 'dist/openapi.json');
  const before = existsSync(types) && existsSync(document) ? readFileSync(document) : null;
  const printer = path.join(root, 'dist/api/openapi/print-document.js');
  const { status, stdout } = spawnSync(process.execPath, [printer], { maxBuffer: MAX_DOCUMENT_BYTES });
  if (status !== 0) throw new Error('the OpenAPI document cannot be made');
  if (before?.equals(stdout)) return;
  writeFileSync(document, stdout);
  const generator = path.join(root, 'node_modules/openapi-typescript/bin/cli.js');
  run(process.execPath, [generator, document, '--output', types]);
}

function newestMs(file) {
  const found = statSync(file);
  if (!found.isDirectory()) return found.mtimeMs;
  const inside = readdirSync(file, { withFileTypes: true }).filter(
    ({ name, parentPath }) => name !== 'fixtures' && !(parentPath ?? file).includes(`${path.sep}fixtures`),
  );
  return Math.max(found.mtimeMs, ...inside.map(({ name }) => newestMs(path.join(file, name))));
}

const cliBundle = path.join(root, 'dist/cli/modulectl.mjs');

function isCliBuilt() {
  const builtMs = statSync(cliBundle, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return newestMs(path.join(root, 'shared')) <= builtMs;
}

/** Bundles the command line if a source is newer than its bundle. */
function buildCli() {
  if (isCliBuilt()) return;
  say('building modulectl …');
  const config = path.join(root, 'shared/cli/vite.config.mjs');
  run(process.execPath, [path.join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', config]);
}

/** Installs and builds what is missing or outdated; exits the process if that fails. */
export function prepare({ compiled = false, cli = false, failureCode = 1 }) {
  if (isInstalled() && (!compiled || isCompiled()) && (!cli || isCliBuilt())) return;
  try {
    withLock(() => {
      install();
      if (compiled) compile();
      if (cli) buildCli();
    });
  } catch (error) {
    say(error.message);
    process.exit(failureCode);
  }
}
