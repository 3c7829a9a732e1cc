import { REQUEST_PROBLEMS } from '../http/request-problem-codes.ts';
import { escapeHtml, htmlPage } from '../http/html.ts';
import { exampleOf, openApiDocument, SCHEMAS } from '../openapi/openapi-document.ts';
import { NEEDS, OPERATIONS, TAGS } from '../openapi/all-operations.ts';
import type { BodyForm, Operation } from '../openapi/operation.ts';
import { pathParameters } from '../openapi/parameters.ts';
import { problemsOf } from '../openapi/problem-answers.ts';
import { inlineHtml, membersHtml, rowHtml, typeHtml } from './schema-html.ts';

/** Where the page's stylesheet is. */
export const DOCS_STYLE_PATH = '/docs/style.css';

/** The OpenAPI document as a page for people: no script, one stylesheet, nothing from elsewhere. */
export function docsPage(): string {
  const { info } = openApiDocument();
  const sections = Object.entries(TAGS).map(([tag, text]) => sectionHtml(tag, text));
  const schemas = Object.entries(SCHEMAS).map(
    ([name, schema]) =>
      `<article id="schema-${name}"><h3>${name}</h3>${paragraphs(schema['description'] ?? schema['title'])}${membersHtml(schema) || `<p class="type">${typeHtml(schema)}</p>`}</article>`,
  );
  return htmlPage(
    info.title,
    DOCS_STYLE_PATH,
    `<nav aria-label="Contents">${contentsHtml()}</nav>
<div class="text">
<header><h1>${escapeHtml(info.title)}</h1>
${paragraphs(info.description)}
<p>The same for programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). Schemas of a package's files:
${['module-schema', 'roles-entities', 'alert-rules'].map((name) => `<a href="/schemas/${name}.json">${name}</a>`).join(', ')}.
<a href="/problems">Every problem</a>.</p></header>
${sections.join('\n')}
<section id="schemas"><h2>Schemas</h2>
${schemas.join('\n')}
</section>
</div>`,
  );
}

function anchor(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

function contentsHtml(): string {
  const groups = Object.keys(TAGS).map((tag) => {
    const links = operationsOf(tag).map(
      ({ id, summary }) => `<li><a href="#${id}">${escapeHtml(summary)}</a></li>`,
    );
    return `<li><a href="#${anchor(tag)}">${escapeHtml(tag)}</a><ul>${links.join('')}</ul></li>`;
  });
  return `<ul>${groups.join('\n')}<li><a href="#schemas">Schemas</a></li></ul>`;
}

function operationsOf(tag: string): readonly Operation[] {
  return OPERATIONS.filter((each) => each.tag === tag);
}

function sectionHtml(tag: string, text: string): string {
  const articles = operationsOf(tag).map(operationHtml);
  return `<section id="${anchor(tag)}"><h2>${escapeHtml(tag)}</h2><p>${inlineHtml(text)}</p>\n${articles.join('\n')}\n</section>`;
}

function paragraphs(text: unknown): string {
  if (typeof text !== 'string') return '';
  return text
    .split('\n\n')
    .map((each) => `<p>${inlineHtml(each)}</p>`)
    .join('\n');
}

function operationHtml(operation: Operation): string {
  const { id, method, path, summary, description, access } = operation;
  return `<article id="${id}">
<h3>${escapeHtml(summary)}</h3>
<p class="call"><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></p>
${paragraphs(description)}
<p class="needs">${inlineHtml(NEEDS[access])}</p>
${parametersHtml(operation)}
${bodyHtml(operation)}
${answersHtml(operation)}
</article>`;
}

function parametersHtml({ path, parameters = [] }: Operation): string {
  const all = [...pathParameters(path), ...parameters];
  if (all.length === 0) return '';
  const rows = all.map((each) =>
    rowHtml(each.name, each.required === true, each.schema, `${each.description} (${each.in})`),
  );
  return `<h4>Parameters</h4><dl>${rows.join('\n')}</dl>`;
}

function bodyHtml({ id, body }: Operation): string {
  if (body === undefined) return '';
  const optional = body.required ? '' : ' <span class="optional">optional</span>';
  return `<h4>Body${optional}</h4><p>${inlineHtml(body.description)}</p>${formsHtml(body.forms, id, 'request')}`;
}

function formsHtml(forms: Readonly<Record<string, BodyForm>>, id: string, of: number | 'request'): string {
  return Object.entries(forms)
    .map(([mediaType, { schema }]) => {
      const example = exampleOf(id, of, mediaType);
      const shown = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
      const told =
        example === undefined
          ? ''
          : `<details><summary>Example</summary><pre tabindex="0">${escapeHtml(shown)}</pre></details>`;
      return `<p><code>${mediaType}</code> <span class="type">${typeHtml(schema)}</span></p>${membersHtml(schema)}${told}`;
    })
    .join('\n');
}

function answersHtml(operation: Operation): string {
  const good = Object.entries(operation.answers).map(
    ([status, { description, forms = {}, headers = [] }]) =>
      `<div class="answer"><p><strong>${status}</strong> ${inlineHtml(description)}</p>${formsHtml(forms, operation.id, Number(status))}${headersHtml(headers)}</div>`,
  );
  const problems = problemsOf(operation).map((code) => {
    const { status, title } = REQUEST_PROBLEMS[code];
    return `<li><strong>${status}</strong> <a href="/problems/${code}"><code>${code}</code></a> ${escapeHtml(title)}</li>`;
  });
  const list =
    problems.length === 0
      ? ''
      : `<details><summary>Problems (${problems.length})</summary><ul class="problems">${problems.join('')}</ul></details>`;
  return `<h4>Answers</h4>${good.join('\n')}${list}`;
}

function headersHtml(headers: readonly string[]): string {
  if (headers.length === 0) return '';
  const names = headers.map((each) => `<code>${each.replace(/\?$/, '')}</code>`);
  return `<p class="bounds">Headers: ${names.join(', ')}</p>`;
}
