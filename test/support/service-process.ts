import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { prepare } from '../../shared/local/prepare.mjs';
import { NODE_OPTIONS } from '../../shared/process/node-options.ts';
import { secretIn } from './log-watch.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** A process of the service, compiled, as it runs in production. */
export interface ServiceProcess {
  /** Its report once it was ready. */
  readonly ready: { readonly listening?: number; readonly adminPort?: number | null };
  readonly pid: number;
  /** Its log so far: one object a line. */
  log(): Record<string, unknown>[];
  /** Sends SIGTERM and waits for its end. @throws Error where its log contains a secret */
  stop(): Promise<void>;
}

/** Compiles what has changed, as every command of package.json does. */
export function compileService(): void {
  prepare({ compiled: true });
}

/** Starts a process of the service with these settings alone, behind a prefix of its command. */
export async function startServiceProcess(
  name: 'api' | 'worker',
  environment: Readonly<Record<string, string>>,
  prefix: readonly string[] = [],
): Promise<ServiceProcess> {
  const [execPath = process.execPath, ...execArgv] = [...prefix, process.execPath, ...NODE_OPTIONS];
  const child = fork(path.join(ROOT, `dist/${name}/main.js`), {
    env: { PATH: process.env['PATH'], ...environment },
    execPath,
    execArgv,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  let errors = '';
  child.stdout?.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stderr?.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  const closed = once(child, 'close');
  const ended = closed.then(() => Promise.reject(new Error(`the ${name} process has ended: ${errors}`)));
  ended.catch(() => undefined);
  const [ready] = (await Promise.race([once(child, 'message'), ended])) as [ServiceProcess['ready']];
  return {
    ready,
    pid: child.pid ?? 0,
    log: () =>
      output
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    async stop() {
      child.kill('SIGTERM');
      await closed;
      const secret = secretIn(output + errors);
      if (secret !== null) throw new Error(`the log contains a secret: ${secret}`);
    },
  };
}
