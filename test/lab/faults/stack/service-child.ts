import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** The compiled service of this version. */
export const DIST = path.resolve(import.meta.dirname, '../../../..');
/** As `npm start` and every orchestrator does: a process that died is restarted. */
const RESTART_MS = 200;

/** How a process of the service is run. */
export interface ServiceSettings {
  readonly name: 'api' | 'worker';
  readonly logFile: string;
  /** The compiled service that it is part of. */
  readonly dist: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A prefix of the command, such as one that enters a namespace. */
  readonly prefix?: readonly string[];
}

/** A process of the service, compiled, that is restarted whenever it dies. */
export class ServiceChild {
  readonly #settings: ServiceSettings;
  readonly #log: number;
  #child: ChildProcess | null = null;
  #up: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(settings: ServiceSettings) {
    this.#settings = settings;
    this.#log = openSync(settings.logFile, 'a', 0o600);
  }

  /** Resolves when it serves requests. */
  async start(): Promise<void> {
    this.#spawn();
    await this.#up;
  }

  /** Kills it as a lost machine would; resolves when the next one serves requests. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await setTimeout(RESTART_MS);
    await this.#up;
  }

  /** Stops it as a frozen machine would: it keeps its connections, and answers nothing. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  /** Continues it where it was stopped. */
  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Ends it by SIGTERM, permanently. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  #spawn(): void {
    const { name, dist, environment, prefix = [] } = this.#settings;
    const [program, ...args] = [...prefix, process.execPath, path.join(dist, name, 'main.js')];
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', this.#log, this.#log, 'ipc'],
    });
    this.#child = child;
    const restarted = once(child, 'exit').then(async () => {
      await setTimeout(RESTART_MS);
      if (this.#isStopping) return;
      this.#spawn();
      await this.#up;
    });
    // A start that a fault prevents is retried: the process is up after the first start that succeeds.
    this.#up = Promise.race([once(child, 'message').then(() => undefined), restarted]);
  }
}
