import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { ApiContext } from '../context.ts';
import { createApp } from '../app.ts';
import { messageClasses } from './message-classes.ts';
import { answerUnreadableRequests } from './unreadable-request.ts';

/** How long clients may take, in milliseconds. */
export interface ClientTimes {
  /** For the headers of a request. */
  readonly headersMs: number;
  /** Between two requests of one connection. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction while a request runs. */
  readonly idleMs: number;
  /** How often the first of these is looked at. */
  readonly checkMs: number;
}

/** Beyond the longest silence that is ours: that of a request which waits for its import. */
const IDLE_BEYOND_WAIT_MS = 60_000;

function standardTimes({ config }: ApiContext): ClientTimes {
  const idleMs = config.imports.waitSeconds * 1_000 + IDLE_BEYOND_WAIT_MS;
  return { headersMs: 30_000, keepAliveMs: 65_000, idleMs, checkMs: 5_000 };
}

/** Listens; resolves with the server and its port. */
export async function serve(
  api: ApiContext,
  { headersMs, keepAliveMs, idleMs, checkMs }: ClientTimes = standardTimes(api),
): Promise<{ server: Server; port: number }> {
  const app = createApp(api);
  // No limit on a whole request: a large upload on a slow line may take hours. Its pace is watched instead.
  const server = createServer(
    {
      ...messageClasses(app),
      requestTimeout: 0,
      headersTimeout: headersMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkMs,
    },
    app,
  );
  // Nothing in either direction for so long: the client is stuck, or does not read what it asked for.
  server.setTimeout(idleMs);
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

/** The time that a stop takes, in milliseconds. */
export interface DrainTimes {
  /** Still serving, but not ready: so long whoever spreads the load needs to notice. */
  readonly leaveMs: number;
  /** For running requests to end. */
  readonly finishMs: number;
}

/** Of the time for running requests, what is kept for telling those that wait for imports. */
const TELL_MS = 1_000;
const CLOSE_IDLE_MS = 100;

/**
 * Turns readiness off, then refuses new requests and lets running ones end. Whoever still waits for an import near
 * the end of that time is told where to read it; what is left then is cut off.
 */
export async function drain(
  { server }: { readonly server: Server },
  api: ApiContext,
  { leaveMs, finishMs }: DrainTimes,
): Promise<void> {
  api.stop.leave();
  if (leaveMs > 0) await setTimeout(leaveMs);
  api.stop.refuse();
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      resolve();
    }),
  );
  // A connection that was busy at the beginning is idle later.
  const closing = setInterval(() => {
    server.closeIdleConnections();
  }, CLOSE_IDLE_MS);
  const timers = new AbortController();
  const after = async (timeMs: number, act: () => void) => {
    await setTimeout(timeMs, undefined, { signal: timers.signal }).then(act, () => undefined);
  };
  void after(Math.max(0, finishMs - TELL_MS), () => {
    api.waiter.giveUp();
  });
  void after(finishMs, () => {
    server.closeAllConnections();
  });
  await closed;
  clearInterval(closing);
  timers.abort();
}
