import { Router } from 'express';
import { PAGE_STYLE } from '../http/html.ts';
import { methodNotAllowed } from '../http/problem.ts';
import { DOCS_STYLE_PATH } from './docs-page.ts';
import { DOCS_STYLE } from './docs-style.ts';
import { GUIDE_STYLE, GUIDE_STYLE_PATH } from './guide-pages.ts';
import { PROBLEMS_STYLE_PATH } from './problem-pages.ts';

const STYLES = {
  [DOCS_STYLE_PATH]: DOCS_STYLE,
  [GUIDE_STYLE_PATH]: GUIDE_STYLE,
  [PROBLEMS_STYLE_PATH]: PAGE_STYLE,
};

/** The stylesheets of the service's plain pages. */
export function stylesheetsRouter(): Router {
  const router = Router();
  for (const [path, style] of Object.entries(STYLES)) {
    const route = router.route(path);
    route.get((_request, response) => {
      response.set('Cache-Control', 'public, max-age=300').type('css').send(style);
    });
    route.all(methodNotAllowed('GET'));
  }
  return router;
}

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
