import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const SLOW_MS = 30_000;

/** Two servers that webhooks call: one answers at once, the other after 30 seconds. */
export interface Receivers {
  readonly quickUrl: string;
  readonly slowUrl: string;
  /** When the first call of each change arrived, by the number that the change bears as its revision. */
  readonly arrivals: ReadonlyMap<number, number>;
  /** Of the newest change. */
  nextNumber: number;
  close(): void;
}

/** Starts the servers on this machine. */
export async function openReceivers(): Promise<Receivers> {
  const arrivals = new Map<number, number>();
  const open = async (answerMs: number) => {
    const server = createServer((request, response) => {
      const arrivedMs = performance.now();
      void text(request).then((body) => {
        const { data } = JSON.parse(body) as { data: { revision: number } };
        if (!arrivals.has(data.revision)) arrivals.set(data.revision, arrivedMs);
        setTimeout(() => response.writeHead(204).end(), answerMs).unref();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const servers = [await open(0), await open(SLOW_MS)] as const;
  const [quickUrl, slowUrl] = servers.map(
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
  );
  return {
    quickUrl: quickUrl ?? '',
    slowUrl: slowUrl ?? '',
    arrivals,
    nextNumber: 0,
    close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
