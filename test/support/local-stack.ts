import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Tests and compiled programs run in the root. */
const ROOT = process.cwd();

/** `npm start` on a data directory of its own, as real processes. */
export interface LocalStack {
  readonly url: string;
  readonly token: string;
  /** The vendor that the token belongs to. */
  readonly organizationId: string;
  readonly example: string;
  readonly output: string;
  readonly supervisor: ChildProcess;
  /** Process IDs that the logs name, newest last. */
  pids(name: 'api' | 'worker'): Promise<number[]>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Runs a command of package.json's to its end. */
export async function runCommand(
  args: readonly string[],
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ exitCode: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, ['shared/local/run.mjs', ...args], {
    cwd: ROOT,
    env: { ...environment(dataDir), ...settings },
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { exitCode, output, errors };
}

function environment(dataDir: string): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, DATA_DIR: dataDir };
}

export async function startLocalStack(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<LocalStack> {
  const supervisor = spawn(process.execPath, ['shared/local/run.mjs', 'start'], {
    cwd: ROOT,
    env: { ...environment(dataDir), ...settings },
  });
  let output = '';
  let errors = '';
  supervisor.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  const exited = new Promise<number | null>((resolve) => supervisor.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    supervisor.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      if (/^curl .*\n/m.test(output)) resolve();
    });
    void exited.then(() => reject(new Error(`npm start ended: ${errors}`)));
  });
  return {
    url: /^ready (http:\S+)$/m.exec(output)?.[1] ?? '',
    token: /^TOKEN=(\S+)$/m.exec(output)?.[1] ?? '',
    organizationId: /v8\.0\/([0-9a-f-]{36})\/ImportModuleAsync/.exec(output)?.[1] ?? '',
    example: path.resolve(ROOT, /file=@(\S+)/.exec(output)?.[1] ?? ''),
    output,
    supervisor,
    async pids(name) {
      const log = await readFile(path.join(dataDir, 'logs', `${name}.log`), 'utf8');
      const lines = log.split('\n').filter((line) => /worker accepts jobs|api listens/.test(line));
      return lines.map((line) => (JSON.parse(line) as { pid: number }).pid);
    },
    async stop() {
      supervisor.kill('SIGTERM');
      return exited;
    },
  };
}
