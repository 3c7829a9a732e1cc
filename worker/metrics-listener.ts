import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../shared/config/config.ts';
import { mayReadMetrics } from '../shared/telemetry/metrics-reader.ts';
import type { ProcessMetrics } from '../shared/telemetry/process-metrics.ts';

/** The one address that a worker listens on. */
export interface MetricsListener {
  /** Null where the worker serves no metrics. */
  readonly port: number | null;
  close(): Promise<void>;
}

/** Serves a worker's metrics at `/metrics` on a port of its own, where one is set. */
export async function listenForMetrics(
  config: Config['metrics'],
  metrics: ProcessMetrics,
): Promise<MetricsListener> {
  const { workerPort, workerHost } = config;
  if (workerPort === null) return { port: null, close: () => Promise.resolve() };
  const server = createServer((request, response) => {
    answer(config, metrics, request, response).catch(() => {
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(workerPort, workerHost, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  { token }: Config['metrics'],
  metrics: ProcessMetrics,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reject = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers }).end(`${text}\n`);
  if (request.url?.split('?', 1)[0] !== '/metrics') {
    reject(404, 'Only /metrics is served here.');
  } else if (request.method !== 'GET') {
    reject(405, 'Only GET is allowed here.', { Allow: 'GET' });
  } else if (!mayReadMetrics(request, token)) {
    if (token === null)
      reject(403, 'Only this machine may read metrics; METRICS_TOKEN grants access to others.');
    else
      reject(401, 'The request needs the header Authorization: Bearer with METRICS_TOKEN.', {
        'WWW-Authenticate': 'Bearer',
      });
  } else {
    const text = await metrics.text();
    response.writeHead(200, { 'Content-Type': metrics.registry.contentType, 'Cache-Control': 'no-store' });
    response.end(text);
  }
}
