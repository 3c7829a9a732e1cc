import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';

const HOST = 'https://farm.example.com';
const test = serviceTest({
  settings: { APP_HOST_ORIGINS: `${HOST},https://other.example.com`, PORTAL_CLIENT_ID: 'module-portal' },
});

const BUILD = 'PackageArtifact/build';
const SCRIPT = 'console.log("soil moisture");\n';
const ENTRY = 'assets/index-4f2a91c7.js';

describe('a file of an application', () => {
  test('is public and immutable, and pages of other origins may load it', async ({ app, module }) => {
    const answer = await app.fetchApplication(module.moduleId, `/1/${ENTRY}`);
    expect([answer.status, await answer.text()]).toEqual([200, SCRIPT]);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': `frame-ancestors 'self' http://127.0.0.1:* http://localhost:* http://modules.localhost:* ${HOST} https://other.example.com`,
      'origin-agent-cluster': '?1',
      'content-type': 'text/javascript; charset=utf-8',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Origin, Accept-Encoding',
    });
    expect(headers['content-disposition']).toBeUndefined();
    expect(headers['x-frame-options']).toBeUndefined();
  });

  test('is sent as gzip, as it is in the archive', async ({ app, module }) => {
    const read = (headers: Readonly<Record<string, string>>) =>
      app.fetchApplication(module.moduleId, `/1/${ENTRY}`, { headers });
    const gzip = await read({ 'Accept-Encoding': 'gzip' });
    expect(gzip.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(await gzip.arrayBuffer()).toString()).toBe(SCRIPT);
    const known = { 'Accept-Encoding': 'gzip', 'If-None-Match': gzip.headers.get('etag') ?? '' };
    expect((await read(known)).status).toBe(304);
  });

  test('has the type of its name', async ({ app, vendor }) => {
    const types = {
      'a.cjs': 'text/javascript; charset=utf-8',
      'a.mjs': 'text/javascript; charset=utf-8',
      'a.css': 'text/css; charset=utf-8',
      'a.js.map': 'application/json',
      'a.wasm': 'application/wasm',
      'a.ttf': 'font/ttf',
      'a.woff2': 'font/woff2',
      'a.svg': 'image/svg+xml',
      'a.bin': 'application/octet-stream',
      'ä b.json': 'application/json',
    };
    const files = Object.fromEntries(Object.keys(types).map((name) => [`${BUILD}/${name}`, name]));
    const moduleId = await importSample(app, vendor, { files });
    for (const [name, type] of Object.entries(types)) {
      const found = await app.fetchApplication(moduleId.toUpperCase(), `/1/${encodeURIComponent(name)}`);
      expect([name, found.headers.get('content-type'), await found.text()]).toEqual([name, type, name]);
    }
  });

  test('is not stored by caches as the refusal of a range', async ({ app, vendor }) => {
    const moduleId = await importSample(app, vendor, { files: { [`${BUILD}/empty.js`]: '' } });
    const headers = { Range: 'bytes=0-' };
    const answer = await app.fetchApplication(moduleId, '/1/empty.js', { headers });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([416, 'no-store']);
  });

  test('is answered for HEAD as for GET, without a body', async ({ app, module }) => {
    const head = await app.fetchApplication(module.moduleId, `/1/${ENTRY}`, { method: 'HEAD' });
    const length = head.headers.get('content-length');
    expect([head.status, length, await head.text()]).toEqual([200, String(SCRIPT.length), '']);
  });

  test.for([
    ['a file outside the build', 'moduleSchema.json'],
    ['a file above the build', '..%2F..%2FModuleToS%2Fterms.md'],
    ['the package of the build', 'PackageArtifact/build/index.html'],
    ['a file that does not exist', 'nope.js'],
    ['a NUL', 'a%00b'],
    ['the folder', ''],
  ])('404: %s', async ([, path], { app, module }) => {
    expect((await app.fetchApplication(module.moduleId, `/1/${path ?? ''}`)).status).toBe(404);
  });

  test.for([['0'], ['2'], ['01'], ['1e0'], ['latest'], ['999999999999']])(
    '404: revision %s',
    async ([revision], { app, module }) => {
      expect((await app.fetchApplication(module.moduleId, `/${revision ?? ''}/${ENTRY}`)).status).toBe(404);
    },
  );
});

describe('the host name of a request', () => {
  test.for([
    ['the domain itself', () => 'modules.localhost'],
    ['an address', () => '127.0.0.1'],
    ['no module', () => 'nobody.modules.localhost'],
    ['a name below that of a module', (id: string) => `www.${id}.modules.localhost`],
    ['another domain', (id: string) => `${id}.modules.localhost.evil.example`],
    ['another domain that ends the same', (id: string) => `${id}.evil-modules.localhost`],
  ] as const)('404 and the right address for %s', async ([, hostOf], { app, module: { moduleId } }) => {
    const headers = { Host: hostOf(moduleId), 'X-Forwarded-Host': `${moduleId}.modules.localhost` };
    const answer = await app.fetchApplication(moduleId, `/1/${ENTRY}`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { detail: expect.stringContaining(app.applicationOrigin('MODULE-ID')) as unknown },
    ]);
  });

  test('names the module, in any letter case and with any port', async ({ app, module: { moduleId } }) => {
    const headers = { Host: `${moduleId.toUpperCase()}.Modules.LocalHost:1` };
    expect((await app.fetchApplication(moduleId, `/1/${ENTRY}`, { headers })).status).toBe(200);
  });
});

