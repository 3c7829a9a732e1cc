import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { startCiIssuer, type CiIssuer } from '../support/ci-issuer.ts';
import { importSample } from '../support/import-sample.ts';
import { startReading } from '../support/open-answer.ts';
import { packageForm } from '../support/package-form.ts';
import { exchange, LOOPBACK_ISSUERS, publishingModule } from '../support/publishing-module.ts';
import { samplePackage, type SampleOptions } from '../support/sample-package.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let issuer: CiIssuer;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp({ settings: LOOPBACK_ISSUERS });
  issuer = await startCiIssuer();
  vendor = await app.organization();
});

afterAll(async () => {
  await app.stop();
  await issuer.stop();
});

/** A module with a publisher, and an access token for it. */
async function publishing(): Promise<{ moduleId: string; bearer: string }> {
  const moduleId = await publishingModule(app, vendor, issuer.url);
  return { moduleId, bearer: await bearerFor(moduleId) };
}

async function bearerFor(moduleId: string): Promise<string> {
  const { body, text } = await exchange(app, moduleId, await issuer.token());
  if (body.accessToken === undefined) throw new Error(text);
  return `Bearer ${String(body.accessToken)}`;
}

/** Uploads the sample with a bearer token. */
async function upload(
  bearer: string,
  descriptor: NonNullable<SampleOptions['descriptor']>,
  { headers = {}, query = '', of = vendor } = {},
): Promise<Answer> {
  return app.fetch(`/api/v8.0/${of.id}/ImportModuleAsync${query}`, {
    method: 'POST',
    headers: { Authorization: bearer, ...headers },
    body: packageForm(samplePackage(app.api.catalogue, { descriptor })),
  });
}

test('a trusted publisher imports its module, and reads that import', async () => {
  const { moduleId, bearer } = await publishing();
  const answer = await upload(bearer, { moduleId, component: 'ci' });
  expect(answer.body).toMatchObject({ status: 'succeeded', outcome: 'updated', moduleId, revision: 2 });
  const path = `/imports/${String(answer.body.importId)}`;
  const actor = `trusted-publisher ${new URL(issuer.url).host}/acme/soil@4f2a91c7`;
  expect((await app.as(vendor, bearer).get(path)).body).toMatchObject({ importedBy: actor, moduleId });
  expect((await app.as(vendor, bearer).get(`${path}/events`)).text).toMatch(/^id: \d+\nevent: import\n/);
  expect((await app.as(vendor).get(path)).body).toMatchObject({ importedBy: actor });
  const { body } = await app.as(vendor).get('/auditLog?limit=1');
  expect(body.items).toMatchObject([{ action: 'import.accepted', actor, targetId: answer.body.importId }]);
});

test('with respond-async, it reads the import at its Location', async () => {
  const { moduleId, bearer } = await publishing();
  const headers = { Prefer: 'respond-async' };
  const answer = await upload(bearer, { moduleId, component: 'ci' }, { headers });
  expect(answer.status).toBe(202);
  const read = async () =>
    (await app.fetch(answer.headers.get('location') ?? '', { headers: { Authorization: bearer } }))
      .body as object;
  await expect.poll(read).toMatchObject({ status: 'succeeded' });
});

describe('a package is rejected whose module ID is', () =>
  test.each<[string, () => Promise<Readonly<Record<string, unknown>>> | Readonly<Record<string, unknown>>]>([
    ['new', () => ({ moduleId: randomUUID() })],
    ['that of another module of the vendor', async () => ({ moduleId: await importSample(app, vendor) })],
    [
      'that of another vendor’s module',
      async () => ({ moduleId: await importSample(app, await app.organization()) }),
    ],
  ])('%s', async (_what, descriptorOf) => {
    const { moduleId, bearer } = await publishing();
    const modules = () => app.api.database('modules').where({ organizationId: vendor.id }).count();
    const descriptor = await descriptorOf();
    const before = await modules();
    for (const query of ['', '?validateOnly=true']) {
      const answer = await upload(bearer, descriptor, { query });
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body.errors).toMatchObject([{ code: 'registry-module-id-not-allowed' }]);
      expect(answer.body.errors[0].detail).toContain(moduleId);
    }
    expect(await modules()).toEqual(before);
  }));

test.each([
  ['null', { moduleId: null }],
  ['absent', {}],
  ['empty', { moduleId: '' }],
  ['the empty GUID', { moduleId: '00000000-0000-0000-0000-000000000000' }],
])('a package whose module ID is %s updates the module of the token', async (_what, descriptor) => {
  const { moduleId, bearer } = await publishing();
  const answer = await upload(bearer, { ...descriptor, component: 'ci' });
  expect(answer.body).toMatchObject({ outcome: 'updated', moduleId });
});

