import { htmlPage, PAGE_STYLE } from '../http/answer/html.ts';
import guides from './guides.json' with { type: 'json' };

/** The path of the guides' stylesheet. */
export const GUIDE_STYLE_PATH = '/docs/guide.css';

/** The names of the guides in their addresses; each is the page of `docs/` with this name. */
export const GUIDE_NAMES = ['package', 'backends', 'hosts'] as const;
export type GuideName = (typeof GUIDE_NAMES)[number];

/** A page of `docs/`, rendered when it was recorded, so that the service needs no renderer. */
export interface Guide {
  readonly title: string;
  /** HTML. */
  readonly lines: readonly string[];
}

/** The guides by name. */
export const GUIDES: Readonly<Record<GuideName, Guide>> = guides;

/** Links to all documents, as a list of HTML. */
export const DOCUMENT_LINKS: readonly string[] = [
  ...GUIDE_NAMES.map((name) => `<a href="/docs/${name}">${GUIDES[name].title}</a>`),
  '<a href="/docs">All endpoints</a>',
  '<a href="/problems">All problems</a>',
  '<a href="/schemas">Schemas of package files</a>',
  '<a href="/cli">Install modulectl</a>',
];

/** The stylesheet of the guides. */
export const GUIDE_STYLE = `${PAGE_STYLE}main { max-width: 60rem; }
h2 { font-size: 1.35rem; margin-top: 2.5rem; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
p { max-width: 46rem; margin: .5rem 0; }
pre, .wide { overflow: auto; margin: .75rem 0; }
pre { border: 1px solid var(--line); border-radius: .4rem; padding: .75rem; }
pre code { overflow-wrap: normal; }
th { text-align: left; padding: .4rem .75rem .4rem 0; }
td code { overflow-wrap: normal; }
pre:focus-visible, .wide:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

/** A guide as a page. */
export function guideHtml(name: GuideName): string {
  const { title, lines } = GUIDES[name];
  const body = `${lines.join('\n')}\n<p>${DOCUMENT_LINKS.join(' · ')}</p>`;
  return htmlPage(title, GUIDE_STYLE_PATH, body);
}
