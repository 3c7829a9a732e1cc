import { Router } from 'express';
import { PACKAGE_PROBLEMS } from '../../shared/package/problem-codes.ts';
import { REQUEST_PROBLEMS } from '../http/request-problem-codes.ts';
import { escapeHtml, htmlPage, PAGE_STYLE } from '../http/html.ts';
import { methodNotAllowed, ProblemError } from '../http/problem.ts';

/** What a page tells of a code. */
interface ProblemPage {
  readonly code: string;
  readonly title: string;
  /** `error`, `warning`, or the status of the answer. */
  readonly kind: string;
  readonly explanation: string;
  readonly remedy: string;
}

/** Every code, in the order of the alphabet. A code of both kinds is told as the answer that it becomes. */
function allPages(): Map<string, ProblemPage> {
  const packages = Object.entries(PACKAGE_PROBLEMS).map(([code, { severity, ...text }]) => ({
    code,
    kind: severity,
    ...text,
  }));
  const requests = Object.entries(REQUEST_PROBLEMS).map(([code, { status, ...text }]) => ({
    code,
    kind: `HTTP ${status}`,
    ...text,
  }));
  const pages = [...packages, ...requests].toSorted((a, b) => (a.code < b.code ? -1 : 1));
  return new Map(pages.map((page) => [page.code, page]));
}

const STYLE = '/problems/style.css';
const HTML_POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'";

function indexPage(pages: Iterable<ProblemPage>): string {
  const rows = [...pages].map(
    ({ code, title }) =>
      `<tr><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${escapeHtml(title)}</td></tr>`,
  );
  return htmlPage('Problems', STYLE, `<h1>Problems</h1>\n<table>\n${rows.join('\n')}\n</table>`);
}

function codePage({ code, title, kind, explanation, remedy }: ProblemPage): string {
  return htmlPage(
    title,
    STYLE,
    `<p class="kind">${escapeHtml(kind)}</p>
<h1>${escapeHtml(title)}</h1>
<p><code>${code}</code></p>
<h2>What it means</h2>
<p>${escapeHtml(explanation)}</p>
<h2>What to do</h2>
<p>${escapeHtml(remedy)}</p>
<h2>See also</h2>
<p><a href="/problems">All problems</a></p>`,
  );
}

/** A page for each code: the `type` of a problem document leads here. */
export function problemPagesRouter(): Router {
  const pages = allPages();
  const router = Router();
  router.use((_request, response, next) => {
    response.set({
      'Content-Security-Policy': HTML_POLICY,
      'Cache-Control': 'public, max-age=3600',
      Vary: 'Accept',
    });
    next();
  });
  router.get('/', (request, response) => {
    if (request.accepts(['html', 'json']) === 'json') response.json({ items: [...pages.values()] });
    else response.type('html').send(indexPage(pages.values()));
  });
  router.get('/style.css', (_request, response) => {
    response.type('css').send(PAGE_STYLE);
  });
  router.get('/:code', (request, response) => {
    const page = pages.get(request.params.code);
    if (page === undefined) throw new ProblemError('not-found', 'There is no problem of this code.');
    if (request.accepts(['html', 'json']) === 'json') response.json(page);
    else response.type('html').send(codePage(page));
  });
  router.all(['/', '/:code'], methodNotAllowed('GET'));
  return router;
}
