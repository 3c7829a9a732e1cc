import express from 'express';
import type { Parts } from '../../../shared/process/context.ts';
import type { Waiting } from '../../../shared/process/part-ready.ts';
import { within } from '../../../shared/process/within.ts';
import { openQueue } from '../../../shared/queue/import-queue.ts';
import { openHealth, openHealthDatabase } from '../../operations/health.ts';
import { problemHandler, unavailable } from '../problem.ts';
import { secureHeaders } from './secure-headers.ts';

const CLOSE_MS = 1_000;

/** Answers probes while the process waits for its database: it is alive and not ready. Other requests are refused. */
export async function serveWaiting(parts: Parts, issuer: string): Promise<Waiting> {
  const { host, port, corsOrigins } = parts.config.server;
  const healthDatabase = openHealthDatabase(parts);
  const queue = openQueue(parts.queueConnection, parts.log);
  const health = openHealth({ ...parts, queue }, healthDatabase, issuer);
  const app = express();
  app.disable('x-powered-by');
  app.use(secureHeaders(corsOrigins));
  app.get('/livez', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    const { parts: states } = await health.read();
    response.status(503).set('Cache-Control', 'no-store').json({ status: 'unavailable', parts: states });
  });
  app.use(() => {
    throw unavailable('The process is starting. Send the request again.');
  });
  app.use(problemHandler(parts.log));
  const server = await new Promise<ReturnType<typeof app.listen>>((resolve, reject) => {
    const listening = app.listen(port, host, (error) => {
      if (error === undefined) resolve(listening);
      else reject(error);
    });
  });
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await healthDatabase.destroy();
      // A queue that was never reached does not close.
      await within(CLOSE_MS, queue.close()).catch(() => undefined);
    },
  };
}
