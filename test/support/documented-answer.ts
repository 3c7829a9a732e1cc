import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { ENDPOINTS } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { openApiDocument } from '../../api/openapi/openapi-document.ts';
import { PROBLEM_CODES } from '../../api/openapi/answer-parts.ts';
import { closedSchema } from './closed-schema.ts';
import type { Answer } from './test-app.ts';

interface Form {
  readonly schema: object;
  readonly 'x-part-schema'?: object;
}

interface DocumentedAnswer {
  readonly $ref?: string;
  readonly [PROBLEM_CODES]?: readonly string[];
  readonly headers?: Readonly<Record<string, { readonly required: boolean }>>;
  readonly content?: Readonly<Record<string, Form>>;
}

type Responses = Readonly<Record<string, DocumentedAnswer>>;

const document = openApiDocument(ENDPOINTS);
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, inlineRefs: false });
ajv.addSchema({ $id: 'components', ...(closedSchema({ components: document.components }) as object) });
const compiled = new Map<object, ValidateFunction>();

/** The part of a value that a closed schema of the document does not allow; null: none. */
export function issuesOf(schema: object, value: unknown): string | null {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    const text = JSON.stringify(closedSchema(schema)).replaceAll(
      '"#/components/',
      '"components#/components/',
    );
    validate = ajv.compile(JSON.parse(text) as object);
    compiled.set(schema, validate);
  }
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/** Paths in the order in which they are tried: literal segments win over parameters in braces. */
const TEMPLATES = [...new Set(ENDPOINTS.map(({ path }) => path))]
  .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  .map((path) => ({ path, pattern: patternOf(path) }));

function sortKey(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '\uffff');
}

function patternOf(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'path' ? '.+' : '[^/]+'));
  return new RegExp(`^${source}/?$`, 'i');
}

/** The operation that a request calls; null where it calls none, as with a method that is not allowed. */
export function documentedOperation(method: string, pathname: string): Endpoint | null {
  const path = TEMPLATES.find(({ pattern }) => pattern.test(pathname))?.path;
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  return ENDPOINTS.find((each) => each.path === path && each.method === verb) ?? null;
}

/** Headers that every answer may have: of HTTP itself, for the browser's safety, and for CORS. */
const COMMON =
  /^(?:access-control-.*|allow|cache-control|connection|content-(?:encoding|length|security-policy|type)|cross-origin-resource-policy|date|keep-alive|referrer-policy|strict-transport-security|transfer-encoding|vary|x-content-type-options|x-frame-options)$/;

/** Not operations of the API: the queue dashboard, the portal, and the stylesheets and scripts of our pages. */
const PAGES = /^\/(?:queues|portal)(?:\/|$)|\.(?:css|js)$/;

/** The undocumented parts of an answer; empty if it is as documented. */
export function undocumented(method: string, pathname: string, answer: Answer): readonly string[] {
  if (PAGES.test(pathname) || method === 'OPTIONS' || isNotFoundPage(pathname, answer)) return [];
  const operation = documentedOperation(method, pathname);
  if (operation === null) return checkStray(method, pathname, answer);
  const item = document.paths[operation.path] as Readonly<Record<string, { readonly responses: Responses }>>;
  const response = resolved(item[operation.method]?.responses[String(answer.status)]);
  const call = `${operation.method.toUpperCase()} ${operation.path} ${answer.status}`;
  if (response === undefined) return [`${call}: the status is not documented: ${answer.text}`];
  return [
    ...checkHeaders(response, answer),
    ...checkBody(response, method, answer),
    ...checkProblem(response, method, answer),
  ].map((each) => `${call}: ${each}`);
}

/** Outside of the API an unknown address is a page for clients that prefer HTML, as the document's description says. */
function isNotFoundPage(pathname: string, { status, headers }: Answer): boolean {
  const isPage = headers.get('content-type')?.startsWith('text/html') === true;
  return status === 404 && isPage && !pathname.startsWith('/api/');
}

function resolved(answer: DocumentedAnswer | undefined): DocumentedAnswer | undefined {
  if (answer?.$ref === undefined) return answer;
  return document.components.responses[answer.$ref.replace('#/components/responses/', '')];
}

/** A request to no operation gets 404 or 405, as a problem. */
function checkStray(method: string, pathname: string, { status, body }: Answer): readonly string[] {
  const isKnownPath = TEMPLATES.some(({ pattern }) => pattern.test(pathname));
  const statuses = isKnownPath ? [405, 404, 400] : [404, 400];
  if (!statuses.includes(status)) return [`${method} ${pathname} ${status}: the call is not documented`];
  const issue = method === 'HEAD' ? null : issuesOf(document.components.schemas['Problem'] ?? {}, body);
  return issue === null ? [] : [`${method} ${pathname} ${status}: ${issue}`];
}

function checkHeaders({ headers = {} }: DocumentedAnswer, answer: Answer): readonly string[] {
  const names = new Set(Object.keys(headers).map((each) => each.toLowerCase()));
  const strange = [...answer.headers.keys()].filter((each) => !COMMON.test(each) && !names.has(each));
  const missing = Object.entries(headers).filter(
    ([name, { required }]) => required && !answer.headers.has(name),
  );
  return [
    ...strange.map((name) => `the header ${name} is not documented`),
    ...missing.map(([name]) => `the header ${name} is missing`),
  ];
}

function checkBody({ content }: DocumentedAnswer, method: string, answer: Answer): readonly string[] {
  if (method === 'HEAD') return [];
  if (content === undefined) return answer.text === '' ? [] : ['a body is not documented'];
  const mediaType = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const form = content[mediaType] ?? content['*/*'];
  if (form === undefined) return [`the media type ${mediaType} is not documented`];
  if (!('*/*' in content) && /[/+]json$/.test(mediaType)) return listed(issuesOf(form.schema, answer.body));
  const part = form['x-part-schema'];
  if (part === undefined) return [];
  return partsOf(mediaType, answer.text).flatMap((each) => listed(issuesOf(part, each)));
}

/** A problem has the status of its answer and one of the answer's codes. */
function checkProblem(
  { [PROBLEM_CODES]: codes }: DocumentedAnswer,
  method: string,
  { status, body }: Answer,
): readonly string[] {
  if (codes === undefined || method === 'HEAD') return [];
  const types = codes.map((code) => `/problems/${code}`);
  return [
    ...(types.includes(body.type as string) ? [] : [`the problem ${body.type} is not documented`]),
    ...(body.status === status ? [] : [`the problem has the status ${body.status}`]),
  ];
}

function listed(issue: string | null): readonly string[] {
  return issue === null ? [] : [issue];
}

/** The JSON values in a text of several: the lines of NDJSON, the data of events. */
function partsOf(mediaType: string, text: string): readonly unknown[] {
  const lines = text.split('\n');
  const json =
    mediaType === 'text/event-stream'
      ? lines.flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
      : lines.filter((line) => line !== '');
  return json.map((each) => JSON.parse(each) as unknown);
}
