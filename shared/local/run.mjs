#!/usr/bin/env node
// The entry point of every npm command; it works on a fresh clone.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { nodeAdvice, prepare, root, say } from './prepare.mjs';

/** USER_HZ, whatever the kernel. */
const TICKS_PER_SECOND = 100;

const testsOf = (...projects) => [
  ...['node_modules/vitest/vitest.mjs', 'run'],
  ...projects.flatMap((name) => ['--project', name]),
];
const TARGETS = {
  start: ['dist/shared/local/start.js'],
  dev: ['dist/shared/local/start.js', '--watch'],
  api: ['dist/api/main.js'],
  worker: ['dist/worker/main.js'],
  doctor: ['dist/api/doctor/doctor-command.js'],
  migrate: ['dist/shared/db/migrate-command.js'],
  collect: ['dist/worker/collect-command.js'],
  purge: ['dist/worker/purge-command.js'],
  reconcile: ['dist/worker/reconcile-command.js'],
  reencrypt: ['dist/worker/reencrypt-command.js'],
  token: ['dist/shared/local/token.js'],
  catalogue: ['dist/shared/local/catalogue-command.js'],
  bench: ['dist/test/lab/bench/main.js'],
  schemathesis: ['dist/test/schemathesis/main.js'],
  clients: ['dist/test/clients/main.js'],
  stores: ['dist/test/stores/main.js'],
  keycloak: ['dist/test/providers/main.js'],
  faults: ['dist/test/lab/faults/main.js'],
  // The two circles of CONTRIBUTING.md.
  test: testsOf('inner'),
  'test-outer': testsOf('outer', 'browser', 'deployment', 'Redis and S3', 'simulation'),
  // Preparing makes the types.
  generate: ['--eval', ''],
};

/** `npm run dev` compiles changed sources; the local stack restarts on compiled files. */
const COMPILERS = [
  ['node_modules/typescript-7/bin/tsc', '-p', '.', '--watch', '--preserveWatchOutput'],
  ['node_modules/vite/bin/vite.js', 'build', '--watch', '--config', 'api/portal/vite.config.mjs'],
];

const [target = '', ...args] = process.argv.slice(2);
if (!Object.hasOwn(TARGETS, target)) {
  say(`usage: node shared/local/run.mjs ${Object.keys(TARGETS).join(' | ')}`);
  process.exit(2);
}
const isTest = target.startsWith('test');
const advice = nodeAdvice(process.versions.node);
if (advice !== null && (isTest || target === 'start' || target === 'dev')) say(advice);
// The API serves modulectl.
prepare({ compiled: !isTest, cli: target === 'start' || target === 'dev' });
const before = { ms: Date.now(), processorSeconds: processorSeconds() };

// npm passes a signal to its whole group and again to this process: the child receives it once or twice and handles one.
const isBesideStack = ['doctor', 'api', 'worker'].includes(target);
const env = isBesideStack ? await environmentBesideStack() : null;
const run = (command) =>
  spawn(process.execPath, command, { cwd: root, stdio: 'inherit', ...(env !== null && { env }) });
const child = run([...TARGETS[target], ...args]);
const compilers = target === 'dev' ? COMPILERS.map(run) : [];
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  for (const each of compilers) each.kill();
  if (isTest) sayTimes();
  process.exit(signal === null ? (code ?? 1) : 1);
});

/** The doctor tries the parts of a stack that runs here; one more API or worker uses them, at free ports. */
async function environmentBesideStack() {
  const stack = await import('../../dist/shared/local/running-stack.js');
  const environment = await stack.environmentBesideStack();
  return environment && { PORT: '0', APPS_PORT: '0', ...environment };
}

/** Prints the time of the run, so that slowing it down is noticed. */
function sayTimes() {
  const wall = (Date.now() - before.ms) / 1_000;
  const processor = processorSeconds() - before.processorSeconds;
  const known = Number.isNaN(processor) ? '' : `, processor time ${processor.toFixed(0)} s`;
  say(`wall time ${wall.toFixed(0)} s${known}`);
}

/** The processor time of all child processes that have ended; Linux only: proc_pid_stat(5), cutime and cstime. */
function processorSeconds() {
  if (process.platform !== 'linux') return Number.NaN;
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(13, 15).map(Number);
  return (user + system) / TICKS_PER_SECOND;
}
