import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { BRIDGE, CENTRE, holdNetwork, inNetworkOf, plugIn, run } from './own-network.ts';

const FIRST_ADDRESS = 10;
/** No host has it: packets sent to it are lost, and their sender does not notice. */
const NO_HOST = '02:00:00:00:00:fe';

/** The direction of a host's packets: sent to it, or by it. */
export type Direction = 'incoming' | 'outgoing';

/** A network namespace with one address, which lives until it is stopped or this process ends. */
export class VirtualHost {
  readonly address: string;
  /** A prefix of the command of a program that is to run on this host. */
  readonly prefix: readonly string[];
  readonly #holder: ChildProcess;
  readonly #cable: string;

  private constructor(index: number, holder: ChildProcess) {
    this.address = `10.77.0.${FIRST_ADDRESS + index}`;
    this.prefix = inNetworkOf(holder);
    this.#holder = holder;
    this.#cable = `host${index}`;
  }

  /** Makes the host of this number, which no other host has now. */
  static async start(index: number): Promise<VirtualHost> {
    const holder = await holdNetwork();
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

  /** Packets in one direction are lost; those in the other arrive. */
  losePackets(direction: Direction): void {
    this.#neighbour(direction, 'replace', 'lladdr', NO_HOST, 'nud', 'permanent');
  }

  deliverPackets(direction: Direction): void {
    this.#neighbour(direction, 'delete');
  }

  async stop(): Promise<void> {
    run('ip', 'link', 'delete', this.#cable);
    const ended = once(this.#holder, 'exit');
    this.#holder.kill('SIGKILL');
    await ended;
  }

  /** Changes the hardware address to which the packets of a direction are sent. */
  #neighbour(direction: Direction, verb: string, ...settings: readonly string[]): void {
    if (direction === 'incoming') {
      run('ip', 'neighbour', verb, this.address, 'dev', BRIDGE, ...settings);
      return;
    }
    const [program = '', ...args] = this.prefix;
    run(program, ...args, 'ip', 'neighbour', verb, CENTRE, 'dev', 'eth0', ...settings);
  }
}
