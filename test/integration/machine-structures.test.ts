import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { install, makeModule, putFarms, sampleFarm } from '../support/machine-access.ts';
import type { TestModule } from '../support/caller.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

const CALL = '/StructuresByModuleId';

let app: TestApp;
let module: TestModule;
let farmers: TestOrganization[];

beforeAll(async () => {
  app = await startTestApp({ settings: { MAX_REQUESTS_PER_MINUTE_PER_KEY: '0' } });
  const vendor = await app.organization();
  module = await makeModule(app, vendor);
  const { tenantId } = vendor;
  const ids = [randomUUID(), randomUUID(), randomUUID()].toSorted();
  farmers = await Promise.all(ids.map((id) => app.organization({ kind: 'farmer', tenantId, id })));
  for (const farmer of farmers) {
    await install(app, farmer, module.moduleId);
    await putFarms(app, farmer, [sampleFarm()]);
  }
});

afterAll(() => app.stop());

interface Found {
  readonly organizationId: string;
  readonly farms: readonly {
    readonly id: string;
    readonly fields: readonly { readonly blocks: readonly unknown[] }[];
  }[];
}

const organizationsOf = (answer: Answer) => answer.body.organizations as Found[];

test('the farms of every organization that has installed the module are returned, by organization ID, nested', async () => {
  const answer = await app.as(module).get(CALL);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.body).toMatchObject({ moduleId: module.moduleId, nextCursor: null });
  const found = organizationsOf(answer);
  expect(found.map(({ organizationId }) => organizationId)).toEqual(farmers.map(({ id }) => id));
  for (const { farms } of found) {
    expect(farms).toMatchObject([
      {
        name: 'Home farm',
        boundary: { type: 'Polygon' },
        fields: [{ name: 'Long acre', blocks: [{ name: 'North', geometry: { type: 'Polygon' } }] }],
        irrigationStations: [{ name: 'Pump house', kind: 'pump', location: { type: 'Point' } }],
      },
    ]);
  }
});

test('an organization that has not installed the module is not returned', async () => {
  const other = await app.organization({ kind: 'farmer', tenantId: module.vendor.tenantId });
  await putFarms(app, other, [sampleFarm()]);
  const answer = await app.as(module).get(`${CALL}?organizationId=${other.id}`);
  expect(answer.status).toBe(200);
  expect(organizationsOf(answer)).toEqual([]);
  expect((await app.as(module).get(CALL)).text).not.toContain(other.id);
});

test('with organizationId only that organization is returned, in any letter case', async () => {
  const [first] = farmers;
  const answer = await app.as(module).get(`${CALL}?organizationId=${first?.id.toUpperCase() ?? ''}`);
  expect(organizationsOf(answer).map(({ organizationId }) => organizationId)).toEqual([first?.id]);
});

test('pages of organizations follow each other by nextCursor and by Link, without gaps or repeats', async () => {
  const seen: string[] = [];
  let query = '?limit=1';
  for (let page = 1; page <= farmers.length; page += 1) {
    const answer = await app.as(module).get(`${CALL}${query}`);
    seen.push(...organizationsOf(answer).map(({ organizationId }) => organizationId));
    const { nextCursor } = answer.body as { nextCursor: string | null };
    const link = answer.headers.get('link');
    if (page === farmers.length) expect([nextCursor, link]).toEqual([null, null]);
    else {
      expect(link).toBe(
        `</api/v8.0/Alerts${CALL}/${module.moduleId}?limit=1&cursor=${nextCursor ?? ''}>; rel="next"`,
      );
      query = `?limit=1&cursor=${nextCursor ?? ''}`;
    }
  }
  expect(seen).toEqual(farmers.map(({ id }) => id));
});

test('NDJSON has one line for each organization, and the same content', async () => {
  const answer = await app.as(module).get(CALL, { Accept: 'application/x-ndjson' });
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const lines = answer.text.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    organizationsOf(await app.as(module).get(CALL)),
  );
});

test('GeoJSON is one FeatureCollection with every structure', async () => {
  const answer = await app.as(module).get(CALL, { Accept: 'application/geo+json' });
  expect(answer.headers.get('content-type')).toBe('application/geo+json');
  const collection = JSON.parse(answer.text) as {
    type: string;
    features: Record<string, Record<string, unknown>>[];
  };
  expect(collection.type).toBe('FeatureCollection');
  expect(collection.features).toHaveLength(4 * farmers.length);
  for (const feature of collection.features) {
    expect(feature).toMatchObject({ type: 'Feature', properties: { id: feature['id'] } });
    expect(farmers.map(({ id }) => id)).toContain(feature['properties']?.['organizationId']);
  }
  const kinds = new Set(collection.features.map((each) => each['properties']?.['structureType']));
  expect(kinds).toEqual(new Set(['farm', 'field', 'block', 'irrigationStation']));
});

test('a farm without a boundary is a feature with its location', async () => {
  const vendor = await app.organization();
  const own = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, own.moduleId);
  const location = { type: 'Point', coordinates: [9.5, 48.25] };
  await putFarms(app, farmer, [{ id: randomUUID(), name: 'Hill farm', location }]);
  const answer = await app.as(own).get(CALL, { Accept: 'application/geo+json' });
  expect(JSON.parse(answer.text)).toMatchObject({ features: [{ geometry: location }] });
});

