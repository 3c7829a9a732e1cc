import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, renameSync, statSync, type WriteStream } from 'node:fs';
import { NODE_OPTIONS } from '../process/node-options.ts';
import { maxStopMs, type ProcessMessage } from '../process/run-process.ts';

const MAX_LOG_BYTES = 20 * 1024 * 1024;
const RESTART_MS = 200;
const SLOW_RESTART_MS = 5_000;
/** A process that exits earlier than this is restarted after a longer delay: it would probably exit again. */
const SHORT_LIFE_MS = 2_000;
/** A process ends itself before; only one that hangs is killed. */
const KILL_AFTER_MS = 1_000;
const SHOWN_LINES = 20;

/** A child process that is restarted when it exits, and whose output goes to a log file. */
export class SupervisedProcess {
  readonly #script: string;
  readonly #environment: () => Record<string, string | undefined>;
  readonly #log: WriteStream;
  #child: ChildProcess | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isStopping = false;

  /** `environment` is that of the next start: the port is known only after the first. */
  constructor(script: string, logFile: string, environment: () => Record<string, string | undefined>) {
    this.#script = script;
    this.#environment = environment;
    rotate(logFile);
    this.#log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  }

  /** Starts it; resolves with its first message. @throws Error with its output if it exits before. */
  async start(): Promise<ProcessMessage> {
    const child = this.#spawn();
    return new Promise((resolve, reject) => {
      let output = '';
      child.stderr?.on('data', (bytes: Buffer) => (output += bytes.toString()));
      child.once('message', (message) => {
        child.removeAllListeners('exit');
        this.#watch(child);
        resolve(message as ProcessMessage);
      });
      child.once('exit', () => reject(new Error(output.trim().split('\n').slice(0, SHOWN_LINES).join('\n'))));
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.restart();
  }

  /** Stops the process, which is then restarted as after any exit. */
  async restart(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), maxStopMs() + KILL_AFTER_MS);
    await exited;
    clearTimeout(timer);
  }

  #spawn(): ChildProcess {
    const child = fork(this.#script, {
      env: this.#environment(),
      execArgv: [...NODE_OPTIONS],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child.stdout?.pipe(this.#log, { end: false });
    child.stderr?.pipe(this.#log, { end: false });
    this.#child = child;
    return child;
  }

  #watch(child: ChildProcess): void {
    const startedMs = Date.now();
    child.once('exit', () => {
      const delayMs = Date.now() - startedMs < SHORT_LIFE_MS ? SLOW_RESTART_MS : RESTART_MS;
      // A signal to the whole group may reach the child first: the delay lets it reach this process, too.
      this.#timer = setTimeout(() => {
        if (!this.#isStopping) this.#watch(this.#spawn());
      }, delayMs);
    });
  }
}

/** Renames a large log when a new process starts to write. */
function rotate(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined && found.size > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
}
