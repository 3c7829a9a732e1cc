import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { NODE_OPTIONS } from '../../shared/process/node-options.ts';
import { secretIn } from './log-watch.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** A process of the service, compiled, as it runs in production. */
export interface ServiceProcess {
  /** Its report once it was ready. */
  readonly ready: { readonly listening?: number; readonly metricsPort?: number | null };
  readonly pid: number;
  /** Its log so far: one object a line. */
  log(): Record<string, unknown>[];
  /** How long its event loop stood still at the worst since the last call; only with `watchLoop`. */
  worstStall(): Promise<WorstStall>;
  /** Sends SIGTERM and waits for its end. @throws Error where its log contains a secret */
  stop(): Promise<void>;
}

/** The longest that an event loop stood still, and the memory of its process. */
export interface WorstStall {
  readonly worst: {
    readonly wallMs: number;
    /** Of the main thread: work of others on the machine does not count. */
    readonly processorMs: number;
  };
  readonly memoryMiB: number;
}

export interface ServiceProcessOptions {
  readonly watchLoop?: boolean;
  /** The heap of the main thread. */
  readonly maxHeapMiB?: number;
}

/** Compiles what has changed, as every command of package.json does. */
export async function compileService(): Promise<void> {
  const child = spawn(process.execPath, ['shared/local/run.mjs', 'catalogue', 'languages/en'], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  if (exitCode !== 0) throw new Error('the service does not compile');
}

/** Starts a process of the service with these settings alone. */
export async function startServiceProcess(
  name: 'api' | 'worker',
  environment: Readonly<Record<string, string>>,
  { watchLoop = false, maxHeapMiB }: ServiceProcessOptions = {},
): Promise<ServiceProcess> {
  const child = fork(path.join(ROOT, `dist/${name}/main.js`), {
    env: { PATH: process.env['PATH'], ...environment },
    execArgv: [
      ...NODE_OPTIONS,
      ...(watchLoop ? ['--import', path.join(import.meta.dirname, 'loop-watch.mjs')] : []),
      ...(maxHeapMiB === undefined ? [] : [`--max-old-space-size=${maxHeapMiB}`]),
    ],
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
    async worstStall() {
      const answered = once(child, 'message') as Promise<[WorstStall]>;
      child.send('worst stall');
      const [stall] = await Promise.race([answered, ended]);
      return stall;
    },
    async stop() {
      child.kill('SIGTERM');
      await closed;
      const secret = secretIn(output + errors);
      if (secret !== null) throw new Error(`the log contains a secret: ${secret}`);
    },
  };
}
