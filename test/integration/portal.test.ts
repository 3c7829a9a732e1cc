import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { PIXEL, samplePackage } from '../support/sample-package.ts';
import { sessionCookie } from '../support/session-cookie.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { TINY_SVG } from '../support/package-builder.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ settings: { PORTAL_CLIENT_ID: 'module-portal' } });
});

afterAll(() => app.stop());

async function call(
  { admin }: Pick<TestOrganization, 'admin'>,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const Cookie = await sessionCookie(app, admin);
  return app.fetch(`/portal${path}`, { method, headers: { Cookie, Origin: app.url, ...headers } });
}

/** A vendor with a module that has two logos; returns both. */
async function vendorWithLogos(): Promise<{
  vendor: TestOrganization;
  moduleId: string;
  png: string;
  svg: string;
}> {
  const vendor = await app.organization();
  // Unique contents: stored files are shared by content.
  const png = Buffer.concat([PIXEL, Buffer.from(randomUUID())]);
  const svg = TINY_SVG.replace('<path', `<path id="a${randomUUID()}"`);
  const files = { 'ModuleLogo/logo.png': png, 'ModuleLogo/logo.svg': svg };
  const moduleFiles = [
    { file: 'ModuleToS/terms.md', countryId: 'US', languageId: 'en' },
    { file: 'ModulePrivacy/privacy.md', countryId: 'US', languageId: 'en' },
    ...Object.keys(files).map((file) => ({ file })),
  ];
  const zip = samplePackage(app.api.catalogue, { descriptor: { moduleFiles }, files });
  const answer = await app.importPackage(vendor, zip);
  expect(answer.status, answer.text).toBe(200);
  const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
  return { vendor, moduleId: String(answer.body.moduleId), png: hash(png), svg: hash(svg) };
}

test('with a session the API returns the same answers as with the token', async () => {
  const vendor = await app.organization();
  expect((await call(vendor, `/api/${vendor.id}/modules`)).body).toEqual({ items: [], nextCursor: null });
});

test('without a session the API is 401, whatever token or key is sent', async () => {
  const vendor = await app.organization();
  const headers = { Authorization: vendor.admin };
  expect((await app.fetch(`/portal/api/${vendor.id}/modules`, { headers })).status).toBe(401);
});

test('an expired session is not accepted', async () => {
  const vendor = await app.organization();
  const Cookie = await sessionCookie(app, vendor.admin, { lifetimeMs: -1_000 });
  expect((await app.fetch(`/portal/api/${vendor.id}/modules`, { headers: { Cookie } })).status).toBe(401);
});

test("the session's user is returned with the organizations that exist", async () => {
  const vendor = await app.organization();
  const { body } = await call(vendor, '/session');
  expect(body).toMatchObject({
    name: 'Tester',
    isOperator: false,
    organizations: [{ id: vendor.id, isAdmin: true }],
  });
  expect(JSON.stringify(body)).not.toContain(vendor.admin.slice(-20));
});

test('an organization whose ID in the token is not a GUID is left out', async () => {
  const admin = await app.bearer({ organizations: [{ id: "'; drop", roles: ['OrganizationAdmin'] }] });
  expect((await call({ admin }, '/session')).body).toMatchObject({ organizations: [] });
});

test('the database contains neither the secret of the cookie nor the token', async () => {
  const vendor = await app.organization();
  const cookie = await sessionCookie(app, vendor.admin);
  const rows: unknown[] = await app.api.database('sessions').select('*');
  const kept = rows
    .flatMap((row) => Object.values(row as Record<string, unknown>))
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    .join(' ');
  expect(kept).not.toContain(cookie.replace('module_session=', ''));
  expect(kept).not.toContain(vendor.admin.slice(-20));
});

test.each([
  ['from another origin', { Origin: 'https://evil.example' }],
  ['without an origin', { Origin: '' }],
])('a change %s is refused', async (_, headers) => {
  const vendor = await app.organization();
  const path = `/api/${vendor.id}/registerApiClient/${randomUUID()}`;
  expect((await call(vendor, path, { method: 'POST', headers })).status).toBe(403);
  expect((await call(vendor, '/session', { method: 'DELETE', headers })).status).toBe(403);
});

test('a read that another site makes the browser send is refused', async () => {
  const vendor = await app.organization();
  const headers = { 'Sec-Fetch-Site': 'cross-site' };
  expect((await call(vendor, `/api/${vendor.id}/modules`, { headers })).status).toBe(403);
});

test('after signing out the cookie is refused', async () => {
  const vendor = await app.organization();
  const Cookie = await sessionCookie(app, vendor.admin);
  const headers = { Cookie, Origin: app.url };
  expect((await app.fetch('/portal/session', { method: 'DELETE', headers })).status).toBe(200);
  expect((await app.fetch(`/portal/api/${vendor.id}/modules`, { headers })).status).toBe(401);
});

test('no file of a module is served to a session, however the address is encoded', async () => {
  const { vendor, moduleId } = await vendorWithLogos();
  const file = 'PackageArtifact/build/index.html';
  for (const path of [
    `/api/${vendor.id}/modules/${moduleId}/files/${file}`,
    `/API/${vendor.id}/Modules/${moduleId}/FILES/${file}`,
    `/api/${vendor.id}/modules/${moduleId}/%66iles/${file}`,
    `/api//${vendor.id}/modules/${moduleId}/files/${file}`,
    `/api/${vendor.id}/availableModules/${moduleId}/files/ModuleLogo/logo.png`,
  ])
    expect((await call(vendor, path)).status, path).toBe(404);
});

