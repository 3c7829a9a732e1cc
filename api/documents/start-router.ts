import { Router } from 'express';
import { methodNotAllowed } from '../http/problem.ts';

/** `/`, which people open in a browser: it leads to the portal, or to the documentation if there is no portal. */
export function startRouter(hasPortal: boolean): Router {
  const router = Router();
  const route = router.route('/');
  route.get((_request, response) => {
    response
      .status(302)
      .set({ Location: hasPortal ? '/portal' : '/docs', 'Cache-Control': 'no-cache' })
      .end();
  });
  route.all(methodNotAllowed('GET'));
  return router;
}
