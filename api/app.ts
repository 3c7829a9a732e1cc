import express, { Router } from 'express';
import type { Express } from 'express';
import type { ApiContext } from './context.ts';
import { notFoundHandler, problemHandler } from './http/problem.ts';
import { measureRequests } from './http/measure-requests.ts';
import { mountedAt } from './http/route-template.ts';
import { alertRulesRouter } from './alert-rules/alert-rules-router.ts';
import { alertsRouter } from './alerts/alerts-router.ts';
import { apiClientsRouter } from './api-keys/api-clients-router.ts';
import { availableModulesRouter } from './available-modules/available-modules-router.ts';
import { commonDataRouter } from './catalogue/common-data-router.ts';
import { documentsRouter } from './documents/documents-router.ts';
import { exportsRouter } from './modules/exports-router.ts';
import { healthRouter } from './operations/health-router.ts';
import { importsRouter } from './imports/imports-router.ts';
import { installationsRouter } from './installations/installations-router.ts';
import { limitsRouter } from './catalogue/limits-router.ts';
import { machineAccessRouter } from './machine-access/machine-access-router.ts';
import { metricsRouter } from './operations/metrics-router.ts';
import { modulesRouter } from './modules/modules-router.ts';
import { operationsRouter } from './operations/operations-router.ts';
import { organizationsRouter } from './organizations/organizations-router.ts';
import { portalRouter } from './portal/portal-router.ts';
import { problemPagesRouter } from './documents/problem-pages-router.ts';
import { queueDashboardRouter } from './queue-dashboard/queue-dashboard-router.ts';
import { schemasRouter } from './documents/schemas-router.ts';
import { structuresRouter } from './structures/structures-router.ts';
import { secureHeaders } from './http/secure-headers.ts';
import { traceRequests } from './http/trace.ts';

/** The application: middleware and routers in their order. Nothing starts by making it. */
export function createApp(api: ApiContext): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', api.config.server.trustProxy);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.use(
    traceRequests(api.tracing),
    measureRequests(api.metrics),
    secureHeaders(api.config.server.corsOrigins),
  );
  app.use(healthRouter(api));
  app.use(metricsRouter(api));
  app.use(api.stop.handler());
  app.use(documentsRouter(api));
  app.use('/problems', mountedAt('/problems'), problemPagesRouter());
  app.use('/schemas', mountedAt('/schemas'), schemasRouter());
  app.use('/queues', mountedAt('/queues'), queueDashboardRouter(api));
  const apiRoutes = apiRouter(api);
  app.use('/portal', mountedAt('/portal'), portalRouter(api, apiRoutes));
  app.use('/api/v8.0', mountedAt('/api/v8.0'), apiRoutes);
  app.use(notFoundHandler);
  app.use(problemHandler(api.log));
  return app;
}

function apiRouter(api: ApiContext): Router {
  const router = Router();
  // First, since these calls are by far the most: each router before costs every one of them.
  router.use(machineAccessRouter(api));
  router.use(limitsRouter(api));
  router.use(commonDataRouter(api));
  router.use(organizationsRouter(api));
  router.use(operationsRouter(api));
  router.use(importsRouter(api));
  router.use(modulesRouter(api));
  router.use(exportsRouter(api));
  router.use(apiClientsRouter(api));
  router.use(structuresRouter(api));
  router.use(availableModulesRouter(api));
  router.use(installationsRouter(api));
  router.use(alertRulesRouter(api));
  router.use(alertsRouter(api));
  return router;
}