test('no service worker can be registered', async ({ app, module }) => {
  const headers = { 'Service-Worker': 'script' };
  const answer = await app.fetchApplication(module.moduleId, `/1/${ENTRY}`, { headers });
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'auth-forbidden' }]);
});

describe('who is served', () => {
  const stageTwo = async (app: TestApp, moduleId: string) => {
    await app.api.database('moduleRevisions').where({ moduleId, revision: 2 }).update({ releasedAt: null });
  };

  test('nobody gets a staged revision, and everyone once an organization previews it', async ({
    app,
    vendor,
    farmer,
  }) => {
    const moduleId = await importSample(app, vendor);
    await importSample(app, vendor, { descriptor: { moduleId, component: './Second' } });
    await stageTwo(app, moduleId);
    expect((await app.fetchApplication(moduleId, `/2/${ENTRY}`)).status).toBe(404);
    await app.api.database('revisionPreviewers').insert({ moduleId, revision: 2, organizationId: farmer.id });
    expect((await app.fetchApplication(moduleId, `/2/${ENTRY}`)).status).toBe(200);
    expect((await app.fetchApplication(moduleId, `/1/${ENTRY}`)).status).toBe(200);
  });

  test('403 for a module in quarantine, with its reason', async ({ app, vendor }) => {
    const moduleId = await importSample(app, vendor);
    for (const revision of ['1', 'current'])
      expect((await app.fetchApplication(moduleId, `/${revision}/${ENTRY}`)).status).toBeLessThan(400);
    const quarantine = { quarantinedAt: new Date(), quarantineReason: 'it mines coins', decidedAtImport: 0 };
    await app.api.database('quarantines').insert({ moduleId, ...quarantine });
    const statusOf = async (revision: string) =>
      (await app.fetchApplication(moduleId, `/${revision}/${ENTRY}`)).status;
    await expect.poll(() => statusOf('1')).toBe(403);
    await expect.poll(() => statusOf('current')).toBe(403);
    const answer = await app.fetchApplication(moduleId, `/1/${ENTRY}`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(await answer.json()).toMatchObject({
      type: '/problems/module-quarantined',
      status: 403,
      detail: expect.stringContaining('it mines coins') as unknown,
    });
  });

  test('404 for a module that was deleted', async ({ app, vendor }) => {
    const moduleId = await importSample(app, vendor);
    await app.as(vendor).delete(`/modules/${moduleId}`);
    expect((await app.fetchApplication(moduleId, `/1/${ENTRY}`)).status).toBe(404);
    expect((await app.fetchApplication(moduleId, `/current/${ENTRY}`)).status).toBe(404);
  });
});

test('current redirects to the revision that is released to everyone', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  await importSample(app, vendor, { descriptor: { moduleId, component: './Second' } });
  const { status, headers } = await app.fetchApplication(moduleId, `/current/${ENTRY}?v=1`, {
    headers: { Origin: HOST },
  });
  expect(status).toBe(302);
  expect(Object.fromEntries(headers)).toMatchObject({
    location: `/2/${ENTRY}`,
    'cache-control': 'no-cache',
    'access-control-allow-origin': HOST,
  });
  expect((await app.fetchApplication(moduleId, headers.get('location') ?? '')).status).toBe(200);
});

test('an installation says what its host loads', async ({ app, vendor, farmer }) => {
  const files = { [`${BUILD}/ä b/remoteEntry.js`]: SCRIPT };
  const members = { entryFileUrl: '/ä b/remoteEntry.js?v=1', scope: 'soilApp', component: './Soil' };
  const moduleId = await importSample(app, vendor, { descriptor: members, files });
  const installed = await app.as(farmer).put(`/installations/${moduleId}`);
  const baseUrl = `${app.applicationOrigin(moduleId)}/1/`;
  expect(installed.body.app).toEqual({
    baseUrl,
    entryUrl: `${baseUrl}%C3%A4%20b/remoteEntry.js`,
    entrySha256: createHash('sha256').update(SCRIPT).digest('hex'),
    pageUrl: `${baseUrl}index.html`,
    scope: 'soilApp',
    component: './Soil',
    federationTypeId: null,
    revision: 1,
  });
  const { body } = await app.as(farmer).get(`/installations/${moduleId}`);
  expect(body.app).toEqual(installed.body.app);
  const list = await app.as(farmer).get('/installations');
  expect(list.body.items.map((each: { app: unknown }) => each.app)).toContainEqual(installed.body.app);
  const entry = await app.fetchApplication(moduleId, new URL(String(body.app.entryUrl)).pathname);
  expect(await entry.text()).toBe(SCRIPT);
});

test.for([['https://cdn.example.com/remoteEntry.js'], ['nope.js'], [null]])(
  'an installation has no entry file where the descriptor names none of the build: %s',
  async ([entryFileUrl], { app, vendor, farmer }) => {
    const moduleId = await importSample(app, vendor, { descriptor: { entryFileUrl } });
    const { body } = await app.as(farmer).put(`/installations/${moduleId}`);
    expect(body.app).toMatchObject({ entryUrl: null, entrySha256: null });
  },
);
