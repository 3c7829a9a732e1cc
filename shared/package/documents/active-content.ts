import { problem, type Problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';

/** More of a page is not looked at. */
const MAX_PAGE_BYTES = 1024 * 1024;

const IN_PAGES: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a script', /<script\b|javascript:/i],
  ['an event handler', /<[a-z][^<>]*[\s"'/]on[a-z]+\s*=/i],
  ['another page', /<(?:iframe|frame|object|embed)\b|<meta[^<>]*http-equiv\s*=\s*["']?refresh/i],
  ['a form', /<form\b/i],
  [
    'files of another site',
    /<(?!a\b)[a-z][^<>]*\s(?:src|srcset|href|poster|data)\s*=\s*["']?(?:https?:)?\/\//i,
  ],
  ['styles of another site', /(?:url\(|@import)\s*["']?(?:https?:)?\/\//i],
];

const IN_PDFS: readonly (readonly [what: string, names: readonly string[]])[] = [
  ['a script', ['/JavaScript', '/JS']],
  ['an action that starts a program', ['/Launch']],
];

/** The active content of a page of HTML or SVG, in words. */
function activeInPage(content: Buffer): string[] {
  const text = content.toString('latin1', 0, MAX_PAGE_BYTES);
  return IN_PAGES.flatMap(([what, pattern]) => (pattern.test(text) ? [what] : []));
}

/** Whether a PDF contains a name (ISO 32000-1, 7.3.5). Compressed objects are not looked into. */
function hasName(content: Buffer, name: string): boolean {
  for (let at = content.indexOf(name); at !== -1; at = content.indexOf(name, at + name.length)) {
    const next = content.toString('latin1', at + name.length, at + name.length + 1);
    if (!/[A-Za-z0-9_.#-]/.test(next)) return true;
  }
  return false;
}

function activeInPdf(content: Buffer): string[] {
  return IN_PDFS.flatMap(([what, names]) => (names.some((name) => hasName(content, name)) ? [what] : []));
}

/** A warning for a terms or privacy file with content that applications should not run or load. */
export function activeContentProblems(entry: string, content: Buffer, mediaType: string): Problem[] {
  const isPage = ['text/html', 'image/svg+xml', 'application/xml'].includes(mediaType);
  const active = mediaType === 'application/pdf' ? activeInPdf(content) : isPage ? activeInPage(content) : [];
  if (active.length === 0) return [];
  const detail = `${quoteText(entry)} contains ${active.join(', ')}. Applications may refuse to show it.`;
  return [problem('layout-active-content', detail, { entry })];
}