test('an upload for another module than the token’s is refused, whatever the package names', async () => {
  const { moduleId, bearer } = await publishing();
  const query = `?moduleId=${await importSample(app, vendor)}`;
  for (const descriptor of [{ component: 'ci' }, { moduleId, component: 'ci' }]) {
    const answer = await upload(bearer, descriptor, { query });
    expect([answer.status, answer.body.type]).toEqual([403, '/problems/auth-forbidden']);
    expect(answer.body.detail).toContain(moduleId);
  }
  const own = await upload(bearer, { component: 'ci' }, { query: `?moduleId=${moduleId}` });
  expect(own.body).toMatchObject({ outcome: 'updated', moduleId, revision: 2 });
});

test('the module ID may be written in capitals', async () => {
  const { moduleId, bearer } = await publishing();
  const answer = await upload(bearer, { moduleId: moduleId.toUpperCase(), component: 'ci' });
  expect(answer.body).toMatchObject({ outcome: 'updated', moduleId });
});

test('the database itself keeps such an import from another module', async () => {
  const { moduleId, bearer } = await publishing();
  const { body } = await upload(bearer, { moduleId, component: 'ci' });
  const change = app.api.database('imports').where({ id: body.importId }).update({ moduleId: randomUUID() });
  await expect(change).rejects.toThrow(/imports_only_module/);
});

test('a trusted publisher may do nothing else', async () => {
  const { moduleId, bearer } = await publishing();
  const other = await importSample(app, vendor);
  const elsewhereInVendor = await publishing();
  const { body } = await upload(elsewhereInVendor.bearer, {
    moduleId: elsewhereInVendor.moduleId,
    component: 'x',
  });
  const importId = String(body.importId);
  const ofPerson = await upload(vendor.admin, { component: 'x' }, { query: `?moduleId=${moduleId}` });
  expect(ofPerson.status).toBe(200);
  const as = app.as(vendor, bearer);
  // The import calls find only the imports of the module's publishers.
  expect((await as.get(`/imports/${importId}`)).status).toBe(404);
  expect((await as.get(`/imports/${importId}/events`)).status).toBe(404);
  expect((await as.get(`/imports/${String(ofPerson.body.importId)}`)).status).toBe(404);
  const refused = [
    'GET /imports',
    `POST /imports/${importId}/cancel`,
    'GET /modules',
    `GET /modules/${moduleId}`,
    `DELETE /modules/${moduleId}`,
    `GET /modules/${moduleId}/files/ModuleToS/terms.md`,
    `GET /ExportModuleAsync/${moduleId}`,
    `POST /registerApiClient/${moduleId}`,
    `GET /trustedPublishers/${moduleId}`,
    `PUT /trustedPublishers/${other}`,
    'GET /auditLog',
  ];
  for (const call of refused)
    expect((await as.call(call, call.startsWith('PUT') ? {} : undefined)).status, call).toBe(401);
  expect((await app.as('operator', bearer).get('/CommonData')).status).toBe(401);
  expect((await app.as('operator', bearer).get('/organizations')).status).toBe(401);
  const elsewhere = await app.organization();
  expect((await upload(bearer, { moduleId }, { of: elsewhere })).status).toBe(403);
  expect((await app.as(elsewhere, bearer).get(`/imports/${importId}`)).status).toBe(403);
});

test('an idempotency key of a person’s upload does not stand for the same upload of a publisher', async () => {
  const { moduleId, bearer } = await publishing();
  const headers = { 'Idempotency-Key': randomUUID() };
  const descriptor = { moduleId: randomUUID() };
  const person = await upload(vendor.admin, descriptor, { headers });
  expect(person.status).toBe(200);
  expect((await upload(bearer, descriptor, { headers })).status).toBe(422);
  const forModule = { headers: { 'Idempotency-Key': randomUUID() }, query: `?moduleId=${moduleId}` };
  expect((await upload(vendor.admin, { component: 'same' }, forModule)).status).toBe(200);
  expect((await upload(bearer, { component: 'same' }, forModule)).status).toBe(422);
  const own = { 'Idempotency-Key': randomUUID() };
  const first = await upload(bearer, { moduleId, component: 'ci' }, { headers: own });
  const second = await bearerFor(moduleId);
  const again = await upload(second, { moduleId, component: 'ci' }, { headers: own });
  expect(again.body).toEqual(first.body);
  const read = await app.as(vendor, second).get(`/imports/${String(first.body.importId)}`);
  expect([read.status, read.body.status]).toEqual([200, 'succeeded']);
});

