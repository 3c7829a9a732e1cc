import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

/** The programs of PostgreSQL that the local stack starts. */
const POSTGRES =
  /\/native\/bin\/(?:initdb|postgres)$|\/programs\/postgres-[\w.-]+\/bin\/(?:initdb|postgres)$/;

/** The inner circle needs Node alone: a test that starts another program belongs in the outer circle. */
function requireNode(program: unknown): void {
  if (program === process.execPath || (typeof program === 'string' && POSTGRES.test(program))) return;
  const name = typeof program === 'string' ? path.basename(program) : String(program);
  throw new Error(`a test in test/unit/ or test/integration/ must not start ${name}: see CONTRIBUTING.md`);
}

type Start = (...args: never[]) => unknown;

function guarded(start: Start): Start {
  const checked = (...args: never[]) => {
    requireNode(args[0]);
    return start(...args);
  };
  const promised: unknown = Reflect.get(start, promisify.custom);
  if (typeof promised !== 'function') return checked;
  return Object.assign(checked, { [promisify.custom]: guarded(promised as Start) });
}

// `fork` always starts Node. `exec` and `execSync` start a shell.
const STARTS = ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync'] as const;
const DONE = Symbol.for('node alone');

// A worker runs this file before each of its test files.
if (!Reflect.has(childProcess, DONE)) {
  for (const name of STARTS) Object.assign(childProcess, { [name]: guarded(childProcess[name]) });
  Object.assign(childProcess, { [DONE]: true });
  syncBuiltinESMExports();
}
