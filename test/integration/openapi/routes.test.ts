import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../../api/app.ts';
import { keywordsOf, type JsonSchema } from '../../../api/http/schema.ts';
import { openApiDocument } from '../../../api/openapi/openapi-document.ts';
import { ENDPOINTS } from '../../../api/endpoints.ts';
import { TAGS } from '../../../api/openapi/tags.ts';
import { closedSchema } from '../../support/closed-schema.ts';
import { undocumented } from '../../support/documented-answer.ts';
import { expressRoutes } from '../../support/express-routes.ts';
import { startTestApp, type Answer, type TestApp } from '../../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
});

afterAll(() => app.stop());

/** Stylesheets, and the redirect of `/`. */
const NO_CALL = /\.css$|^GET \/$/;

test('every route of the application is in the document, and every call of the document is a route', () => {
  const routes = expressRoutes(createApp(app.api)).filter((each) => !NO_CALL.test(each));
  const documented = ENDPOINTS.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(routes.length).toBeGreaterThan(40);
  expect([...new Set(routes)].toSorted()).toEqual(documented.toSorted());
});

test('the comparison of routes excludes only stylesheets and /', () => {
  const left = expressRoutes(createApp(app.api)).filter((each) => NO_CALL.test(each));
  const styles = ['GET /docs/guide.css', 'GET /docs/style.css', 'GET /problems/style.css'];
  expect([...new Set(left)].toSorted()).toEqual(['GET /', ...styles]);
});

test('every call has an ID and a tag that the document defines', () => {
  const ids = ENDPOINTS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...new Set(ENDPOINTS.map(({ tag }) => tag))].toSorted()).toEqual(Object.keys(TAGS).toSorted());
});

/** Matches the paths that Express routes to an endpoint: `{path}` also matches slashes. */
function patternOf(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'path' ? '.+' : '[^/]+'));
  return new RegExp(`^${source}$`, 'i');
}

test('no path comes after another one that matches it too: its endpoint would never be called', () => {
  const paths = [...new Set(ENDPOINTS.map(({ path }) => path))];
  const hidden = paths.filter((path, index) => {
    const sample = path.replaceAll(/\{\w+\}/g, 'x');
    return paths.slice(0, index).some((earlier) => patternOf(earlier).test(sample));
  });
  expect(hidden).toEqual([]);
});

test('each parameter of a query has a schema that text can meet', () => {
  const schemas = ENDPOINTS.flatMap(({ id, query }) =>
    Object.entries(query).map(([name, schema]): JsonSchema => ({ id, name, ...keywordsOf(schema) })),
  );
  for (const { id, name, type, minimum, maximum } of schemas) {
    expect(['string', 'boolean', 'integer'], `${String(id)} ${String(name)}`).toContain(type);
    if (type === 'integer') expect([typeof minimum, typeof maximum]).toEqual(['number', 'number']);
    if (type === 'integer') expect(minimum).toBeGreaterThanOrEqual(0);
  }
});

test('/openapi.json is the document, for every client and every origin', async () => {
  const { status, headers, body } = await app.fetch('/openapi.json');
  expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(openApiDocument(ENDPOINTS)))]);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  const known = { headers: { 'If-None-Match': headers.get('etag') ?? '' } };
  expect((await app.fetch('/openapi.json', known)).status).toBe(304);
});

test('/openapi.json names the address that clients use', async () => {
  const settings = { PUBLIC_URL: 'https://modules.example.com' };
  const public_ = await startTestApp({ worker: false, settings });
  const { body } = await public_.fetch('/openapi.json');
  await public_.stop();
  expect(body.servers).toEqual([{ url: 'https://modules.example.com' }]);
});

test('/docs is one page without scripts, under a policy that allows none', async () => {
  const { status, headers, text } = await app.fetch('/docs');
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/);
  expect(headers.get('content-security-policy')).not.toContain('unsafe');
  expect(text).not.toMatch(/<script| style=| on\w+=|(?:src|href)="(?:https?:)?\/\//);
  for (const { id, path } of ENDPOINTS) {
    expect(text).toContain(`<article id="${id}">`);
    expect(text).toContain(path);
  }
  const anchors = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  const missing = anchors.filter((id) => !text.includes(`id="${id ?? ''}"`));
  expect(missing).toEqual([]);
  expect((await app.fetch('/docs/style.css')).headers.get('content-type')).toMatch(/^text\/css/);
});

test('/docs and each problem page lead to the guides, which are pages without scripts', async () => {
  for (const address of ['/docs', '/problems/layout-entry-unexpected', '/problems/auth-api-key-invalid']) {
    const { text } = await app.fetch(address, { headers: { Accept: 'text/html' } });
    for (const name of ['package', 'backends']) expect(text).toContain(`href="/docs/${name}"`);
  }
  for (const [name, heading] of [
    ['package', 'Files and folders'],
    ['backends', 'Raise and resolve alerts'],
  ]) {
    const { status, headers, text } = await app.fetch(`/docs/${name}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(text).toContain(`>${heading}</h2>`);
    expect(text).not.toMatch(/<script| style=| on\w+=/);
    expect(text).toContain('href="/docs/guide.css"');
  }
  expect((await app.fetch('/docs/guide.css')).headers.get('content-type')).toMatch(/^text\/css/);
  expect((await app.fetch('/docs/none')).status).toBe(404);
});

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  const all = { 'Content-Type': 'application/json', 'X-Trace-Id': '0'.repeat(32), ...headers };
  return { status, headers: new Headers(all), text: JSON.stringify(body), body };
}

test('the check of all answers detects an undocumented status, member, header and call', () => {
  const path = '/api/v8.0/CommonData';
  const good = { items: [{ key: 'crops', count: 1 }] };
  expect(undocumented('GET', path, answer(200, good))).toEqual([]);
  expect(undocumented('GET', path, answer(418, good)).join()).toContain('the status is not documented');
  expect(undocumented('GET', path, answer(200, { ...good, more: 1 })).join()).toContain(
    'additional properties',
  );
  expect(undocumented('GET', path, answer(200, { items: [{ key: 'crops' }] })).join()).toContain('count');
  expect(undocumented('GET', path, answer(200, good, { 'X-More': '1' })).join()).toContain('x-more');
  expect(undocumented('GET', `${path}s/x/y`, answer(200, good)).join()).toContain(
    'the call is not documented',
  );
  expect(undocumented('GET', path, answer(200, good, { 'Content-Type': 'text/csv' })).join()).toContain(
    'text/csv',
  );
});

test('closing a schema keeps its rule for other members', () => {
  const open = { type: 'object', properties: { a: { type: 'object', properties: { b: {} } } } };
  expect(closedSchema(open)).toMatchObject({
    additionalProperties: false,
    properties: { a: { additionalProperties: false } },
  });
  const named = { type: 'object', properties: {}, additionalProperties: { type: 'string' } };
  expect(closedSchema(named)).toEqual(named);
});
