import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Marked } from 'marked';
import type { Guide, GuideName } from '../../api/documents/guide-pages.ts';

const DOCS = path.resolve(import.meta.dirname, '../../docs');

/** The address at which the server shows a page of `docs/`; other links would lead nowhere there. */
function addressOf(href: string): string {
  const [, name, anchor = ''] = /^(package|backends|hosts)\.md(#.*)?$/.exec(href) ?? [];
  if (name !== undefined) return `/docs/${name}${anchor}`;
  if (/^(?:#|\/|https:)/.test(href)) return href;
  throw new Error(`the server does not have ${href}`);
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    html({ text }) {
      throw new Error(`a page has HTML: ${text}`);
    },
  },
  walkTokens(token) {
    if (token.type === 'link') token['href'] = addressOf(String(token['href']));
  },
});

/** A page of `docs/` as the server shows it; what is wider than a window can be scrolled, with the keyboard too. */
export async function guideOf(name: GuideName): Promise<Guide> {
  const text = readFileSync(path.join(DOCS, `${name}.md`), 'utf8');
  const html = await marked.parse(text);
  const lines = html
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .trim()
    .split('\n');
  return { title: /^# (.+)$/m.exec(text)?.[1] ?? name, lines };
}