describe('an access token ends when', () => {
  const ENDS: Readonly<Record<string, (moduleId: string) => Promise<Answer>>> = {
    'its publisher is removed': (moduleId) =>
      app.as(vendor).put(`/trustedPublishers/${moduleId}`, { items: [] }),
    'the list of publishers changes': async (moduleId) => {
      const { body } = await app.as(vendor).get(`/trustedPublishers/${moduleId}`);
      const items = body.items as object[];
      return app
        .as(vendor)
        .put(`/trustedPublishers/${moduleId}`, { items: [...items, { ...items[0], audience: 'x' }] });
    },
    'the module is deleted': (moduleId) => app.as(vendor).delete(`/modules/${moduleId}`),
  };

  test.each(Object.entries(ENDS))('%s', async (_what, end) => {
    const { moduleId, bearer } = await publishing();
    const { body } = await upload(bearer, { moduleId, component: 'ci' });
    expect((await end(moduleId)).status).toBeLessThan(300);
    const status = async () => (await app.as(vendor, bearer).get(`/imports/${String(body.importId)}`)).status;
    await expect.poll(status, { interval: 20 }).toBe(401);
    expect((await upload(bearer, { moduleId, component: 'late' })).status).toBe(401);
  });

  test('it has expired', async () => {
    const { moduleId, bearer } = await publishing();
    const expiresAt = app.api.database.raw("now() - interval '1 second'");
    await app.api.database('publisher_tokens').where({ moduleId }).update({ expiresAt });
    const answer = await upload(bearer, { moduleId });
    expect([answer.status, answer.body.type]).toEqual([401, '/problems/auth-token-invalid']);
  });
});

test('the same list of publishers ends no token', async () => {
  const { moduleId, bearer } = await publishing();
  const path = `/trustedPublishers/${moduleId}`;
  const { body } = await app.as(vendor).get(path);
  await app.as(vendor).put(path, body);
  expect((await upload(bearer, { moduleId, component: 'ci' })).status).toBe(200);
});

test('a deleted module that is imported again has no publishers', async () => {
  const { moduleId } = await publishing();
  await app.as(vendor).delete(`/modules/${moduleId}`);
  expect((await exchange(app, moduleId, await issuer.token())).status).toBe(401);
  await importSample(app, vendor, { descriptor: { moduleId } });
  expect((await exchange(app, moduleId, await issuer.token())).status).toBe(401);
});

test('the event stream of an import that waits ends when its publisher is removed', async () => {
  const { moduleId, bearer } = await publishing();
  const headers = { Prefer: 'respond-async' };
  const answer = await upload(bearer, { moduleId, component: 'ci' }, { headers });
  // As if it were still queued.
  const importId = String(answer.body.importId);
  await expect
    .poll(async () => (await app.as(vendor).get(`/imports/${importId}`)).body.status as string)
    .toBe('succeeded');
  const updatedAt = new Date(Date.now() + 3_600_000);
  await app.api
    .database('imports')
    .where({ id: importId })
    .update({ status: 'queued', outcome: null, moduleId: null, updatedAt });
  const address = new URL(`/api/v8.0/${vendor.id}/imports/${importId}/events`, app.url);
  const stream = await startReading(address, { Authorization: bearer });
  onTestFinished(() => stream.hangUp());
  expect(stream.status).toBe(200);
  const rest = stream.readRest();
  await app.as(vendor).put(`/trustedPublishers/${moduleId}`, { items: [] });
  expect((await rest).isWhole).toBe(true);
});

test('expired access tokens and used token IDs are collected; a token ID only when its token has expired', async () => {
  const { moduleId } = await publishing();
  const { database } = app.api;
  const at = (interval: string) => database.raw(`now() + interval '${interval}'`);
  const [token] = await database('publisher_tokens')
    .where({ moduleId })
    .select<{ tokenSha256: Buffer }[]>('*');
  const tokenOf = (id: string, interval: string) => ({
    ...{ ...token, id, tokenSha256: Buffer.from(id), expiresAt: at(interval) },
  });
  const [old, recent] = [randomUUID(), randomUUID()];
  await database('publisher_tokens').insert([tokenOf(old, '-49 hours'), tokenOf(recent, '-47 hours')]);
  await database('used_token_ids').insert([
    { issuer: 'i', jti: 'gone', expiresAt: at('-1 second') },
    { issuer: 'i', jti: 'kept', expiresAt: at('1 minute') },
  ]);
  await collectGarbage(app.api);
  expect(await database('publisher_tokens').whereIn('id', [old, recent]).pluck('id')).toEqual([recent]);
  expect(await database('used_token_ids').where({ issuer: 'i' }).pluck('jti')).toEqual(['kept']);
});
