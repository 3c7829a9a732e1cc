import net, { type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy of a server that breaks connections on request, until the test ends. */
export interface BreakingProxy {
  readonly url: string;
  /** The next connections, this many, forward a request to the server, but no answer back. */
  breakNext(count: number): void;
  /** Breaks the open connections. */
  breakOpen(): void;
}

export async function openBreakingProxy(target: string): Promise<BreakingProxy> {
  const { port } = new URL(target);
  const sockets = new Set<Socket>();
  let toBreak = 0;
  const server = net.createServer((client) => {
    const onward = net.connect(Number(port), '127.0.0.1');
    for (const each of [client, onward]) {
      sockets.add(each);
      each.on('error', () => undefined);
    }
    client.on('close', () => onward.destroy());
    onward.on('close', () => client.destroy());
    client.pipe(onward);
    if (toBreak === 0) {
      onward.pipe(client);
      return;
    }
    toBreak -= 1;
    onward.once('data', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const breakOpen = () => {
    for (const each of sockets) each.destroy();
  };
  onTestFinished(() => {
    breakOpen();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakNext(count) {
      toBreak = count;
    },
    breakOpen,
  };
}
