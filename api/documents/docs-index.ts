import { escapeHtml } from '../../shared/package/text/html.ts';
import { htmlPage } from '../http/answer/html.ts';
import type { TaggedEndpoint } from '../http/endpoint.ts';
import type { JsonSchema } from '../http/schema.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { TAGS } from '../openapi/tags.ts';
import { GUIDE_NAMES, GUIDES } from './guide-pages.ts';
import { PROBLEM_PAGES } from './problem-pages.ts';
import { inlineHtml, paragraphs } from './schema-html.ts';

/** The path of the stylesheet of the documentation. */
export const DOCS_STYLE_PATH = '/docs/style.css';

/** The path of the script of the index. */
export const DOCS_SCRIPT_PATH = '/docs/search.js';

/** The name of a subject's page in its address. */
export function pageNameOf(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

/** What the documentation has on one page. */
export interface DocsSubject {
  readonly tag: string;
  readonly endpoints: readonly TaggedEndpoint[];
  /** The named schemas that no earlier subject uses. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** The subjects of the documentation; each schema belongs to the first one that uses it. */
export function docsSubjects(endpoints: readonly TaggedEndpoint[]): readonly DocsSubject[] {
  const known = new Set<string>();
  return Object.keys(TAGS).map((tag) => {
    const own = endpoints.filter((each) => each.tag === tag);
    const all = Object.entries(openApiDocument(own).components.schemas);
    const schemas = Object.fromEntries(all.filter(([name]) => !known.has(name)));
    for (const [name] of all) known.add(name);
    return { tag, endpoints: own, schemas };
  });
}

/** The list of all pages, with what follows the link of each. */
export function subjectLinks(below: (tag: string) => string): string {
  const items = Object.keys(TAGS).map((tag) => `<li>${link(pageOf(tag), tag)}${below(tag)}</li>`);
  return `<ul><li><a href="/docs">Index</a></li>\n${items.join('\n')}</ul>`;
}

function pageOf(tag: string): string {
  return `/docs/${pageNameOf(tag)}`;
}

/** The index of the documentation: all operations, schemas and codes, which a script searches. */
export function docsIndex(subjects: readonly DocsSubject[]): string {
  const { title, description } = openApiDocument([]).info;
  const guides = GUIDE_NAMES.map((name) => `<a href="/docs/${name}">${GUIDES[name].title}</a>`);
  return htmlPage(
    title,
    DOCS_STYLE_PATH,
    `<nav aria-label="Contents">${subjectLinks(() => '')}</nav>
<div class="text">
<h1>${escapeHtml(title)}</h1>
${paragraphs(description)}
<p>Guides: ${guides.join(', ')}. Machine-readable: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1),
<a href="/schemas">schemas of a package's files</a>. <a href="/cli">Install modulectl</a>.</p>
<p id="search" hidden><label>Search operations, schemas and problem codes <input type="search"></label><output></output></p>
${subjects.map(operationGroup).join('\n')}
${group('Schemas', subjects.flatMap(schemaLinks))}
${group(
  '<a href="/problems">Problem codes</a>',
  [...PROBLEM_PAGES.values()].map(
    ({ code, title: text }) => `${link(`/problems/${code}`, code)} ${escapeHtml(text)}`,
  ),
)}
</div>
<script src="${DOCS_SCRIPT_PATH}" type="module"></script>`,
  );
}

function operationGroup({ tag, endpoints }: DocsSubject): string {
  const page = pageOf(tag);
  const entries = endpoints.map(
    ({ id, method, path, summary }) =>
      `${link(`${page}#${id}`, summary)} <code>${method.toUpperCase()} ${escapeHtml(path)}</code>`,
  );
  return group(link(page, tag), entries, `<p>${inlineHtml(TAGS[tag] ?? '')}</p>`);
}

function schemaLinks({ tag, schemas }: DocsSubject): readonly string[] {
  return Object.keys(schemas).map((name) => link(`${pageOf(tag)}#${name}`, name));
}

function link(address: string, text: string): string {
  return `<a href="${address}">${escapeHtml(text)}</a>`;
}

/** A heading, what follows it, and a list; all HTML. */
function group(heading: string, entries: readonly string[], lead = ''): string {
  const items = entries.map((each) => `<li>${each}</li>`);
  return `<section class="index"><h2>${heading}</h2>${lead}<ul>${items.join('\n')}</ul></section>`;
}
