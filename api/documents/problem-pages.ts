import { isOperatorCode, meaningOf, PACKAGE_PROBLEMS } from '../../shared/package/problem-codes.ts';
import { escapeHtml } from '../../shared/package/text/html.ts';
import { htmlPage } from '../http/answer/html.ts';
import { REQUEST_PROBLEMS } from '../http/request-problem-codes.ts';
import { DOCUMENT_LINKS } from './guide-pages.ts';

/** The path of these pages' stylesheet. */
export const PROBLEMS_STYLE_PATH = '/problems/style.css';

/** The page of a code. */
interface ProblemPage {
  readonly code: string;
  readonly title: string;
  /** `error`, `warning`, or the HTTP status. */
  readonly kind: string;
  readonly explanation: string;
  readonly remedy: string;
}

/** A page for each code, in alphabetical order; the `type` of a problem document is its address. */
export const PROBLEM_PAGES: ReadonlyMap<string, ProblemPage> = allPages();

/** The page of a code; codes of the operator's own check have one text. */
export function pageOf(code: string): ProblemPage | undefined {
  if (!isOperatorCode(code)) return PROBLEM_PAGES.get(code);
  const { title, explanation, remedy } = meaningOf(code);
  return { code, kind: 'error or warning', title, explanation, remedy };
}

/** A code of both packages and requests gets the page of the request. */
function allPages(): ReadonlyMap<string, ProblemPage> {
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

/** The list of all codes as a page. */
export function indexHtml(): string {
  const rows = [...PROBLEM_PAGES.values()].map(
    ({ code, title }) =>
      `<tr><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${escapeHtml(title)}</td></tr>`,
  );
  return htmlPage(
    'Problems',
    PROBLEMS_STYLE_PATH,
    `<h1>Problems</h1>\n<table>\n${rows.join('\n')}\n</table>`,
  );
}

/** The page that explains a code. */
export function codeHtml({ code, title, kind, explanation, remedy }: ProblemPage): string {
  return htmlPage(
    title,
    PROBLEMS_STYLE_PATH,
    `<p class="kind">${escapeHtml(kind)}</p>
<h1>${escapeHtml(title)}</h1>
<p><code>${code}</code></p>
<h2>What it means</h2>
<p>${escapeHtml(explanation)}</p>
<h2>What to do</h2>
<p>${escapeHtml(remedy)}</p>
<h2>See also</h2>
<p>${DOCUMENT_LINKS.join(' · ')}</p>`,
  );
}
