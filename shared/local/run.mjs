#!/usr/bin/env node
// The entry of every npm command. It works on a fresh clone: it uses nothing but Node itself until the
// dependencies are installed and the sources compiled.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../..');
const TARGETS = {
  start: ['dist/shared/local/start.js'],
  token: ['dist/shared/local/token.js'],
  catalogue: ['dist/shared/local/catalogue-command.js'],
  bench: ['dist/test/bench/main.js'],
  schemathesis: ['dist/test/schemathesis/main.js'],
  test: ['node_modules/vitest/vitest.mjs', 'run'],
};
const LOCK_STALE_MS = 10 * 60_000;

/** What is said goes to standard error: some commands print one thing on standard output and nothing else. */
function say(text) {
  process.stderr.write(`${text}\n`);
}

function run(command, args) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    say(`${command} ${args.join(' ')} failed`);
    process.exit(1);
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

/** `npm ci`, only when the lock file is another one than at the last install. */
function install() {
  const hash = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  const mark = path.join(root, 'node_modules', '.installed-lock-hash');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === hash) return;
  const installed = path.join(root, 'node_modules', '.package-lock.json');
  if (
    !existsSync(installed) ||
    statSync(installed).mtimeMs < statSync(path.join(root, 'package-lock.json')).mtimeMs
  ) {
    say('installing dependencies (npm ci) …');
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  }
  writeFileSync(mark, hash);
}

/** Compiles when a source is newer than the last compilation. */
function compile() {
  const mark = path.join(root, 'dist', '.compiled');
  const compiledMs = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ['tsconfig.json', 'api', 'worker', 'shared', 'test'].map((name) => path.join(root, name));
  if (!sources.some((source) => newestMs(source) > compiledMs)) return;
  const startedAt = new Date();
  say('compiling …');
  run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', root]);
  writeFileSync(mark, startedAt.toISOString());
}

function newestMs(file) {
  const found = statSync(file);
  if (!found.isDirectory()) return found.mtimeMs;
  const inside = readdirSync(file, { withFileTypes: true }).filter(
    ({ name, parentPath }) => name !== 'fixtures' && !(parentPath ?? file).includes(`${path.sep}fixtures`),
  );
  return Math.max(found.mtimeMs, ...inside.map(({ name }) => newestMs(path.join(file, name))));
}

const [target = '', ...args] = process.argv.slice(2);
if (!Object.hasOwn(TARGETS, target)) {
  say(`usage: node shared/local/run.mjs ${Object.keys(TARGETS).join(' | ')}`);
  process.exit(2);
}
withLock(() => {
  install();
  if (target !== 'test') compile();
});

// npm passes a signal to its whole group and again to this process: the child gets it once or twice, and heeds one.
const child = spawn(process.execPath, [...TARGETS[target], ...args], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
