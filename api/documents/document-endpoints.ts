import path from 'node:path';
import type { Response } from 'express';
import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { anyone } from '../auth/endpoint-access.ts';
import { json, SENT, type Answer, type Answers } from '../http/answer.ts';
import { endpoint, tagged, type Endpoint, type TaggedEndpoint } from '../http/endpoint.ts';
import { IF_NONE_MATCH } from '../http/request/conditional-request.ts';
import { ProblemError } from '../http/problem.ts';
import { PublicDocument, publicDocumentAnswers, publicTextAnswers } from '../http/answer/public-document.ts';
import { namedObject, listOf, oneOf, text } from '../http/schema.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { docsPage } from './docs-page.ts';
import { GUIDE_NAMES, guideHtml } from './guide-pages.ts';
import { readResourceMetadata } from '../auth/resource-metadata-endpoint.ts';
import { codeHtml, indexHtml, PROBLEM_PAGES } from './problem-pages.ts';
import { alertRulesFileSchema } from '../../shared/package/alert-rules/alert-rules-schema.ts';
import { moduleSchema } from '../../shared/package/descriptor/module-schema.ts';
import { rolesEntitiesSchema } from '../../shared/package/roles/roles-schema.ts';

/** The schemas of a package's files by file name; packages are validated with the same objects. */
export const PACKAGE_SCHEMAS = {
  'module-schema.json': moduleSchema,
  'roles-entities.json': rolesEntitiesSchema,
  'alert-rules.json': alertRulesFileSchema,
} as const;

const html = { schema: text('The page as HTML.') };
const DOCS_PAGE = {
  200: { description: 'The page.', forms: { 'text/html': html }, headers: ['Cache-Control'] },
} satisfies Answers;

/** Documents about the service; `all` returns every endpoint, including these. */
export function documentEndpoints(all: () => readonly TaggedEndpoint[]): readonly TaggedEndpoint[] {
  const documents = [openApiEndpoint(all), docsEndpoint(all), readGuide, packageSchema];
  return tagged('Documents', [
    readResourceMetadata,
    ...documents,
    listProblems,
    readProblem,
    readCommandLine,
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
      document.send(request, response);
      return SENT;
    },
  });
}

const DOCS_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'public, max-age=300',
};

function sendPage(response: Response, headers: Readonly<Record<string, string>>, page: string) {
  response.set(headers).type('html').send(page);
  return SENT;
}

function docsEndpoint(all: () => readonly TaggedEndpoint[]): Endpoint {
  let page: string | undefined;
  return endpoint('get', '/docs', {
    id: 'readDocs',
    summary: 'Read the documentation page',
    access: anyone,
    answers: DOCS_PAGE,
    handle({ response }) {
      page ??= docsPage(all());
      return sendPage(response, DOCS_HEADERS, page);
    },
  });
}

const readGuide = endpoint('get', '/docs/{guide}', {
  id: 'readGuide',
  summary: 'Read a guide',
  description: "The contents of a package, and the work of a module's back end.",
  access: anyone,
  parameters: {
    guide: Type.Unsafe<string>({ ...oneOf(GUIDE_NAMES, 'The name of a guide.'), example: 'package' }),
  },
  answers: DOCS_PAGE,
  problems: ['not-found'],
  handle({ response, path }) {
    const name = GUIDE_NAMES.find((each) => each === path.guide);
    if (name === undefined) throw new ProblemError('not-found', 'There is no such guide.');
    return sendPage(response, DOCS_HEADERS, guideHtml(name));
  },
});

const SCHEMA_DOCUMENTS = new Map(
  Object.entries(PACKAGE_SCHEMAS).map(([name, schema]) => [name, PublicDocument.json(schema)]),
);

