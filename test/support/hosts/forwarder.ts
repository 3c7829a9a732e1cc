import net from 'node:net';
import { CENTRE } from './own-network.ts';

/** Passes connections from hosts on to a part that listens on loopback, at the same port. */
export class Forwarder {
  readonly #port: number;
  readonly #delayMs: number;
  readonly #server: net.Server;
  readonly #open = new Set<net.Socket>();

  private constructor(port: number, delayMs: number) {
    this.#port = port;
    this.#delayMs = delayMs;
    this.#server = net.createServer({ noDelay: true }, (client) => {
      this.#pass(client);
    });
  }

  /** @param delayMs how much later than sent bytes arrive at the part; answers are not delayed */
  static async open(port: number, delayMs: number): Promise<Forwarder> {
    const forwarder = new Forwarder(port, delayMs);
    await new Promise<void>((resolve) => forwarder.#server.listen(port, CENTRE, resolve));
    return forwarder;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #pass(client: net.Socket): void {
    const part = net.connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
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
