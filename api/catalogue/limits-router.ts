import { Router } from 'express';
import type { ApiContext } from '../context.ts';
import { methodNotAllowed } from '../http/problem.ts';

/** The limits in force, for anyone: a vendor needs them before there is a token. */
export function limitsRouter(api: ApiContext): Router {
  const { limits, imports, server } = api.config;
  const router = Router();
  router.get('/limits', (_request, response) => {
    response.json({
      ...limits,
      maxUploads: imports.maxUploads,
      maxUploadsPerOrganization: imports.maxUploadsPerOrganization,
      maxImportsPerMinute: imports.maxImportsPerMinute,
      maxJsonBodyBytes: server.maxJsonBodyBytes,
      requiredFolders: imports.requiredFolders,
    });
  });
  router.all('/limits', methodNotAllowed('GET'));
  return router;
}
