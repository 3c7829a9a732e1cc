import net from 'node:net';
import { CENTRE } from './own-network.ts';

export interface ForwarderOptions {
  /** The address that it listens on; by default the one where hosts reach this process. */
  readonly address?: string;
  readonly port: number;
  /** The port of the part, on loopback; by default the same. */
  readonly targetPort?: number;
  /** The delay of sent bytes until they arrive at the part; answers are not delayed. */
  readonly delayMs?: number;
}

/** Forwards connections to a part that listens on loopback. */
export class Forwarder {
  #targetPort: number;
  readonly #delayMs: number;
  readonly #server: net.Server;
  readonly #open = new Set<net.Socket>();

  private constructor(targetPort: number, delayMs: number) {
    this.#targetPort = targetPort;
    this.#delayMs = delayMs;
    this.#server = net.createServer({ noDelay: true }, (client) => this.#pass(client));
  }

  static async open(options: ForwarderOptions): Promise<Forwarder> {
    const { address = CENTRE, port, targetPort = port, delayMs = 0 } = options;
    const forwarder = new Forwarder(targetPort, delayMs);
    await new Promise<void>((resolve) => forwarder.#server.listen(port, address, resolve));
    return forwarder;
  }

  /** Connects to another part from now on; open connections end. */
  redirect(targetPort: number): void {
    this.#targetPort = targetPort;
    for (const socket of this.#open) socket.destroy();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #pass(client: net.Socket): void {
    const part = net.connect({ port: this.#targetPort, host: '127.0.0.1', noDelay: true });
    const end = () => {
      client.destroy();
      part.destroy();
    };
    client.on('data', (bytes: Buffer) => {
      if (this.#delayMs === 0) part.write(bytes);
      else setTimeout(() => part.write(bytes), this.#delayMs);
    });
    part.on('data', (bytes: Buffer) => client.write(bytes));
    for (const socket of [client, part]) {
      this.#open.add(socket);
      socket.on('error', end).on('close', () => {
        this.#open.delete(socket);
        end();
      });
    }
  }
}
