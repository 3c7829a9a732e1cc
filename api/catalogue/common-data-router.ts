import { Router } from 'express';
import type { ApiContext } from '../context.ts';
import { methodNotAllowed, ProblemError } from '../http/problem.ts';

/** The catalogue: the values that packages refer to by ID. */
export function commonDataRouter(api: ApiContext): Router {
  const router = Router();

  router.get('/CommonData', async (request, response) => {
    await api.access.anyone(request);
    response.json({
      items: [...api.catalogue.sets].map(([key, entries]) => ({ key, count: entries.length })),
    });
  });
  router.all('/CommonData', methodNotAllowed('GET'));

  router.get('/CommonData/:set', async (request, response) => {
    await api.access.anyone(request);
    const items = api.catalogue.sets.get(request.params.set);
    if (items === undefined) throw new ProblemError('not-found', 'The catalogue has no such set.');
    response.json({ items });
  });
  router.all('/CommonData/:set', methodNotAllowed('GET'));

  return router;
}
