import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

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
  const probe = async (port: number) => {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(port);
    else ready.delete(port);
  };
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
  await Promise.all(ports.map(probe));
  let isStopped = false;
  // One after the other: a late answer must not bring a process back that has said since that it stops.
  const probing = ports.map(async (port) => {
    while (!isStopped) {
      await setTimeout(PROBE_MS);
      await probe(port);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready,
    async stop() {
      isStopped = true;
      await Promise.all(probing);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
