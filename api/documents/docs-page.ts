import { REQUEST_PROBLEMS } from '../http/request-problem-codes.ts';
import { escapeHtml, htmlPage } from '../http/answer/html.ts';
import type { Answer, BodyForm } from '../http/answer.ts';
import type { Endpoint, TaggedEndpoint } from '../http/endpoint.ts';
import { keywordsOf } from '../http/schema.ts';
import { SchemaComponents } from '../openapi/components.ts';
import { exampleOf, parametersOf } from '../openapi/operation-part.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { problemsOf } from '../openapi/answer-parts.ts';
import { TAGS } from '../openapi/tags.ts';
import { GUIDE_NAMES, GUIDES } from './guide-pages.ts';
import { inlineHtml, membersHtml, rowHtml, typeHtml } from './schema-html.ts';

/** The path of the page's stylesheet. */
export const DOCS_STYLE_PATH = '/docs/style.css';

/** The OpenAPI document as a page: no script, one stylesheet, nothing from other origins. */
export function docsPage(endpoints: readonly TaggedEndpoint[]): string {
  return new DocsPage(endpoints).html();
}

function anchor(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

function paragraphs(text: unknown): string {
  if (typeof text !== 'string') return '';
  return text
    .split('\n\n')
    .map((each) => `<p>${inlineHtml(each)}</p>`)
    .join('\n');
}

class DocsPage {
  readonly #endpoints: readonly TaggedEndpoint[];
  readonly #schemas = new SchemaComponents();

  constructor(endpoints: readonly TaggedEndpoint[]) {
    this.#endpoints = endpoints;
  }

  html(): string {
    const { info, components } = openApiDocument(this.#endpoints);
    const sections = Object.entries(TAGS).map(([tag, text]) => this.#section(tag, text));
    const schemas = Object.entries(components.schemas).map(
      ([name, schema]) =>
        `<article id="schema-${name}"><h3>${name}</h3>${paragraphs(schema['description'] ?? schema['title'])}${membersHtml(schema) || `<p class="type">${typeHtml(schema)}</p>`}</article>`,
    );
    return htmlPage(
      info.title,
      DOCS_STYLE_PATH,
      `<nav aria-label="Contents">${this.#contents()}</nav>
<div class="text">
<header><h1>${escapeHtml(info.title)}</h1>
${paragraphs(info.description)}
<p>Machine-readable: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). Schemas of a package's files:
${['module-schema', 'roles-entities', 'alert-rules'].map((name) => `<a href="/schemas/${name}.json">${name}</a>`).join(', ')}.
<a href="/problems">Every problem</a>.</p>
<p>Guides: ${GUIDE_NAMES.map((name) => `<a href="/docs/${name}">${GUIDES[name].title}</a>`).join(', ')}.</p></header>
${sections.join('\n')}
<section id="schemas"><h2>Schemas</h2>
${schemas.join('\n')}
</section>
</div>`,
    );
  }

  #tagged(tag: string): readonly TaggedEndpoint[] {
    return this.#endpoints.filter((each) => each.tag === tag);
  }

  #contents(): string {
    const groups = Object.keys(TAGS).map((tag) => {
      const links = this.#tagged(tag).map(
        ({ id, summary }) => `<li><a href="#${id}">${escapeHtml(summary)}</a></li>`,
      );
      return `<li><a href="#${anchor(tag)}">${escapeHtml(tag)}</a><ul>${links.join('')}</ul></li>`;
    });
    return `<ul>${groups.join('\n')}<li><a href="#schemas">Schemas</a></li></ul>`;
  }

  #section(tag: string, text: string): string {
    const articles = this.#tagged(tag).map((each) => this.#article(each));
    return `<section id="${anchor(tag)}"><h2>${escapeHtml(tag)}</h2><p>${inlineHtml(text)}</p>\n${articles.join('\n')}\n</section>`;
  }

  #article(endpoint: Endpoint): string {
    const { id, method, path, summary, description, access } = endpoint;
    return `<article id="${id}">
<h3>${escapeHtml(summary)}</h3>
<p class="call"><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></p>
${paragraphs(description)}
<p class="needs">${inlineHtml(access.needs)}</p>
${this.#parameters(endpoint)}
${this.#body(endpoint)}
${this.#answers(endpoint)}
</article>`;
  }

  #parameters(endpoint: Endpoint): string {
    const rows = parametersOf(endpoint, this.#schemas).map((each) =>
      rowHtml(each.name, each.required === true, each.schema, `${each.description} (${each.in})`),
    );
    return rows.length === 0 ? '' : `<h4>Parameters</h4><dl>${rows.join('\n')}</dl>`;
  }

  #body({ id, body }: Endpoint): string {
    if (body === undefined) return '';
    const optional = body.required ? '' : ' <span class="optional">optional</span>';
    return `<h4>Body${optional}</h4><p>${inlineHtml(body.description)}</p>${this.#forms(body.forms, id, 'request')}`;
  }

  #forms(forms: Readonly<Record<string, BodyForm>>, id: string, of: number | 'request'): string {
    return Object.entries(forms)
      .map(([mediaType, form]) => {
        const schema = this.#schemas.of(keywordsOf(form.schema));
        const example = exampleOf(id, of, mediaType);
        const shown = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
        const details =
          example === undefined
            ? ''
            : `<details><summary>Example</summary><pre tabindex="0">${escapeHtml(shown)}</pre></details>`;
        return `<p><code>${mediaType}</code> <span class="type">${typeHtml(schema)}</span></p>${membersHtml(schema)}${details}`;
      })
      .join('\n');
  }

  #answers(endpoint: Endpoint): string {
    const good = Object.entries(endpoint.answers).map(([status, answer]) =>
      this.#answer(endpoint, status, answer),
    );
    const problems = problemsOf(endpoint).map((code) => {
      const { status, title } = REQUEST_PROBLEMS[code];
      return `<li><strong>${status}</strong> <a href="/problems/${code}"><code>${code}</code></a> ${escapeHtml(title)}</li>`;
    });
    return `<h4>Answers</h4>${good.join('\n')}<details><summary>Problems (${problems.length})</summary><ul class="problems">${problems.join('')}</ul></details>`;
  }

  #answer({ id, access }: Endpoint, status: string, answer: Answer<unknown>): string {
    const { description, forms = {}, headers = [] } = answer;
    return `<div class="answer"><p><strong>${status}</strong> ${inlineHtml(description)}</p>${this.#forms(forms, id, Number(status))}${headersHtml([...headers, ...(access.headers ?? [])])}</div>`;
  }
}

function headersHtml(headers: readonly string[]): string {
  if (headers.length === 0) return '';
  const names = headers.map((each) => `<code>${each.replace(/\?$/, '')}</code>`);
  return `<p class="bounds">Headers: ${names.join(', ')}</p>`;
}
