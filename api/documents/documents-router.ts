import { Router } from 'express';
import type { ApiContext } from '../context.ts';
import { docsPage, DOCS_STYLE_PATH } from './docs-page.ts';
import { DOCS_STYLE } from './docs-style.ts';
import { methodNotAllowed } from '../http/problem.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { publicDocument } from '../http/public-document.ts';

const HTML_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What the service tells of itself: `/openapi.json` for programs, `/docs` for people. */
export function documentsRouter(api: ApiContext): Router {
  const router = Router();
  const url = api.config.server.publicUrl ?? '/';
  router.get('/openapi.json', publicDocument('json', JSON.stringify(openApiDocument(url), null, 2)));
  const page = docsPage();
  router.get('/docs', (_request, response) => {
    response.set({ 'Content-Security-Policy': HTML_POLICY, 'Cache-Control': 'public, max-age=300' });
    response.type('html').send(page);
  });
  router.get(DOCS_STYLE_PATH, (_request, response) => {
    response.set('Cache-Control', 'public, max-age=300').type('css').send(DOCS_STYLE);
  });
  router.all(['/openapi.json', '/docs', DOCS_STYLE_PATH], methodNotAllowed('GET'));
  return router;
}