test('a logo is served to its vendor and to farmers of the tenant, and to nobody else', async () => {
  const { vendor, png } = await vendorWithLogos();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  for (const reader of [vendor, farmer]) {
    const answer = await call(reader, `/media/${png}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  }
  const stranger = await app.organization({ kind: 'farmer' });
  const rival = await app.organization({ tenantId: vendor.tenantId });
  for (const reader of [stranger, rival]) expect((await call(reader, `/media/${png}`)).status).toBe(404);
  expect((await app.fetch(`/portal/media/${png}`)).status).toBe(401);
});

test('an SVG logo is served as a download that cannot run anything, and shown as an image only', async () => {
  const { vendor, svg } = await vendorWithLogos();
  const { status, headers } = await call(vendor, `/media/${svg}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  expect(headers.get('content-disposition')).toMatch(/^attachment/);
  expect((await call(vendor, '/media/not-a-hash')).status).toBe(404);
});

test('terms are served to farmers of the tenant as a download; other files of the package are not', async () => {
  const vendor = await app.organization();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const files = { 'ModuleToS/terms.md': '# Shown terms', 'PackageArtifact/build/index.html': 'Not shown' };
  await importSample(app, vendor, { files });
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const terms = await call(farmer, `/media/${sha256('# Shown terms')}`);
  expect([terms.status, terms.text]).toEqual([200, '# Shown terms']);
  expect(terms.headers.get('content-disposition')).toMatch(/^attachment/);
  expect((await call(farmer, `/media/${sha256('Not shown')}`)).status).toBe(404);
});

test('a logo is not served for an organization that is suspended', async () => {
  const { vendor, png } = await vendorWithLogos();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const suspend = async ({ id }: TestOrganization) => {
    const body = { reason: 'Invoices are not paid.', farmersKeepAccess: true };
    const { status } = await app.as('operator').put(`/operations/organizations/${id}/suspension`, body);
    expect(status).toBe(200);
  };
  const statuses = async () =>
    Promise.all([vendor, farmer].map(async (each) => (await call(each, `/media/${png}`)).status));
  await suspend(vendor);
  expect(await statuses()).toEqual([404, 200]);
  await suspend(farmer);
  expect(await statuses()).toEqual([404, 404]);
});

test('the list of modules has names, logos and the last import', async () => {
  const { vendor, png, moduleId } = await vendorWithLogos();
  const { body } = await call(vendor, `/api/${vendor.id}/modules`);
  expect(body.items).toMatchObject([
    {
      translations: Array.from({ length: 3 }, () => ({ moduleName: 'Soil moisture' })),
      logos: [{ sha256: png }, {}],
      lastImport: { status: 'succeeded' },
    },
  ]);
  const own = await call(vendor, `/api/${vendor.id}/imports?moduleId=${moduleId}`);
  const others = await call(vendor, `/api/${vendor.id}/imports?moduleId=${randomUUID()}`);
  expect([own.body.items.length, others.body.items.length]).toEqual([1, 0]);
});

test('a callback that does not belong to a sign-in of the browser does not sign in', async () => {
  const answer = await app.fetch('/portal/sign-in/callback?code=x&state=y', { redirect: 'manual' });
  expect(answer.status).toBe(401);
  expect(answer.headers.getSetCookie().join()).not.toContain('module_session=');
});

test('operators read the number of waiting imports and deliveries; others are refused', async () => {
  const admin = await app.bearer({ operator: true });
  const { body } = await call({ admin }, '/api/operations/backlog');
  const deliveries = { waiting: 0, oldestWaitingSeconds: 0, failingWebhooks: 0, longestFailingSeconds: 0 };
  expect(body).toEqual({ queued: 0, running: 0, oldestWaitingSeconds: 0, deliveries });
  expect((await call(await app.organization(), '/api/operations/backlog')).status).toBe(403);
});

test('without a client ID there is neither portal nor queue dashboard', async () => {
  const plain = await startTestApp({ worker: false });
  for (const path of ['/portal', '/queues']) expect((await plain.fetch(path)).status, path).toBe(404);
  await plain.stop();
});

test('an https service has HSTS and accepts only its __Host- cookie, whatever a proxy forwards', async () => {
  const settings = { PORTAL_CLIENT_ID: 'module-portal', PUBLIC_URL: 'https://modules.example.com' };
  const public_ = await startTestApp({ worker: false, settings });
  const token = (await sessionCookie(public_, await public_.bearer({}))).replace('module_session=', '');
  const sessionWith = async (Cookie: string) =>
    (await public_.fetch('/portal/session', { headers: { Cookie } })).text;
  expect(await sessionWith(`__Host-module_session=${token}`)).toContain('Tester');
  expect(await sessionWith(`module_session=${token}`)).toBe('null');
  const headers = { Cookie: `__Host-module_session=${token}`, Origin: 'https://modules.example.com' };
  const { headers: answered } = await public_.fetch('/portal/session', { method: 'DELETE', headers });
  expect(answered.get('strict-transport-security')).toBe('max-age=31536000');
  const [cookie = ''] = answered.getSetCookie();
  expect(cookie).toMatch(/^__Host-module_session=;/);
  for (const part of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/;']) expect(cookie).toContain(part);
  await public_.stop();
});
