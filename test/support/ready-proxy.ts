import http from 'node:http';
import type { AddressInfo } from 'node:net';

const PROBE_MS = 100;

/** Spreads requests over processes in turn, as long as each reports that it is ready. */
export interface ReadyProxy {
  readonly url: string;
  /** Ports of the processes that receive requests now. */
  readonly ready: ReadonlySet<number>;
  stop(): Promise<void>;
}

/** Starts a minimal load balancer: it polls `/readyz`, and retries nothing. */
export async function startReadyProxy(ports: readonly number[]): Promise<ReadyProxy> {
  const ready = new Set<number>();
  let turn = 0;
  const probe = async () => {
    await Promise.all(
      ports.map(async (port) => {
        const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (isReady) ready.add(port);
        else ready.delete(port);
      }),
    );
  };
  const timer = setInterval(() => void probe(), PROBE_MS);
  const server = http.createServer((request, response) => {
    turn += 1;
    const port = [...ready][turn % ready.size];
    const { method, url, headers } = request;
    const onward = http.request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      // A connection belongs to one hop (RFC 9110, 7.6.1).
      delete answer.headers.connection;
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', (error) => {
      response.writeHead(502).end(error.message);
    });
    request.pipe(onward);
  });
  await probe();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready,
    async stop() {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
