import { Router } from 'express';
import type { ApiContext } from '../context.ts';
import { within } from '../../shared/process/within.ts';
import { methodNotAllowed } from '../http/problem.ts';

const TIMEOUT_MS = 2_000;

/** `/livez`: the process answers. `/readyz`: it and its parts can serve. */
export function healthRouter(api: ApiContext): Router {
  const router = Router();
  router.get('/livez', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    const parts = { database: await works(checkDatabase(api)), storage: await works(api.storage.check()) };
    const isReady = !api.stop.isLeaving && Object.values(parts).every((state) => state === 'ok');
    response
      .status(isReady ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status: isReady ? 'ok' : 'unavailable', parts });
  });
  router.all(['/livez', '/readyz'], methodNotAllowed('GET'));
  return router;
}

async function checkDatabase(api: ApiContext): Promise<void> {
  await api.database.raw('select 1');
}

async function works(check: Promise<void>): Promise<'ok' | 'unavailable'> {
  try {
    await within(TIMEOUT_MS, check);
    return 'ok';
  } catch {
    return 'unavailable';
  }
}
