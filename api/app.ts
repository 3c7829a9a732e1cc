import express, { Router } from 'express';
import type { Express } from 'express';
import type { ApiContext } from './api-context.ts';
import { notFoundHandler, problemHandler } from './http.ts';
import { measureRequests } from './measure-requests.ts';
import { mountedAt } from './route-template.ts';
import { alertRulesRouter } from './routes/alert-rules.ts';
import { alertsRouter } from './routes/alerts.ts';
import { apiClientsRouter } from './routes/api-clients.ts';
import { availableModulesRouter } from './routes/available-modules.ts';
import { commonDataRouter } from './routes/common-data.ts';
import { documentsRouter } from './routes/documents.ts';
import { exportsRouter } from './routes/exports.ts';
import { healthRouter } from './routes/health.ts';
import { importsRouter } from './routes/imports.ts';
import { installationsRouter } from './routes/installations.ts';
import { limitsRouter } from './routes/limits.ts';
import { machineAccessRouter } from './routes/machine-access.ts';
import { metricsRouter } from './routes/metrics.ts';
import { modulesRouter } from './routes/modules.ts';
import { operationsRouter } from './routes/operations.ts';
import { organizationsRouter } from './routes/organizations.ts';
import { portalRouter } from './routes/portal.ts';
import { problemPagesRouter } from './routes/problem-pages.ts';
import { queueDashboardRouter } from './routes/queue-dashboard.ts';
import { schemasRouter } from './routes/schemas.ts';
import { structuresRouter } from './routes/structures.ts';
import { secureHeaders } from './secure-headers.ts';
import { traceRequests } from './trace.ts';

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
