import type { ErrorRequestHandler } from 'express';
import { escapeHtml } from '../../shared/package/text/html.ts';
import { htmlPage } from '../http/answer/html.ts';
import { ProblemError } from '../http/problem.ts';
import { DOCUMENT_LINKS } from './guide-pages.ts';
import { PAGE_HEADERS, prefersHtml, sendPage } from './page-answers.ts';
import { PROBLEMS_STYLE_PATH } from './problem-pages.ts';

/** Answers 404 with a page for browsers, except below `apiPrefix`: its answers are JSON whatever `Accept` says. */
export function notFoundPage(apiPrefix: string): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const isForPeople =
      error instanceof ProblemError &&
      error.code === 'not-found' &&
      !response.headersSent &&
      !request.path.startsWith(`${apiPrefix}/`) &&
      prefersHtml(request);
    if (!isForPeople) {
      next(error);
      return;
    }
    const headers = { ...PAGE_HEADERS, 'Cache-Control': 'no-store' };
    sendPage(response.status(404).vary('Accept'), pageHtml(error.message), headers);
  };
}

function pageHtml(detail: string): string {
  const links = ['<a href="/">Start page</a>', ...DOCUMENT_LINKS].map((link) => `<li>${link}</li>`);
  return htmlPage(
    'Not found',
    PROBLEMS_STYLE_PATH,
    `<p class="kind">404</p>
<h1>Not found</h1>
<p>${escapeHtml(detail)}</p>
<p>Check the address, or continue here:</p>
<ul>${links.join('\n')}</ul>`,
  );
}
