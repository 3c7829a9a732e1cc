import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../shared/config/config.ts';
import { mayReadMetrics } from '../shared/telemetry/metrics-reader.ts';
import type { ProcessMetrics } from '../shared/telemetry/process-metrics.ts';

/** The one address that a worker listens on. */
export interface AdminListener {
  /** Null where ADMIN_PORT is not set. */
  readonly port: number | null;
  close(): Promise<void>;
}

/** Serves the probes and the metrics of a worker at `ADMIN_PORT`, where it is set. */
export async function listenForAdmin(
  config: Pick<Config, 'server' | 'metrics'>,
  metrics: ProcessMetrics,
  isReady: () => boolean,
): Promise<AdminListener> {
  const { adminPort, host } = config.server;
  if (adminPort === null) return { port: null, close: () => Promise.resolve() };
  const server = createServer((request, response) => {
    answer(config, metrics, isReady, request, response).catch(() => {
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(adminPort, host, resolve);
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

const PATHS: readonly string[] = ['/livez', '/readyz', '/metrics'];

async function answer(
  { metrics: { token } }: Pick<Config, 'metrics'>,
  metrics: ProcessMetrics,
  isReady: () => boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reject = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers }).end(`${text}\n`);
  const path = request.url?.split('?', 1)[0] ?? '';
  if (!PATHS.includes(path)) {
    reject(404, `Only ${PATHS.join(', ')} are served here.`);
  } else if (request.method !== 'GET') {
    reject(405, 'Only GET is allowed here.', { Allow: 'GET' });
  } else if (path !== '/metrics') {
    const isGood = path === '/livez' || isReady();
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
    response
      .writeHead(isGood ? 200 : 503, headers)
      .end(JSON.stringify({ status: isGood ? 'ok' : 'unavailable' }));
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
