import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../../api/app.ts';
import { keywordsOf, type JsonSchema } from '../../../api/http/schema.ts';
import { openApiDocument } from '../../../api/openapi/openapi-document.ts';
import { pageNameOf } from '../../../api/documents/docs-index.ts';
import { PROBLEM_PAGES } from '../../../api/documents/problem-pages.ts';
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

/** Stylesheets and the script of pages, and the redirect of `/`. */
const NO_CALL = /\.(?:css|js)$|^GET \/$/;

test('every route of the application is in the document, and every call of the document is a route', () => {
  const routes = expressRoutes(createApp(app.api)).filter((each) => !NO_CALL.test(each));
  const documented = ENDPOINTS.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(routes.length).toBeGreaterThan(40);
  expect([...new Set(routes)].toSorted()).toEqual(documented.toSorted());
});

test('the comparison of routes excludes only files of pages and /', () => {
  const left = expressRoutes(createApp(app.api)).filter((each) => NO_CALL.test(each));
  const files = ['docs/guide.css', 'docs/search.js', 'docs/style.css', 'problems/style.css'];
  expect([...new Set(left)].toSorted()).toEqual(['GET /', ...files.map((each) => `GET /${each}`)]);
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

test('/openapi.json is compressed for who accepts gzip, and the same document for who does not', async () => {
  const [packed, plain] = await Promise.all(
    ['gzip', 'identity'].map((each) => app.fetch('/openapi.json', { headers: { 'Accept-Encoding': each } })),
  );
  expect(packed?.body).toEqual(plain?.body);
  expect(packed?.headers.get('content-encoding')).toBe('gzip');
  expect(plain?.headers.get('content-encoding')).toBeNull();
  const [few, many] = [packed, plain].map((each) => Number(each?.headers.get('content-length')));
  expect(few).toBeLessThan((many ?? 0) / 4);
});

test('/openapi.json names the address that clients use', async () => {
  const settings = { PUBLIC_URL: 'https://modules.example.com' };
  const public_ = await startTestApp({ worker: false, settings });
  const { body } = await public_.fetch('/openapi.json');
  await public_.stop();
  expect(body.servers).toEqual([{ url: 'https://modules.example.com' }]);
});

const BROWSER = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
const STRICT = /^default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors/;
/** What a page without scripts, styles of its own and other origins does not have. */
const FOREIGN = /<script| style=| on\w+=|src="(?:https?:)?\/\//;

/** The pages of the documentation by address, the index first. */
async function readDocs(): Promise<ReadonlyMap<string, Answer>> {
  const addresses = ['/docs', ...Object.keys(TAGS).map((tag) => `/docs/${pageNameOf(tag)}`)];
  const answers = addresses.map(async (each) => [each, await app.fetch(each)] as const);
  return new Map(await Promise.all(answers));
}

test('each operation is on the page of its subject and in the index, and no page is large', async () => {
  const pages = await readDocs();
  const index = pages.get('/docs')?.text ?? '';
  for (const { id, path, tag } of ENDPOINTS) {
    const page = `/docs/${pageNameOf(tag)}`;
    expect(pages.get(page)?.text).toContain(`<article id="${id}">`);
    expect(pages.get(page)?.text).toContain(path);
    expect(index).toContain(`href="${page}#${id}"`);
  }
  for (const code of PROBLEM_PAGES.keys()) expect(index).toContain(`href="/problems/${code}"`);
  for (const [address, { text }] of pages) expect(text.length, address).toBeLessThan(200_000);
});

test('each link between pages of the documentation leads to something', async () => {
  const pages = await readDocs();
  const targets = new Set(
    [...pages].flatMap(([address, { text }]) => {
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => `${address}#${id}`);
      return [address, ...ids];
    }),
  );
  const links = [...pages].flatMap(([address, { text }]) =>
    [...text.matchAll(/href="((?:\/docs)?[^"]*)"/g)].map(([, href = '']) =>
      href.startsWith('#') ? address + href : href,
    ),
  );
  const guides = /^\/docs\/(?:package|backends|hosts|style\.css)$/;
  const within = links.filter((each) => each.startsWith('/docs') && !guides.test(each));
  expect(within.filter((each) => !targets.has(each))).toEqual([]);
});

test('pages of the documentation have no scripts, except the search of the index', async () => {
  for (const [address, { status, headers, text }] of await readDocs()) {
    const policy = headers.get('content-security-policy') ?? '';
    expect(status).toBe(200);
    if (address === '/docs') {
      expect(policy).toMatch(/^script-src 'self'; default-src 'none';/);
      expect(text.replace('<script src="/docs/search.js" type="module"></script>', '')).not.toMatch(FOREIGN);
    } else {
      expect(policy).toMatch(STRICT);
      expect(text).not.toMatch(FOREIGN);
    }
    expect(policy).not.toContain('unsafe');
  }
  for (const [file, type] of [
    ['style.css', 'text/css'],
    ['search.js', 'text/javascript'],
  ]) {
    const { headers } = await app.fetch(`/docs/${file}`);
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  }
});

test('/schemas is a page for browsers, and a list for others', async () => {
  const page = await app.fetch('/schemas', BROWSER);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toMatch(STRICT);
  const { body } = await app.fetch('/schemas');
  expect(body.items).toHaveLength(4);
  for (const { name } of body.items) {
    expect(page.text).toContain(`href="/schemas/${String(name)}"`);
    expect((await app.fetch(`/schemas/${String(name)}`)).status).toBe(200);
  }
});

test.each(['/nothing', '/docs/none', '/schemas/none.json', '/problems/none'])(
  'the unknown address %s is a page for browsers, and a problem for others',
  async (address) => {
    const page = await fetch(app.url + address, BROWSER);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toMatch(STRICT);
    expect(await page.text()).toContain('<a href="/docs">');
    const { status, body } = await app.fetch(address);
    expect([status, body.type]).toEqual([404, '/problems/not-found']);
  },
);

test('an unknown address of the API is a problem for every client', async () => {
  const { status, body } = await app.fetch('/api/v8.0/nothing', BROWSER);
  expect([status, body.type]).toEqual([404, '/problems/not-found']);
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
  const rates = { 'RateLimit-Policy': '"requests";q=10;w=10', RateLimit: '"requests";r=9;t=1' };
  const all = { 'Content-Type': 'application/json', 'X-Trace-Id': '0'.repeat(32), ...rates, ...headers };
  return { status, headers: new Headers(all), text: JSON.stringify(body), body };
}

test('the check of all answers detects an undocumented status, member, header and call', () => {
  const path = '/api/v8.0/CommonData';
  const good = { items: [{ key: 'crops', count: 1 }], nextCursor: null };
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
