import { Type } from 'typebox';
import { anyone } from '../auth/endpoint-access.ts';
import { readResourceMetadata } from '../auth/resource-metadata-endpoint.ts';
import { json, SENT } from '../http/answer.ts';
import { PublicDocument, publicDocumentAnswers } from '../http/answer/public-document.ts';
import { endpoint, tagged, type Endpoint, type TaggedEndpoint } from '../http/endpoint.ts';
import { found } from '../http/problem.ts';
import { page, PAGE_QUERY, sliceAnswer } from '../http/pagination.ts';
import { IF_NONE_MATCH } from '../http/request/conditional-request.ts';
import { namedObject, oneOf, text } from '../http/schema.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { TAGS } from '../openapi/tags.ts';
import { COMMAND_LINE_ENDPOINTS } from './command-line-endpoints.ts';
import { docsIndex, docsSubjects, pageNameOf } from './docs-index.ts';
import { subjectPage } from './docs-pages.ts';
import { GUIDE_NAMES, guideHtml } from './guide-pages.ts';
import { PAGE_ANSWERS, PAGE_HEADERS, sendPage, withHtml } from './page-answers.ts';
import { codeHtml, indexHtml, PROBLEM_PAGES, pageOf } from './problem-pages.ts';
import { SCHEMA_ENDPOINTS } from './schema-endpoints.ts';

/** Documents about the service; `all` returns every endpoint, including these. */
export function documentEndpoints(all: () => readonly TaggedEndpoint[]): readonly TaggedEndpoint[] {
  return tagged('Documents', [
    readResourceMetadata,
    openApiEndpoint(all),
    ...docsEndpoints(all),
    ...SCHEMA_ENDPOINTS,
    listProblems,
    readProblem,
    ...COMMAND_LINE_ENDPOINTS,
  ]);
}

function openApiEndpoint(all: () => readonly TaggedEndpoint[]): Endpoint {
  // By public URL.
  const documents = new Map<string, PublicDocument>();
  return endpoint('get', '/openapi.json', {
    id: 'readOpenApi',
    summary: 'Read the OpenAPI document',
    access: anyone,
    headers: IF_NONE_MATCH,
    answers: publicDocumentAnswers('OpenAPI 3.1.'),
    handle({ api, request, response }) {
      const url = api.config.server.publicUrl ?? '/';
      const document = documents.get(url) ?? PublicDocument.json(openApiDocument(all(), url));
      documents.set(url, document);
      return document.send(request, response);
    },
  });
}

/** The index is the only page with a script, its search. */
const INDEX_HEADERS = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': `script-src 'self'; ${PAGE_HEADERS['Content-Security-Policy']}`,
};

/** The pages of the documentation by name; the index has none. */
function docsPages(endpoints: readonly TaggedEndpoint[]): ReadonlyMap<string, string> {
  const subjects = docsSubjects(endpoints);
  const addresses = new Map(
    subjects.flatMap(({ tag, schemas }) =>
      Object.keys(schemas).map((name) => [name, `/docs/${pageNameOf(tag)}#${name}`] as const),
    ),
  );
  const addressOf = (name: string) => addresses.get(name) ?? '/docs';
  return new Map([
    ['', docsIndex(subjects)],
    ...subjects.map((each) => [pageNameOf(each.tag), subjectPage(each, addressOf)] as const),
    ...GUIDE_NAMES.map((name) => [name, guideHtml(name)] as const),
  ]);
}

function docsEndpoints(all: () => readonly TaggedEndpoint[]): readonly Endpoint[] {
  let pages: ReadonlyMap<string, string> | undefined;
  const pageOf = (name: string) => {
    pages ??= docsPages(all());
    return found(pages.get(name), 'There is no such page.');
  };
  const readDocs = endpoint('get', '/docs', {
    id: 'readDocs',
    summary: 'Read the index of the documentation',
    access: anyone,
    answers: PAGE_ANSWERS,
    handle: ({ response }) => sendPage(response, pageOf(''), INDEX_HEADERS),
  });
  const readDocsPage = endpoint('get', '/docs/{page}', {
    id: 'readDocsPage',
    summary: 'Read a page of the documentation',
    description: 'A guide, or the operations and schemas of a subject.',
    access: anyone,
    parameters: {
      page: Type.Unsafe<string>({
        ...oneOf([...GUIDE_NAMES, ...Object.keys(TAGS).map(pageNameOf)], 'The name of a page.'),
        example: 'package',
      }),
    },
    answers: PAGE_ANSWERS,
    problems: ['not-found'],
    handle: ({ response, path }) => sendPage(response, pageOf(path.page)),
  });
  return [readDocs, readDocsPage];
}

const problemPage = namedObject('ProblemPage', 'The explanation of a code.', {
  code: text('The problem code.'),
  kind: text('The kind of problem: `error`, `warning`, either, or the HTTP status.'),
  title: text('A short summary of the code.'),
  explanation: text('The meaning of the problem.'),
  remedy: text('The steps that resolve the problem.'),
});

const PROBLEMS_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
  'Cache-Control': 'public, max-age=3600',
};

const listProblems = endpoint('get', '/problems', {
  id: 'listProblems',
  summary: 'List problem codes',
  description: 'Browsers get one page with all codes.',
  access: anyone,
  query: PAGE_QUERY,
  answers: { 200: withHtml(page(problemPage, 'problem codes', { brief: 'codes' }), ['Cache-Control']) },
  handle(call) {
    const { request, response } = call;
    response.set(PROBLEMS_HEADERS).vary('Accept');
    if (request.accepts(['html', 'json']) === 'json')
      response.json(sliceAnswer(call, [...PROBLEM_PAGES.values()]));
    else response.type('html').send(indexHtml());
    return SENT;
  },
});

const readProblem = endpoint('get', '/problems/{code}', {
  id: 'readProblem',
  summary: 'Read a problem code',
  access: anyone,
  parameters: {
    code: Type.String({ maxLength: 64, description: 'A problem code.', example: 'not-found' }),
  },
  answers: { 200: withHtml(json('The explanation.', problemPage), ['Cache-Control']) },
  problems: ['not-found'],
  handle({ request, response, path }) {
    const page = found(pageOf(path.code), 'There is no such problem code.');
    response.set(PROBLEMS_HEADERS).vary('Accept');
    if (request.accepts(['html', 'json']) === 'json') response.json(page);
    else response.type('html').send(codeHtml(page));
    return SENT;
  },
});
