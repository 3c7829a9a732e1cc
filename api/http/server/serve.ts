import { createServer, maxHeaderSize, type Server, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Express, Request, Response } from 'express';
import type { ApiContext } from '../../context.ts';
import { createAdminApp, createApp } from '../../app.ts';
import { createApplicationApp } from '../../applications/application-app.ts';
import { LOCAL_ORIGINS } from '../../applications/application-origins.ts';
import type { Log } from '../../../shared/telemetry/log.ts';
import { networkProblem } from '../../../shared/process/network-problem.ts';
import { randomBytes } from 'node:crypto';
import { REQUEST_PROBLEMS } from '../request-problem-codes.ts';

/** Timeouts for clients, in milliseconds. */
export interface ClientTimes {
  /** For the headers of a request. */
  readonly headersMs: number;
  /** Between two requests of one connection. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction during a request. */
  readonly idleMs: number;
  /** How often the first of these is checked. */
  readonly checkMs: number;
}

/** Added to the longest silence that the server causes: a request that waits for its import. */
const IDLE_BEYOND_WAIT_MS = 60_000;

/** The times of a process. */
export function standardTimes({ config }: Pick<ApiContext, 'config'>): ClientTimes {
  const idleMs = config.imports.waitSeconds * 1_000 + IDLE_BEYOND_WAIT_MS;
  return { headersMs: 30_000, keepAliveMs: 65_000, idleMs, checkMs: 5_000 };
}

/** The servers of a process. */
export interface Serving {
  /** For the API and the portal. */
  readonly port: number;
  /** For the applications of modules, with their origins for browsers; null: they are not served. */
  readonly applications: { readonly port: number; readonly origins: string } | null;
  /** For probes and metrics; null: they are at `port`. */
  readonly adminPort: number | null;
  readonly servers: readonly Listening[];
}

/** A server that listens, and its connections. */
interface Listening {
  readonly server: Server;
  readonly port: number;
  readonly connections: ReadonlySet<Socket>;
}

/** Listens: the API with the portal, and the applications at origins of their own if these are configured. */
export async function serve(api: ApiContext, times: ClientTimes = standardTimes(api)): Promise<Serving> {
  const { port, host, adminPort } = api.config.server;
  const applications = await serveApplications(api, times);
  // The picked port is known only now. The context stays one object, because others already refer to it.
  const app = createApp(Object.assign(api, { applicationOrigins: applications?.origins ?? null }));
  const listening = await listen(app, api.log, { port, host, setting: 'PORT' }, times);
  const admin =
    adminPort === null
      ? null
      : await listen(createAdminApp(api), api.log, { port: adminPort, host, setting: 'ADMIN_PORT' }, times);
  const servers = [listening, applications, admin].filter((each) => each !== null);
  return { port: listening.port, applications, adminPort: admin?.port ?? null, servers };
}

async function serveApplications(api: ApiContext, times: ClientTimes) {
  const { applications, server } = api.config;
  if (applications.port === null) return null;
  const app = createApplicationApp(api);
  const listening = await listen(
    app,
    api.log,
    { port: applications.port, host: server.host, setting: 'APPS_PORT' },
    times,
  );
  return { ...listening, origins: applications.origins ?? `${LOCAL_ORIGINS}:${listening.port}` };
}

function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function listen(
  app: Express,
  log: Log,
  { port, host, setting }: { readonly port: number; readonly host: string; readonly setting: string },
  { headersMs, keepAliveMs, idleMs, checkMs }: ClientTimes,
): Promise<Listening> {
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
  // Nothing in either direction for this long: the client is stuck or does not read its answer.
  server.setTimeout(idleMs);
  // A client that sends Expect: 100-continue receives a refusal before it sends the body.
  server.on('checkContinue', app);
  answerUnreadableRequests(server, log);
  const connections = new Set<Socket>();
  server.on('connection', (connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(networkProblem(error, { address: originOf(host, port), setting }) ?? error),
    );
    server.listen(port, host, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port, connections };
}

/** The phases of a shutdown, in milliseconds. */
export interface DrainTimes {
  /** Still serving, but not ready, until the load balancer notices. */
  readonly delayMs: number;
  /** For running requests to end. */
  readonly finishMs: number;
}

/** The end of the time for running requests, reserved for answers to those that wait for imports. */
const LAST_ANSWERS_MS = 1_000;
const CLOSE_IDLE_MS = 100;

/**
 * Turns readiness off, then refuses new requests and waits for running ones to end. A request that still waits for
 * an import near the end of that time is answered with the import's location. Remaining connections are then reset.
 */
export async function drain(
  { servers }: Pick<Serving, 'servers'>,
  api: ApiContext,
  { delayMs, finishMs }: DrainTimes,
): Promise<void> {
  api.stop.startDrain();
  if (delayMs > 0) await setTimeout(delayMs);
  api.stop.refuse();
  const closed = Promise.all(
    servers.map(({ server }) => new Promise<void>((resolve) => server.close(() => resolve()))),
  );
  // A connection that was busy at the start becomes idle later.
  const closing = setInterval(() => {
    for (const { server } of servers) server.closeIdleConnections();
  }, CLOSE_IDLE_MS);
  const timers = new AbortController();
  const after = async (timeMs: number, act: () => void) => {
    await setTimeout(timeMs, undefined, { signal: timers.signal }).then(act, () => undefined);
  };
  void after(Math.max(0, finishMs - LAST_ANSWERS_MS), () => {
    api.imports.waiter.stopWaiting();
    api.changeWaiter.stopWaiting();
  });
  void after(finishMs, () => {
    for (const { server, connections } of servers) {
      server.closeIdleConnections();
      // Closed, they would end an answer over HTTP/1.0 as if it were whole.
      for (const each of connections) if (!each.destroyed) each.resetAndDestroy();
    }
  });
  await closed;
  clearInterval(closing);
  timers.abort();
}

/** The classes of a server's requests and responses. */
interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse<IncomingMessage>;
}

/**
 * Creates classes whose objects have the application's prototypes from the start. Express sets the prototype of each
 * request and response that lacks it. V8 then no longer shares their layout, and every access to them is slow: that
 * took most of the CPU time of a short request.
 */
export function messageClasses(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request) as Request;
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response) as Response;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/**
 * Answers malformed HTTP, such as a header with control characters or headers that never end, with a problem like
 * every other refusal; Node itself would send an empty 400 or 408. There is no request object to read from.
 */
function answerUnreadableRequests(server: Server, log: Log): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(problemMessage(error.code ?? '', log));
  });
}

/** By the code of Node's error. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request line and the headers did not arrive in time.',
  HPE_HEADER_OVERFLOW: `The request line and the headers must be smaller than ${maxHeaderSize / 1_024} KiB together.`,
};

function problemMessage(cause: string, log: Log): string {
  const code = cause === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request-too-slow' : 'request-invalid';
  const { status, title } = REQUEST_PROBLEMS[code];
  const traceId = randomBytes(16).toString('hex');
  log.info({ method: null, route: '/*', status, problem: code, traceId }, 'request answered');
  const detail = UNREADABLE[cause] ?? 'The request line or the headers cannot be read as HTTP/1.1.';
  const body = JSON.stringify({
    ...{ type: `/problems/${code}`, code, title, status, detail },
    ...{ instance: '*', traceId },
  });
  return [
    `HTTP/1.1 ${status} ${code === 'request-invalid' ? 'Bad Request' : 'Request Timeout'}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
    'X-Content-Type-Options: nosniff',
    `X-Trace-Id: ${traceId}`,
    '',
    body,
  ].join('\r\n');
}
