import { escapeHtml, pageShell } from '../../../shared/package/text/html.ts';

/** A plain page: no script, one stylesheet. `body` is HTML. */
export function htmlPage(title: string, stylesheet: string, body: string, language = 'en'): string {
  return pageShell(title, `<link rel="stylesheet" href="${escapeHtml(stylesheet)}">`, body, language);
}

/** The stylesheet of plain pages, in light and dark. */
export const PAGE_STYLE = `:root { color-scheme: light dark; --line: #8884; --accent: light-dark(#22653a, #8fd0a5); }
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.6 system-ui, sans-serif; background: light-dark(#fff, #121513); color: light-dark(#18201b, #e8eeea); }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .25rem 0 1rem; }
h2 { font-size: 1.05rem; margin: 2rem 0 .25rem; }
p { margin: .25rem 0; }
a { color: var(--accent); }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid var(--line); padding: .4rem .75rem .4rem 0; vertical-align: top; }
.kind { color: var(--accent); font-weight: 600; margin: 0; }
.refused { border-left: .25rem solid #b3261e; padding: .25rem .75rem; }
`;
