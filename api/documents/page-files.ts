import { extname } from 'node:path';
import { Router } from 'express';
import { PAGE_STYLE } from '../http/answer/html.ts';
import { methodNotAllowed } from '../http/problem.ts';
import { DOCS_SCRIPT_PATH, DOCS_STYLE_PATH } from './docs-index.ts';
import { GUIDE_STYLE, GUIDE_STYLE_PATH } from './guide-pages.ts';
import { PROBLEMS_STYLE_PATH } from './problem-pages.ts';

/** The stylesheet of the documentation, in light and dark, for wide and narrow windows. */
export const DOCS_STYLE = `:root {
  color-scheme: light dark;
  --line: light-dark(#d8ded9, #333b36); --soft: light-dark(#f4f7f4, #1a1f1c); --muted: light-dark(#55605a, #a3aea7);
  --accent: light-dark(#22653a, #8fd0a5); --page: light-dark(#fff, #121513); --ink: light-dark(#18201b, #e8eeea);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; font: 1rem/1.55 system-ui, sans-serif; background: var(--page); color: var(--ink); }
main { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 80rem; margin: 0 auto; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: .875rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li li { padding-left: .75rem; }
nav a { display: block; padding: .15rem 0; color: var(--muted); text-decoration: none; }
nav > ul > li > a { color: var(--ink); font-weight: 600; margin-top: .75rem; }
nav a:hover, nav a:focus-visible { color: var(--accent); text-decoration: underline; }
.text { padding: 2rem 2.5rem 6rem; min-width: 0; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 0; }
h3 { font-size: .8rem; margin: 1.25rem 0 .25rem; text-transform: uppercase; letter-spacing: .05em; color: var(--muted); }
p { margin: .4rem 0; max-width: 46rem; }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
code { overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem 1.25rem; margin: 1.1rem 0; }
article:target { border-color: var(--accent); }
.call { display: flex; flex-wrap: wrap; gap: .6rem; align-items: baseline; }
.method { font: 700 .75rem ui-monospace, monospace; padding: .15rem .5rem; border-radius: .3rem; color: #fff; background: #22653a; }
.method.post { background: #1d4f91; }
.method.put { background: #7a4a00; }
.method.delete { background: #a1281f; }
.needs, .bounds, .optional { color: var(--muted); font-size: .875rem; }
.type { color: var(--accent); font-size: .875rem; overflow-wrap: anywhere; }
dl { margin: .25rem 0; }
.row { display: grid; grid-template-columns: minmax(9rem, 14rem) minmax(0, 1fr); gap: 0 1rem; border-top: 1px solid var(--line); padding: .4rem 0; }
dt, dd { margin: 0; min-width: 0; }
.row .row { grid-template-columns: minmax(0, 1fr); }
.bounds { display: block; }
.answer { border-top: 1px solid var(--line); padding: .3rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: .875rem; }
pre { background: var(--soft); border-radius: .4rem; padding: .75rem; overflow: auto; max-height: 24rem; margin: .4rem 0; }
.index { margin-top: 2rem; }
#search label { display: block; color: var(--muted); font-size: .875rem; }
#search input { display: block; width: 100%; max-width: 28rem; font: inherit; padding: .45rem .6rem; border: 1px solid var(--muted); border-radius: .4rem; background: var(--page); color: var(--ink); }
#search output { color: var(--muted); font-size: .875rem; }
.index ul { list-style: none; margin: .5rem 0; padding: 0; }
.index li { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; border-top: 1px solid var(--line); padding: .3rem 0; }
.index li code { color: var(--muted); }
[hidden] { display: none !important; }
.problems { padding-left: 1.1rem; margin: .4rem 0; }
@media (max-width: 56rem) {
  main { grid-template-columns: minmax(0, 1fr); }
  nav { position: static; height: auto; max-height: 14rem; border-right: 0; border-bottom: 1px solid var(--line); padding: .75rem 1rem; }
  .text { padding: 1.25rem 1rem 4rem; }
  article { padding: .9rem; }
  .row { grid-template-columns: minmax(0, 1fr); }
}
`;

/**
 * The search of the index: it hides the entries that lack one of the words. Without scripts the index is a list, and
 * the field stays hidden.
 */
const DOCS_SCRIPT = `const field = document.querySelector('#search input');
const count = document.querySelector('#search output');
const groups = document.querySelectorAll('.index');
field.closest('p').hidden = false;
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/);
  let found = 0;
  for (const group of groups) {
    let inGroup = 0;
    for (const entry of group.querySelectorAll('li')) {
      const text = entry.textContent.toLowerCase();
      entry.hidden = !words.every((word) => text.includes(word));
      if (!entry.hidden) inGroup += 1;
    }
    group.hidden = inGroup === 0;
    found += inGroup;
  }
  count.textContent = field.value.trim() === '' ? '' : found + ' found';
});
`;

const FILES = {
  [DOCS_STYLE_PATH]: DOCS_STYLE,
  [DOCS_SCRIPT_PATH]: DOCS_SCRIPT,
  [GUIDE_STYLE_PATH]: GUIDE_STYLE,
  [PROBLEMS_STYLE_PATH]: PAGE_STYLE,
};

/** The stylesheets and the script of the service's plain pages. */
export function pageFilesRouter(): Router {
  const router = Router();
  for (const [path, content] of Object.entries(FILES)) {
    const route = router.route(path);
    route.get((_request, response) => {
      response.set('Cache-Control', 'public, max-age=300').type(extname(path)).send(content);
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
