import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { readEnvironment, type Variables } from '../../shared/cli/settings.ts';
import { runModulectl } from '../../shared/cli/main.ts';
import { prepare } from '../../shared/local/prepare.mjs';

/** The output of a run of `modulectl`, and its exit code. */
export interface CliRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const PROGRAM = path.resolve(import.meta.dirname, '../../shared/local/modulectl.mjs');

/** Folders of configuration and cache other than those of the user who runs the tests. */
function ownFolders(scratch: string): Variables {
  return { XDG_CONFIG_HOME: path.join(scratch, 'config'), XDG_CACHE_HOME: path.join(scratch, 'cache') };
}

/** Runs the real program in a process of its own. */
export async function spawnModulectl(
  args: readonly string[],
  options: { readonly scratch: string; readonly cwd?: string; readonly variables?: Variables },
): Promise<CliRun> {
  const { scratch, cwd = scratch, variables = {} } = options;
  const env = { PATH: process.env['PATH'], HOME: scratch, ...ownFolders(scratch), ...variables };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], { cwd, env }, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** A real program that runs until it is stopped, and what it has output so far. */
export interface RunningModulectl {
  stdout(): string;
  stderr(): string;
  /** Ends it by a signal. @returns its exit code; null: it did not handle the signal */
  end(signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM'): Promise<number | null>;
  stop(): Promise<void>;
}

/** Starts the real program in a process of its own. */
export function startModulectl(
  args: readonly string[],
  { scratch, variables = {} }: { readonly scratch: string; readonly variables?: Variables },
): RunningModulectl {
  const env = { PATH: process.env['PATH'], HOME: scratch, ...ownFolders(scratch), ...variables };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: scratch, env });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => (output.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (output.stderr += bytes.toString()));
  const ended = once(child, 'close');
  const end: RunningModulectl['end'] = async (signal) => {
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  return {
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    end,
    async stop() {
      await end('SIGINT');
    },
  };
}

/** Has the program built, which it reports on standard error, before tests read that. */
export function buildModulectl(): void {
  prepare({ cli: true });
}

/**
 * Runs the same program in this process, which takes a tenth of the time. With `cwd`, it runs in that folder; one such
 * run at a time.
 */
export async function runHere(
  args: readonly string[],
  options: {
    readonly scratch: string;
    readonly cwd?: string;
    readonly variables?: Variables;
    readonly isTTY?: boolean;
    /** The typed input, with `isTTY`. */
    readonly typed?: string;
    /** Receives what is written to standard error, while the program runs. */
    readonly onMessage?: (text: string) => void;
  },
): Promise<CliRun> {
  const output = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof output) => ({
    isTTY: options.isTTY ?? false,
    write: (text: string) => {
      output[name] += text;
      if (name === 'stderr') options.onMessage?.(text);
    },
  });
  const stdin = Object.assign(Readable.from([options.typed ?? '']), { isTTY: options.isTTY ?? false });
  const environment = readEnvironment({ ...ownFolders(options.scratch), ...options.variables });
  const before = process.cwd();
  if (options.cwd !== undefined) process.chdir(options.cwd);
  try {
    const streams = { stdin, stdout: stream('stdout'), stderr: stream('stderr') };
    const exitCode = await runModulectl(args, { ...streams, environment });
    return { exitCode, ...output };
  } finally {
    process.chdir(before);
  }
}
