// Makes a fresh clone ready: it uses nothing but Node itself until the dependencies are installed and the
// sources compiled.
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

/** What is said goes to standard error: some commands print one thing on standard output and nothing else. */
export function say(text) {
  process.stderr.write(`${text}\n`);
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

/** Two commands at once must not install or compile into each other. */
function withLock(act) {
  const lock = path.join(root, '.run-lock');
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > LOCK_STALE_MS || !holderIsAlive(lock)) rmSync(lock, { recursive: true, force: true });
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

function holderIsAlive(lock) {
  const file = path.join(lock, 'pid');
  // A lock without its holder's ID was made this very moment, or its holder was killed in that moment.
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

/** `npm ci`, only when the lock file is another one than at the last install. */
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

/** Compiles when a source is newer than the last compilation; types are checked by `npm run check`. */
function compile() {
  if (isCompiled()) return;
  const startedAt = new Date();
  say('compiling …');
  run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', root, '--noCheck']);
  const portal = path.join(root, 'api/portal/vite.config.mjs');
  run(process.execPath, [path.join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', portal]);
  writeFileSync(compileMark, startedAt.toISOString());
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
  const sources = ['cli', 'client', 'package', 'catalogue'].map((name) => path.join(root, 'shared', name));
  return !sources.some((source) => newestMs(source) > builtMs);
}

/** Bundles the command line when a source is newer than its bundle. */
function buildCli() {
  if (isCliBuilt()) return;
  say('building modulectl …');
  const config = path.join(root, 'shared/cli/vite.config.mjs');
  run(process.execPath, [path.join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', config]);
}

/** Installs and builds what is missing, without a wait where nothing is; ends the process where that fails. */
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