test('text/plain and unknown types get the JSON', async () => {
  for (const accept of ['text/plain', 'image/png', '*/*']) {
    const answer = await app.as(module).get(CALL, { Accept: accept });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  }
});

test('archived structures are returned only on request', async () => {
  const vendor = await app.organization();
  const own = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, own.moduleId);
  await putFarms(app, farmer, [{ ...sampleFarm(), status: 'archived' }, sampleFarm()]);
  const count = async (query: string) =>
    organizationsOf(await app.as(own).get(`${CALL}${query}`)).flatMap(({ farms }) => farms).length;
  expect(await count('')).toBe(1);
  expect(await count('?includeArchived=false')).toBe(1);
  expect(await count('?includeArchived=true')).toBe(2);
});

test('a weak ETag is computed before the body, allows a 304, and changes with the structures', async () => {
  const vendor = await app.organization();
  const own = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, own.moduleId);
  await putFarms(app, farmer, [sampleFarm()]);
  const first = await app.as(own).get(CALL);
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"/);
  const again = await app.as(own).get(CALL, { 'If-None-Match': etag });
  expect([again.status, again.text]).toEqual([304, '']);
  expect(again.headers.get('etag')).toBe(etag);
  await putFarms(app, farmer, [sampleFarm()]);
  const changed = await app.as(own).get(CALL, { 'If-None-Match': etag });
  expect(changed.status).toBe(200);
  expect(changed.headers.get('etag')).not.toBe(etag);
});

test('each representation and filter has a different ETag', async () => {
  const tags = await Promise.all(
    [
      app.as(module).get(CALL),
      app.as(module).get(`${CALL}?includeArchived=true`),
      app.as(module).get(`${CALL}?limit=1`),
      app.as(module).get(CALL, { Accept: 'application/geo+json' }),
      app.as(module).get(CALL, { Accept: 'application/x-ndjson' }),
    ].map(async (answer) => (await answer).headers.get('etag')),
  );
  expect(new Set(tags).size).toBe(tags.length);
});

test('HEAD returns the headers of GET and no body', async () => {
  const path = `/api/v8.0/Alerts${CALL}/${module.moduleId}`;
  const head = await app.fetch(path, { method: 'HEAD', headers: { 'X-Api-Key': module.key } });
  const get = await app.as(module).get(CALL);
  expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', get.headers.get('etag')]);
});

test('gzip is sent to clients that accept it, with the same content', async () => {
  const path = `/api/v8.0/Alerts${CALL}/${module.moduleId}`;
  const { get } = await import('node:http');
  const packed = await new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
    get(
      new URL(path, app.url),
      { headers: { 'X-Api-Key': module.key, 'Accept-Encoding': 'gzip' } },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(pieces) }),
        );
      },
    ).on('error', reject);
  });
  expect(packed.encoding).toBe('gzip');
  const plain = await app.as(module).get(CALL, { 'Accept-Encoding': 'identity' });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(gunzipSync(packed.body).toString()).toBe(plain.text);
});

test.each([
  '?limit=0',
  '?limit=201',
  '?cursor=x',
  '?organizationId=x',
  '?includeArchived=yes',
  '?limit=1&limit=2',
])('an invalid parameter is 400: %s', async (query) => {
  const answer = await app.as(module).get(`${CALL}${query}`);
  expect(answer.body).toMatchObject({ status: 400, type: '/problems/request-invalid' });
});

test('a long answer is streamed completely, gzipped or not, with the format of a short one', async () => {
  const vendor = await app.organization();
  const own = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, own.moduleId);
  const blocks = Array.from({ length: 1_500 }, (_, index) => ({
    id: randomUUID(),
    name: `Block "${index}" \\ é`,
  }));
  const farm = sampleFarm();
  await putFarms(app, farmer, [{ ...farm, fields: [{ id: farm.fields[0]?.id, name: 'Long acre', blocks }] }]);
  const plain = await app.as(own).get(CALL, { 'Accept-Encoding': 'identity' });
  expect(plain.headers.get('content-length')).toBeNull();
  const names = organizationsOf(plain)[0]?.farms[0]?.fields[0]?.blocks.map(
    (each) => (each as { name: string }).name,
  );
  expect(names?.toSorted()).toEqual(blocks.map(({ name }) => name).toSorted());
  const gzipped = await app.as(own).get(CALL, { 'Accept-Encoding': 'gzip' });
  expect(gzipped.text).toBe(plain.text);
  const lines = await app.as(own).get(CALL, { Accept: 'application/x-ndjson' });
  expect(JSON.parse(lines.text)).toEqual(organizationsOf(plain)[0]);
});

test('uninstalling and narrowing the consent take effect at once', async () => {
  const vendor = await app.organization();
  const own = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await putFarms(app, farmer, [sampleFarm()]);
  const count = async () => organizationsOf(await app.as(own).get(CALL)).length;
  await install(app, farmer, own.moduleId);
  expect(await count()).toBe(1);
  await install(app, farmer, own.moduleId, ['FarmOrganizationAlerts']);
  expect(await count()).toBe(0);
  await install(app, farmer, own.moduleId);
  expect(await count()).toBe(1);
  await app.as(farmer).delete(`/installations/${own.moduleId}`);
  expect(await count()).toBe(0);
});
