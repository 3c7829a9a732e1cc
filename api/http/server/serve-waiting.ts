import type { Server } from 'node:http';
import express, { type Express } from 'express';
import type { Parts } from '../../../shared/process/context.ts';
import type { Waiting } from '../../../shared/process/part-ready.ts';
import { within } from '../../../shared/process/within.ts';
import { openQueue } from '../../../shared/queue/import-queue.ts';
import { openHealth, openHealthDatabase, type HealthOfParts } from '../../operations/health.ts';
import { problemHandler, unavailable } from '../problem.ts';
import { secureHeaders } from './secure-headers.ts';

const CLOSE_MS = 1_000;

/** Answers probes while the process waits for its database: it is alive and not ready. Other requests are refused. */
export async function serveWaiting(parts: Parts, issuer: string): Promise<Waiting> {
  const { host, port, adminPort } = parts.config.server;
  const healthDatabase = openHealthDatabase(parts);
  const queue = openQueue(parts.queueConnection, parts.log);
  const health = openHealth({ ...parts, queue }, healthDatabase, issuer);
  const servers = [await listen(waitingApp(parts, health, adminPort === null), port, host)];
  if (adminPort !== null) servers.push(await listen(waitingApp(parts, health, true), adminPort, host));
  return {
    async close() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
      for (const server of servers) server.closeAllConnections();
      await Promise.all(closed);
      await healthDatabase.destroy();
      // A queue that was never reached does not close.
      await within(CLOSE_MS, queue.close()).catch(() => undefined);
    },
  };
}

function waitingApp({ config, log }: Parts, health: HealthOfParts, hasParts: boolean): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(secureHeaders(config.server));
  app.get('/livez', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    const detail = hasParts ? { parts: (await health.read()).parts } : {};
    response
      .status(503)
      .set('Cache-Control', 'no-store')
      .json({ status: 'unavailable', ...detail });
  });
  app.use(() => {
    throw unavailable('The process is starting. Send the request again.');
  });
  app.use(problemHandler(log));
  return app;
}

async function listen(app: Express, port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const listening = app.listen(port, host, (error) => {
      if (error === undefined) resolve(listening);
      else reject(error);
    });
  });
}
