import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { printTable } from '../lab/bench/measure.ts';
import { S3_STORES, type S3Store } from '../support/s3-stores.ts';

/** Runs a command to its end; its output is that of this process. */
async function run(
  [program = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<number | null> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...variables } });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return exitCode;
}

async function install(store: S3Store): Promise<void> {
  if (store.isInstalled()) return;
  for (const command of store.install) {
    console.log(command.join(' '));
    if ((await run(command)) !== 0) throw new Error(`${store.name} cannot be installed`);
  }
}

/**
 * `npm run test:stores -- [NAME...] [--OPTION...]`: installs S3 servers and runs with each what depends on the store; the
 * options are those of vitest.
 */
const options = process.argv.slice(2).filter((each) => each.startsWith('--'));
const wanted = process.argv.slice(2).filter((each) => !options.includes(each));
const results: string[][] = [];
for (const store of S3_STORES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const startedMs = performance.now();
  await install(store);
  const tests = ['node_modules/vitest/vitest.mjs', 'run', '--project', `store: ${store.name}`, ...options];
  const exitCode = await run([process.execPath, ...tests], { TEST_STORE: store.name });
  if (exitCode !== 0) process.exitCode = 1;
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  results.push([store.name, exitCode === 0 ? 'passed' : 'failed', seconds]);
}
if (results.length === 0) throw new Error(`stores: ${S3_STORES.map(({ name }) => name).join(', ')}`);
printTable([['store', 'tests', 'seconds'], ...results]);
