import net from 'node:net';

/** A point at which a process is to be killed: before a request with this text arrives or after it is answered. */
export interface Boundary {
  readonly text: string;
  readonly when: 'before' | 'after';
}

/** The end of a statement in the protocol of PostgreSQL (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);

/** Forwards connections of one process, and stops it at a boundary that shows in what it sends. */
export class WireProxy {
  readonly #server: net.Server;
  readonly #target: number;
  #armed: { readonly boundary: Boundary; readonly hit: () => void } | null = null;

  private constructor(target: number) {
    this.#target = target;
    this.#server = net.createServer((client) => this.#pass(client));
  }

  static async open(targetPort: number): Promise<WireProxy> {
    const proxy = new WireProxy(targetPort);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Calls `hit` once when the boundary is reached; what would cross it is not forwarded. */
  arm(boundary: Boundary, hit: () => void): void {
    this.#armed = { boundary, hit };
  }

  disarm(): void {
    this.#armed = null;
  }

  close(): void {
    this.#server.close();
  }

  #pass(client: net.Socket): void {
    const server = net.connect(this.#target, '127.0.0.1');
    const end = () => {
      client.destroy();
      server.destroy();
    };
    const reach = (hit: () => void) => {
      this.#armed = null;
      hit();
      end();
    };
    let answered: (() => void) | null = null;
    client.on('data', (bytes: Buffer) => {
      const armed = this.#armed;
      if (armed !== null && answered === null && bytes.includes(armed.boundary.text)) {
        if (armed.boundary.when === 'before') {
          // A statement that came with the request, and before it, is carried out.
          const ended = bytes.lastIndexOf(SYNC, bytes.indexOf(armed.boundary.text));
          if (ended < 0) reach(armed.hit);
          else server.write(bytes.subarray(0, ended + SYNC.length), () => reach(armed.hit));
          return;
        }
        this.#armed = null;
        answered = armed.hit;
      }
      server.write(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      if (answered !== null) reach(answered);
      else client.write(bytes);
    });
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
  }
}
