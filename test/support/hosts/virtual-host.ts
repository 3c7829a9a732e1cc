import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { plugIn, run } from './own-network.ts';

const FIRST_ADDRESS = 10;

/** A network namespace with one address, which lives until it is stopped or this process ends. */
export class VirtualHost {
  readonly address: string;
  /** A prefix of the command of a program that is to run on this host. */
  readonly prefix: readonly string[];
  readonly #holder: ChildProcess;
  readonly #cable: string;

  private constructor(index: number, holder: ChildProcess) {
    this.address = `10.77.0.${FIRST_ADDRESS + index}`;
    this.prefix = ['nsenter', `--net=/proc/${holder.pid ?? 0}/ns/net`];
    this.#holder = holder;
    this.#cable = `host${index}`;
  }

  /** Makes the host of this number, which no other host has now. */
  static async start(index: number): Promise<VirtualHost> {
    const holder = spawn('unshare', ['--net', 'sh', '-c', 'echo ready && exec cat'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    const host = new VirtualHost(index, holder);
    plugIn(host.#cable, holder.pid ?? 0, host.address);
    return host;
  }

  /** Nothing reaches it and nothing leaves it, and no peer is notified. */
  cutOff(): void {
    run('ip', 'link', 'set', this.#cable, 'down');
  }

  bringBack(): void {
    run('ip', 'link', 'set', this.#cable, 'up');
  }

  async stop(): Promise<void> {
    run('ip', 'link', 'delete', this.#cable);
    const ended = once(this.#holder, 'exit');
    this.#holder.kill('SIGKILL');
    await ended;
  }
}
