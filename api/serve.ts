import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiContext } from './api-context.ts';
import { createApp } from './app.ts';
import { answerUnreadableRequests } from './unreadable-request.ts';

const HEADERS_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;

/** Listens; resolves with the server and its port. */
export async function serve(api: ApiContext): Promise<{ server: Server; port: number }> {
  const app = createApp(api);
  // No limit on a whole request: a large upload on a slow line may take hours. Its pace is watched instead.
  const server = createServer(
    { requestTimeout: 0, headersTimeout: HEADERS_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS },
    app,
  );
  // A client that asks before it sends (Expect: 100-continue) hears a refusal before the body is on its way.
  server.on('checkContinue', app);
  answerUnreadableRequests(server);
  const { host, port } = api.config.server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

/** Takes no more connections and waits for the running answers, at most so long. */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      resolve();
    }),
  );
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, timeoutMs);
  await closed;
  clearTimeout(timer);
}
