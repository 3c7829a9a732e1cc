import { Router } from 'express';
import { readBacklog } from '../../shared/db/imports/import-backlog.ts';
import { findImport, listImports } from '../../shared/db/imports/imports.ts';
import { requeueImport } from '../../shared/db/imports/unfinished-imports.ts';
import type { ApiContext } from '../context.ts';
import { guidParameter, methodNotAllowed, ProblemError } from '../http/problem.ts';
import { importItem } from '../imports/import-answer.ts';
import { importStatusQuery } from '../imports/import-status.ts';
import { pageAnswer, pageRequest } from '../http/pagination.ts';

/** What operators see and mend, over all organizations. */
export function operationsRouter(api: ApiContext): Router {
  const router = Router();

  router.get('/operations/imports', async (request, response) => {
    await api.access.operator(request);
    const page = await listImports(api.database, null, pageRequest(request), {
      status: importStatusQuery(request),
      moduleId: null,
    });
    response.json(pageAnswer(page, importItem));
  });
  router.all('/operations/imports', methodNotAllowed('GET'));

  router.get('/operations/backlog', async (request, response) => {
    await api.access.operator(request);
    response.json(await readBacklog(api.database));
  });
  router.all('/operations/backlog', methodNotAllowed('GET'));

  router.get('/operations/workers', async (request, response) => {
    await api.access.operator(request);
    const workers = await api.queue.queue.getWorkers();
    response.json({
      items: workers.map(({ name, age, idle }) => ({
        name: name ?? '',
        ageSeconds: Number(age ?? 0),
        idleSeconds: Number(idle ?? 0),
      })),
    });
  });
  router.all('/operations/workers', methodNotAllowed('GET'));

  router.post('/operations/imports/:importId/retry', async (request, response) => {
    await api.access.operator(request);
    const importId = guidParameter(request, 'importId');
    if ((await findImport(api.database, null, importId)) === null)
      throw new ProblemError('not-found', 'There is no such import.');
    const row = await requeueImport(api.database, importId);
    if (row === null) {
      throw new ProblemError(
        'import-not-retryable',
        'Only an import that failed, and whose upload is still kept, can be retried.',
      );
    }
    await api.queue.retryImport(importId).catch((error: unknown) => {
      // Its last job may just be ending; the row is queued, and the sweep makes it a new one.
      api.log.warn({ err: error, importId }, 'import not queued, left to the sweep');
    });
    response.status(202).json(importItem(row));
  });
  router.all('/operations/imports/:importId/retry', methodNotAllowed('POST'));

  return router;
}
