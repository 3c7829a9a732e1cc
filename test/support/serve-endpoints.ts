import { once } from 'node:events';
import express from 'express';
import { onTestFinished } from 'vitest';
import type { ApiContext } from '../../api/context.ts';
import { endpointsRouter } from '../../api/http/router.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { JsonBodies } from '../../api/http/request/json-bodies.ts';
import { secureHeaders } from '../../api/http/server/secure-headers.ts';
import { notFoundHandler, problemHandler } from '../../api/http/problem.ts';
import { loadConfig } from '../../shared/config/config.ts';
import { openAdmission } from '../../api/http/limits/admission.ts';
import { portOf } from '../../shared/local/free-port.ts';
import { createLog } from '../../shared/telemetry/log.ts';
import { answerOf } from './answer-of.ts';
import { changedConfig, type ConfigChanges } from './changed-config.ts';
import type { Answer } from './test-app.ts';

/** A call of the served endpoints, by method and path in one text, such as `GET /things?limit=1`. */
export type CallServed = (methodAndPath: string, init?: RequestInit) => Promise<Answer>;

/** Serves only these endpoints, over HTTP and until the test ends: there are neither database nor storage. */
export async function serveEndpoints(
  endpoints: readonly Endpoint[],
  changes: ConfigChanges = {},
): Promise<CallServed> {
  const config = changedConfig(loadConfig({}), changes);
  const jsonBodies = new JsonBodies(config);
  onTestFinished(() => jsonBodies.close());
  // Handlers of these tests use nothing else.
  const api = {
    config,
    jsonBodies,
    admission: openAdmission(() => config.sharing.maxRequestsPerSecondPerOrganization),
  } as ApiContext;
  const app = express();
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.use(secureHeaders(config.server), endpointsRouter(api, endpoints));
  app.use(notFoundHandler, problemHandler(createLog('test', 'silent')));
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return (methodAndPath, init) => {
    const [method = '', target = ''] = methodAndPath.split(' ');
    return answerOf(fetch(new URL(target, `http://127.0.0.1:${portOf(server)}`), { ...init, method }));
  };
}