const packageSchema = endpoint('get', '/schemas/{name}', {
  id: 'readSchema',
  summary: 'Read a JSON Schema of package files',
  description: 'For editors. The server validates packages with the same schemas.',
  access: anyone,
  parameters: {
    name: Type.Unsafe<string>({
      ...oneOf(Object.keys(PACKAGE_SCHEMAS), 'The name of a schema.'),
      example: 'module-schema.json',
    }),
  },
  headers: IF_NONE_MATCH,
  answers: publicDocumentAnswers('The schema.'),
  problems: ['not-found'],
  handle({ request, response, path }) {
    const document = SCHEMA_DOCUMENTS.get(path.name);
    if (document === undefined) throw new ProblemError('not-found', 'There is no such schema.');
    document.send(request, response);
    return SENT;
  },
});

const problemPage = namedObject('ProblemPage', 'The explanation of a code.', {
  code: text('The problem code.'),
  kind: text('The kind of problem: `error`, `warning`, or the HTTP status.'),
  title: text('A short summary of the code.'),
  explanation: text('The meaning of the problem.'),
  remedy: text('The steps that resolve the problem.'),
});

const problemPages = namedObject('ProblemPages', 'All problem codes.', {
  items: listOf(problemPage, 'The pages, by code.'),
});

const PROBLEMS_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
  'Cache-Control': 'public, max-age=3600',
  Vary: 'Accept',
};

const listProblems = endpoint('get', '/problems', {
  id: 'listProblems',
  summary: 'List problem codes',
  access: anyone,
  answers: { 200: withHtml(json('The codes.', problemPages, ['Cache-Control'])) },
  handle({ request, response }) {
    response.set(PROBLEMS_HEADERS);
    if (request.accepts(['html', 'json']) === 'json') response.json({ items: [...PROBLEM_PAGES.values()] });
    else response.type('html').send(indexHtml());
    return SENT;
  },
});

const readProblem = endpoint('get', '/problems/{code}', {
  id: 'readProblem',
  summary: 'Read a problem code',
  access: anyone,
  parameters: {
    code: Type.Unsafe<string>({
      ...oneOf([...PROBLEM_PAGES.keys()], 'A problem code.'),
      example: 'not-found',
    }),
  },
  answers: { 200: withHtml(json('The explanation.', problemPage, ['Cache-Control'])) },
  problems: ['not-found'],
  handle({ request, response, path }) {
    const page = PROBLEM_PAGES.get(path.code);
    if (page === undefined) throw new ProblemError('not-found', 'There is no such problem code.');
    response.set(PROBLEMS_HEADERS);
    if (request.accepts(['html', 'json']) === 'json') response.json(page);
    else response.type('html').send(codeHtml(page));
    return SENT;
  },
});

function withHtml<Body>(answer: Answer<Body>): Answer<Body> {
  return { ...answer, forms: { ...answer.forms, 'text/html': html } };
}

const MEDIA_TYPE = 'text/javascript';
/** Where the build writes the program: beside the compiled service, whether this runs compiled or not. */
const FILES = ['../../cli', '../../dist/cli'].map((each) =>
  path.resolve(import.meta.dirname, each, 'modulectl.mjs'),
);

let program: PublicDocument | undefined;

/** The program, read once; null if it was not built. */
function builtProgram(): PublicDocument | null {
  for (const file of program === undefined ? FILES : []) {
    try {
      program = new PublicDocument(readFileSync(file), MEDIA_TYPE);
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return program ?? null;
}

/** The command line of the same version as the server. */
export const readCommandLine = endpoint('get', '/cli/modulectl.mjs', {
  id: 'readCommandLine',
  summary: 'Download modulectl',
  description: 'The command line of this version: one file that needs only Node.',
  access: anyone,
  headers: IF_NONE_MATCH,
  answers: publicTextAnswers('The program.', MEDIA_TYPE),
  problems: ['not-found'],
  handle({ request, response }) {
    const built = builtProgram();
    if (built === null) throw new ProblemError('not-found', 'This server was built without modulectl.');
    built.send(request, response);
    return SENT;
  },
});
