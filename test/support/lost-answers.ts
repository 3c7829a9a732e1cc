import net from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy of PostgreSQL that can lose the answer to a request that the server has carried out. */
export interface AnswerLosingProxy {
  /** The address of a database through the proxy. */
  through(databaseUrl: string): string;
  /** The next request with this text reaches the server; its answer does not arrive, and its connection breaks. */
  loseNext(text: string): void;
  /** Nothing more arrives on the connections that are open now, in neither direction, and they stay open. */
  silence(): void;
  /** The number of lost answers. */
  readonly lost: number;
}

/** Opens a proxy of the server of this address, until the test ends. */
export async function openAnswerLosingProxy(databaseUrl: string): Promise<AnswerLosingProxy> {
  const { port, hostname } = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  let armed: string | null = null;
  let lost = 0;
  let silenced = new AbortController();
  const server = net.createServer((client) => {
    const onward = net.connect(Number(port), hostname);
    const { signal } = silenced;
    let isLosing = false;
    for (const each of [client, onward]) {
      sockets.add(each);
      each.on('error', () => undefined);
    }
    client.on('close', () => onward.destroy());
    onward.on('close', () => client.destroy());
    client.on('data', (bytes) => {
      if (signal.aborted) return;
      if (armed !== null && bytes.toString('latin1').toLowerCase().includes(armed)) {
        armed = null;
        isLosing = true;
      }
      onward.write(bytes);
    });
    onward.on('data', (bytes) => {
      if (signal.aborted) return;
      if (!isLosing) {
        client.write(bytes);
        return;
      }
      // The server answers a request when it has carried it out.
      lost += 1;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  const address = server.address();
  return {
    through(url) {
      const changed = new URL(url);
      changed.host = `127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
      return changed.href;
    },
    loseNext(text) {
      armed = text.toLowerCase();
    },
    silence() {
      silenced.abort();
      silenced = new AbortController();
    },
    get lost() {
      return lost;
    },
  };
}
