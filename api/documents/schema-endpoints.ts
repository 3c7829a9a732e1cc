import { Type } from 'typebox';
import { catalogueSchema } from '../../shared/catalogue/catalogue-schema.ts';
import { alertRulesFileSchema } from '../../shared/package/alert-rules/alert-rules-schema.ts';
import { moduleSchema } from '../../shared/package/descriptor/module-schema.ts';
import { rolesEntitiesSchema } from '../../shared/package/roles/roles-schema.ts';
import { anyone } from '../auth/endpoint-access.ts';
import { escapeHtml } from '../../shared/package/text/html.ts';
import { htmlPage } from '../http/answer/html.ts';
import { PublicDocument, publicDocumentAnswers } from '../http/answer/public-document.ts';
import { endpoint } from '../http/endpoint.ts';
import { found } from '../http/problem.ts';
import { page, PAGE_QUERY, sliceAnswer } from '../http/pagination.ts';
import { IF_NONE_MATCH } from '../http/request/conditional-request.ts';
import { namedObject, oneOf, text } from '../http/schema.ts';
import { DOCUMENT_LINKS } from './guide-pages.ts';
import { sendPageOrJson, withHtml } from './page-answers.ts';
import { PROBLEMS_STYLE_PATH } from './problem-pages.ts';

/** The schemas of a package's files by file name; packages are validated with the same objects. */
export const PACKAGE_SCHEMAS = {
  'module-schema.json': moduleSchema,
  'roles-entities.json': rolesEntitiesSchema,
  'alert-rules.json': alertRulesFileSchema,
} as const;

/** All schemas that are served. */
export const FILE_SCHEMAS = { ...PACKAGE_SCHEMAS, 'catalogue.json': catalogueSchema } as const;

/** The file that each schema describes. */
const FILES = {
  'module-schema.json': 'moduleSchema.json',
  'roles-entities.json': 'ModuleSpecificRolesEntitiesDefinition/<name>.json',
  'alert-rules.json': 'AlertRuleDefinitionFile/<name>.yaml',
  'catalogue.json': 'CATALOGUE_FILE',
} as const satisfies Record<keyof typeof FILE_SCHEMAS, string>;

const DOCUMENTS = new Map(
  Object.entries(FILE_SCHEMAS).map(([name, schema]) => [name, PublicDocument.json(schema)]),
);

const schemaItem = namedObject('FileSchema', 'A schema of files.', {
  name: text('The name of the schema; its address is `/schemas/` and the name.'),
  file: text('The file that it describes: of a package, or of the setting with this name.'),
});

const ITEMS = Object.entries(FILES).map(([name, file]) => ({ name, file }));

const listSchemas = endpoint('get', '/schemas', {
  id: 'listSchemas',
  summary: 'List the JSON Schemas of files',
  access: anyone,
  query: PAGE_QUERY,
  answers: { 200: withHtml(page(schemaItem, 'schemas'), ['Cache-Control']) },
  handle: (call) => sendPageOrJson(call, listHtml, () => sliceAnswer(call, ITEMS)),
});

function listHtml(): string {
  const rows = ITEMS.map(
    ({ name, file }) =>
      `<tr><td><a href="/schemas/${name}">${name}</a></td><td><code>${escapeHtml(file)}</code></td></tr>`,
  );
  return htmlPage(
    'Schemas of files',
    PROBLEMS_STYLE_PATH,
    `<h1>Schemas of files</h1>
<p>JSON Schemas for editors. The server validates with the same schemas.</p>
<table>
${rows.join('\n')}
</table>
<p>${DOCUMENT_LINKS.join(' · ')}</p>`,
  );
}

const readSchema = endpoint('get', '/schemas/{name}', {
  id: 'readSchema',
  summary: 'Read a JSON Schema of files',
  description:
    'For editors: of the files of packages, and of the catalogue of a platform. The server validates with the same schemas.',
  access: anyone,
  parameters: {
    name: Type.Unsafe<string>({
      ...oneOf(Object.keys(FILE_SCHEMAS), 'The name of a schema.'),
      example: 'module-schema.json',
    }),
  },
  headers: IF_NONE_MATCH,
  answers: publicDocumentAnswers('The schema.'),
  problems: ['not-found'],
  handle: ({ request, response, path }) =>
    found(DOCUMENTS.get(path.name), 'There is no such schema.').send(request, response),
});

/** The schemas of files. */
export const SCHEMA_ENDPOINTS = [listSchemas, readSchema];
