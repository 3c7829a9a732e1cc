import { REQUEST_PROBLEMS } from '../http/request-problem-codes.ts';
import { escapeHtml } from '../../shared/package/text/html.ts';
import { htmlPage } from '../http/answer/html.ts';
import type { Answer, BodyForm } from '../http/answer.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { keywordsOf, type JsonSchema } from '../http/schema.ts';
import { SchemaComponents } from '../openapi/components.ts';
import { exampleOf, parametersOf } from '../openapi/operation-part.ts';
import { problemsOf } from '../openapi/answer-parts.ts';
import { TAGS } from '../openapi/tags.ts';
import { DOCS_STYLE_PATH, subjectLinks, type DocsSubject } from './docs-index.ts';
import { inlineHtml, paragraphs, SchemaHtml } from './schema-html.ts';

/** The page of a subject: its operations and the schemas that it is the first to use. */
export function subjectPage(
  { tag, endpoints, schemas }: DocsSubject,
  addressOf: (schemaName: string) => string,
): string {
  const html = new SchemaHtml(addressOf);
  const operations = new OperationsHtml(html);
  const names = Object.keys(schemas).map((name) => [name, name] as const);
  const links = [...endpoints.map(({ id, summary }) => [id, summary] as const), ...names].map(
    ([id, text]) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  const articles = [
    ...endpoints.map((each) => operations.article(each)),
    ...Object.entries(schemas).map(([name, schema]) => schemaArticle(name, schema, html)),
  ];
  const contents = subjectLinks((each) => (each === tag ? `<ul>${links.join('\n')}</ul>` : ''));
  return htmlPage(
    tag,
    DOCS_STYLE_PATH,
    `<nav aria-label="Contents">${contents}</nav>
<div class="text"><h1>${escapeHtml(tag)}</h1><p>${inlineHtml(TAGS[tag] ?? '')}</p>
${articles.join('\n')}</div>`,
  );
}

function schemaArticle(name: string, schema: JsonSchema, html: SchemaHtml): string {
  const shape = html.members(schema) || `<p class="type">${html.type(schema)}</p>`;
  return `<article id="${name}"><h2>${name}</h2>${paragraphs(schema['description'] ?? schema['title'])}${shape}</article>`;
}

/** Operations as HTML; their named schemas become links. */
class OperationsHtml {
  readonly #schemas = new SchemaComponents();
  readonly #html: SchemaHtml;

  constructor(html: SchemaHtml) {
    this.#html = html;
  }

  article(endpoint: Endpoint): string {
    const { id, method, path, summary, description, access } = endpoint;
    return `<article id="${id}">
<h2>${escapeHtml(summary)}</h2>
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
      this.#html.row(each.name, each.required === true, each.schema, `${each.description} (${each.in})`),
    );
    return rows.length === 0 ? '' : `<h3>Parameters</h3><dl>${rows.join('\n')}</dl>`;
  }

  #body({ id, body }: Endpoint): string {
    if (body === undefined) return '';
    const optional = body.required ? '' : ' <span class="optional">optional</span>';
    return `<h3>Body${optional}</h3><p>${inlineHtml(body.description)}</p>${this.#forms(body.forms, id, 'request')}`;
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
        return `<p><code>${mediaType}</code> <span class="type">${this.#html.type(schema)}</span></p>${this.#html.members(schema)}${details}`;
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
    return `<h3>Answers</h3>${good.join('\n')}<details><summary>Problems (${problems.length})</summary><ul class="problems">${problems.join('')}</ul></details>`;
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
