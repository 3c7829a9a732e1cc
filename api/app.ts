import express, { type Express } from 'express';
import { forOwner } from '../shared/limits/owner.ts';
import type { ApiContext } from './context.ts';
import { notFoundHandler, problemHandler } from './http/problem.ts';
import { logRequests } from './http/server/access-log.ts';
import { measureRequests, mountedAt, traceRequests } from './http/server/observe-requests.ts';
import { endpointsRouter } from './http/router.ts';
import type { Endpoint } from './http/endpoint.ts';
import { API_PREFIX, ENDPOINTS } from './endpoints.ts';
import { HEALTH_ENDPOINTS, PUBLIC_PROBES } from './operations/health-endpoints.ts';
import { notFoundPage } from './documents/not-found-page.ts';
import { pageFilesRouter, startRouter } from './documents/page-files.ts';
import { portalRouter } from './portal/portal-router.ts';
import { queueDashboardRouter } from './queue-dashboard/queue-dashboard-router.ts';
import { shareArrivals } from './http/limits/admission.ts';
import { secureHeaders } from './http/server/secure-headers.ts';

/** The application: middleware and routers in their order. Creating it starts nothing. */
export function createApp(api: ApiContext): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', api.config.server.trustProxy);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.use(
    shareArrivals(api.admission.arrivals),
    traceRequests(api.tracing),
    measureRequests(api.metrics),
    logRequests(api.log),
    secureHeaders(api.config.server),
    api.admission.refusedCallers.handler(),
    // Until its caller is known, a request uses the part of its address.
    (request, _response, next) => forOwner(`address ${request.ip ?? ''}`, next),
  );
  const isVersioned = ({ path }: Endpoint) => path.startsWith(`${API_PREFIX}/`);
  const isProbe = ({ access }: Endpoint) => access.isProbe === true;
  const probes = api.config.server.adminPort === null ? HEALTH_ENDPOINTS : PUBLIC_PROBES;
  const others = ENDPOINTS.filter((each) => !isVersioned(each));
  app.use(endpointsRouter(api, probes));
  app.use(api.stop.handler());
  const apiRoutes = endpointsRouter(api, ENDPOINTS.filter(isVersioned), API_PREFIX);
  app.use(API_PREFIX, mountedAt(API_PREFIX), apiRoutes);
  app.use('/portal', mountedAt('/portal'), portalRouter(api, apiRoutes));
  app.use('/queues', mountedAt('/queues'), queueDashboardRouter(api));
  app.use(startRouter(api.config.portal !== null));
  app.use(pageFilesRouter());
  app.use(
    endpointsRouter(
      api,
      others.filter((each) => !isProbe(each)),
    ),
  );
  app.use(notFoundHandler);
  app.use(notFoundPage(API_PREFIX));
  app.use(problemHandler(api.log));
  return app;
}

/** The application of `ADMIN_PORT`: probes and metrics, which no proxy passes on. */
export function createAdminApp(api: ApiContext): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.use(traceRequests(api.tracing), secureHeaders(api.config.server));
  app.use(endpointsRouter(api, HEALTH_ENDPOINTS));
  app.use(notFoundHandler);
  app.use(problemHandler(api.log));
  return app;
}
