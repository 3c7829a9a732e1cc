import { createHash } from 'node:crypto';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
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

interface Raw {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Reads an address of the origin of applications with exactly these headers. */
async function read(
  app: TestApp,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Raw> {
  const address = new URL(path, app.applicationOrigin);
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.request(address, { method, headers }, resolve).once('error', reject).end();
  });
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: await buffer(response) };
}

describe('a file of an application', () => {
  test('is public and immutable, and pages of other origins may load it', async ({ app, module }) => {
    const { status, headers, bytes } = await read(app, `/${module.moduleId}/1/${ENTRY}`);
    expect([status, bytes.toString()]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy':
        'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts',
      'content-type': 'text/javascript; charset=utf-8',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding, Origin',
    });
    expect(headers['content-disposition']).toBeUndefined();
    expect(headers['x-frame-options']).toBeUndefined();
  });

  test('is sent as gzip, as it is in the archive', async ({ app, module }) => {
    const gzip = await read(app, `/${module.moduleId}/1/${ENTRY}`, { 'Accept-Encoding': 'gzip' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.bytes).toString()).toBe(SCRIPT);
    const known = { 'Accept-Encoding': 'gzip', 'If-None-Match': gzip.headers.etag ?? '' };
    expect((await read(app, `/${module.moduleId}/1/${ENTRY}`, known)).status).toBe(304);
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
      const found = await read(app, `/${moduleId.toUpperCase()}/1/${encodeURIComponent(name)}`);
      expect([name, found.headers['content-type'], found.bytes.toString()]).toEqual([name, type, name]);
    }
  });

  test('is answered for HEAD as for GET, without a body', async ({ app, module }) => {
    const head = await read(app, `/${module.moduleId}/1/${ENTRY}`, {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([
      200,
      String(SCRIPT.length),
      0,
    ]);
  });

  test.for([
    ['a file outside the build', 'moduleSchema.json'],
    ['a file above the build', '..%2F..%2FModuleToS%2Fterms.md'],
    ['the package of the build', 'PackageArtifact/build/index.html'],
    ['a file that does not exist', 'nope.js'],
    ['a NUL', 'a%00b'],
    ['the folder', ''],
  ])('404: %s', async ([, path], { app, module }) => {
    expect((await read(app, `/${module.moduleId}/1/${path ?? ''}`)).status).toBe(404);
  });

  test.for([['0'], ['2'], ['01'], ['1e0'], ['latest'], ['999999999999']])(
    '404: revision %s',
    async ([revision], { app, module }) => {
      expect((await read(app, `/${module.moduleId}/${revision ?? ''}/${ENTRY}`)).status).toBe(404);
    },
  );
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
    expect((await read(app, `/${moduleId}/2/${ENTRY}`)).status).toBe(404);
    await app.api.database('revisionPreviewers').insert({ moduleId, revision: 2, organizationId: farmer.id });
    expect((await read(app, `/${moduleId}/2/${ENTRY}`)).status).toBe(200);
    expect((await read(app, `/${moduleId}/1/${ENTRY}`)).status).toBe(200);
  });

  test('403 for a module in quarantine, with its reason', async ({ app, vendor }) => {
    const moduleId = await importSample(app, vendor);
    for (const revision of ['1', 'current'])
      expect((await read(app, `/${moduleId}/${revision}/${ENTRY}`)).status).toBeLessThan(400);
    const quarantine = { quarantinedAt: new Date(), quarantineReason: 'it mines coins', decidedAtImport: 0 };
    await app.api.database('quarantines').insert({ moduleId, ...quarantine });
    const statusOf = async (revision: string) =>
      (await read(app, `/${moduleId}/${revision}/${ENTRY}`)).status;
    await expect.poll(() => statusOf('1')).toBe(403);
    await expect.poll(() => statusOf('current')).toBe(403);
    const { headers, bytes } = await read(app, `/${moduleId}/1/${ENTRY}`);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(JSON.parse(bytes.toString())).toMatchObject({
      type: '/problems/module-quarantined',
      status: 403,
      detail: expect.stringContaining('it mines coins') as unknown,
    });
  });

  test('404 for a module that was deleted', async ({ app, vendor }) => {
    const moduleId = await importSample(app, vendor);
    await app.as(vendor).delete(`/modules/${moduleId}`);
    expect((await read(app, `/${moduleId}/1/${ENTRY}`)).status).toBe(404);
    expect((await read(app, `/${moduleId}/current/${ENTRY}`)).status).toBe(404);
  });
});

test('current redirects to the revision that is released to everyone', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  await importSample(app, vendor, { descriptor: { moduleId, component: './Second' } });
  const { status, headers } = await read(app, `/${moduleId}/current/${ENTRY}?v=1`, { Origin: HOST });
  expect(status).toBe(302);
  expect(headers).toMatchObject({
    location: `/${moduleId}/2/${ENTRY}`,
    'cache-control': 'no-cache',
    'access-control-allow-origin': HOST,
  });
  expect((await read(app, headers.location ?? '')).status).toBe(200);
});

test('an installation says what its host loads', async ({ app, vendor, farmer }) => {
  const files = { [`${BUILD}/ä b/remoteEntry.js`]: SCRIPT };
  const members = { entryFileUrl: '/ä b/remoteEntry.js?v=1', scope: 'soilApp', component: './Soil' };
  const moduleId = await importSample(app, vendor, { descriptor: members, files });
  const installed = await app.as(farmer).put(`/installations/${moduleId}`);
  const baseUrl = `${app.applicationOrigin}/${moduleId}/1/`;
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
  expect((await read(app, String(body.app.entryUrl))).bytes.toString()).toBe(SCRIPT);
});

test.for([['https://cdn.example.com/remoteEntry.js'], ['nope.js'], [null]])(
  'an installation has no entry file where the descriptor names none of the build: %s',
  async ([entryFileUrl], { app, vendor, farmer }) => {
    const moduleId = await importSample(app, vendor, { descriptor: { entryFileUrl } });
    const { body } = await app.as(farmer).put(`/installations/${moduleId}`);
    expect(body.app).toMatchObject({ entryUrl: null, entrySha256: null });
  },
);
