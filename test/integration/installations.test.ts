import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pointersOf } from '../support/problem-pointers.ts';
import { lockedCalls } from '../support/lock-waits.ts';
import { importSample } from '../support/import-sample.ts';
import type { SampleOptions } from '../support/sample-package.ts';
import { areaIds } from '../support/machine-access.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { holdTransaction } from '../support/held-lock.ts';

let app: TestApp;
let vendor: TestOrganization;
let farmer: TestOrganization;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
  farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
});

afterAll(() => app.stop());

/** IDs of data areas in the order in which they are stored. */
const areas = (...keys: readonly string[]) => areaIds(app, keys).toSorted();

const importModule = (options?: SampleOptions, owner = vendor) => importSample(app, owner, options);

const withAreas = (moduleId: string | null, ...keys: readonly string[]) =>
  importModule({ descriptor: { moduleId, dataAreaIds: areas(...keys) } });

const install = (moduleId: string, body?: unknown, organization = farmer) =>
  app.as(organization).put(`/installations/${moduleId}`, body);

describe('installing', () => {
  test('without a body the farmer accepts what the module declares now: 201, then 200', async () => {
    const moduleId = await withAreas(null, 'FarmOrganization', 'FarmOrganizationAlerts');
    const first = await install(moduleId);
    expect(first.status, first.text).toBe(201);
    expect(first.body).toEqual({
      organizationId: farmer.id,
      moduleId,
      acceptedDataAreaIds: areas('FarmOrganization', 'FarmOrganizationAlerts'),
      acceptedTerms: [expect.stringMatching(/^[0-9a-f]{64}$/) as string],
      consentPending: false,
      pendingConsent: null,
      revision: 1,
      seenRevision: null,
      app: expect.objectContaining({ revision: 1 }) as unknown,
      installedBy: 'tester',
      changedBy: 'tester',
      createdAt: expect.stringMatching(/\+00:00$/) as string,
      updatedAt: expect.stringMatching(/\+00:00$/) as string,
    });
    const second = await install(moduleId);
    expect(second.status).toBe(200);
    expect(second.body.createdAt).toBe(first.body.createdAt);
    const read = await app.as(farmer, farmer.member).get(`/installations/${moduleId.toUpperCase()}`);
    expect(read.body).toEqual(second.body);
  });

  test('an empty JSON object accepts all data areas, too', async () => {
    const moduleId = await withAreas(null, 'FarmMember');
    expect((await install(moduleId, {})).body.acceptedDataAreaIds).toEqual(areas('FarmMember'));
  });

  test('a farmer can accept fewer or no data areas, in any letter case; a new consent replaces the old one', async () => {
    const moduleId = await withAreas(null, 'FarmOrganization', 'FarmMember');
    const [wanted = ''] = areas('FarmMember');
    const some = await install(moduleId, { acceptedDataAreaIds: [wanted.toUpperCase(), wanted] });
    expect(some.body).toMatchObject({ acceptedDataAreaIds: [wanted], consentPending: false });
    const none = await install(moduleId, { acceptedDataAreaIds: [] });
    expect(none.body).toMatchObject({ acceptedDataAreaIds: [], consentPending: false });
  });

  test('a data area that the module does not declare is refused with its location', async () => {
    const moduleId = await withAreas(null, 'FarmOrganization');
    const acceptedDataAreaIds = [...areas('FarmMember'), ...areas('FarmOrganization'), randomUUID()];
    const answer = await install(moduleId, { acceptedDataAreaIds });
    expect(answer.status).toBe(400);
    expect(pointersOf(answer)).toEqual(['/acceptedDataAreaIds/0', '/acceptedDataAreaIds/2']);
    expect((await app.as(farmer).get(`/installations/${moduleId}`)).status).toBe(404);
  });

  test('a body that does not match the schema is refused with the location', async () => {
    const moduleId = await importModule();
    expect(pointersOf(await install(moduleId, { acceptedDataAreaIds: ['x'] }))).toEqual([
      '/acceptedDataAreaIds/0',
    ]);
    expect(pointersOf(await install(moduleId, { acceptedDataAreaIds: null }))).toEqual([
      '/acceptedDataAreaIds',
    ]);
    expect(pointersOf(await install(moduleId, { acceptedDataAreas: [] }))).toEqual(['/acceptedDataAreas']);
  });

  test('a body that is not sent as JSON is not a consent to everything', async () => {
    const moduleId = await withAreas(null, 'FarmOrganization');
    const answer = await app.fetch(`/api/v8.0/${farmer.id}/installations/${moduleId}`, {
      method: 'PUT',
      headers: { Authorization: farmer.admin },
      body: '{ "acceptedDataAreaIds": [] }',
    });
    expect(answer.status).toBe(400);
    expect((await app.as(farmer).get(`/installations/${moduleId}`)).status).toBe(404);
  });

  test('a revision that declares more leaves the consent pending until the farmer consents again', async () => {
    const moduleId = await withAreas(null, 'FarmOrganization', 'FarmMember');
    await install(moduleId, { acceptedDataAreaIds: areas('FarmOrganization') });
    const read = async () => (await app.as(farmer).get(`/installations/${moduleId}`)).body as object;

    // Fewer data areas, and those that the farmer declined before, need no new consent.
    await withAreas(moduleId, 'FarmMember');
    expect(await read()).toMatchObject({ consentPending: false });

    await withAreas(moduleId, 'FarmOrganization', 'FarmOrganizationAlerts');
    expect(await read()).toMatchObject({
      consentPending: true,
      acceptedDataAreaIds: areas('FarmOrganization'),
    });
    await install(moduleId, { acceptedDataAreaIds: areas('FarmOrganization') });
    expect(await read()).toMatchObject({ consentPending: false });
  });

  test('of many concurrent requests exactly one creates the installation', async () => {
    const moduleId = await importModule();
    const answers = await Promise.all(Array.from({ length: 8 }, () => install(moduleId)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
  });

  test('an installation during an import accepts either the old or the new data areas, with a matching consentPending', async () => {
    const moduleId = await withAreas(null, 'FarmOrganization');
    const wider = areas('FarmOrganization', 'FarmMember');
    for (const keys of [
      ['FarmOrganization', 'FarmMember'],
      ['FarmOrganization'],
      ['FarmOrganization', 'FarmMember'],
    ]) {
      const farmers = await Promise.all(
        Array.from({ length: 6 }, () => app.organization({ kind: 'farmer', tenantId: vendor.tenantId })),
      );
      const importing = withAreas(moduleId, ...keys);
      const statuses = await Promise.all(
        farmers.map(async (each) => (await install(moduleId, undefined, each)).status),
      );
      expect(new Set(statuses)).toEqual(new Set([201]));
      await importing;
      for (const each of farmers) {
        const { body } = await app.as(each).get(`/installations/${moduleId}`);
        const accepted = body.acceptedDataAreaIds as string[];
        expect([areas('FarmOrganization'), wider]).toContainEqual(accepted);
        expect(body.consentPending).toBe(keys.length > accepted.length);
      }
    }
  });

  test('an installation waits for the import that locks the module, and sees its declarations', async () => {
    const moduleId = await withAreas(null, 'FarmOrganization');
    const transaction = await holdTransaction(app.api.database);
    await transaction('modules').where({ id: moduleId }).update({ currentRevision: 2 });
    await transaction.raw(
      `insert into module_revisions
         (module_id, revision, organization_id, import_id, imported_by, descriptor, environment,
          roles, alert_rules, fingerprint, packing, checks, archive_key, archive_bytes, archive_sha256)
       select module_id, 2, organization_id, import_id, imported_by,
         jsonb_set(descriptor, '{dataAreaIds}', :ids::jsonb), environment,
         roles, alert_rules, fingerprint, packing, checks, archive_key || '-2', archive_bytes, archive_sha256
       from module_revisions where module_id = :moduleId`,
      { moduleId, ids: JSON.stringify(areas('FarmMember')) },
    );
    const installing = install(moduleId);
    await expect.poll(() => lockedCalls(app)).toBeGreaterThan(0);
    await transaction.commit();
    expect((await installing).body).toMatchObject({
      acceptedDataAreaIds: areas('FarmMember'),
      consentPending: false,
    });
  });
});

describe('installations', () => {
  test('are listed newest first, in pages, only for the own organization', async () => {
    const own = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const moduleId = await importModule();
      await install(moduleId, undefined, own);
      await install(moduleId, undefined, farmer);
      ids.unshift(moduleId);
    }
    const items = await app.as(own).pages<{ moduleId: string; organizationId: string }>('/installations');
    expect(items.map(({ moduleId }) => moduleId)).toEqual(ids);
    expect(new Set(items.map(({ organizationId }) => organizationId))).toEqual(new Set([own.id]));
    expect(items[0]).toMatchObject({ consentPending: false, acceptedDataAreaIds: [] });
  });

  test('uninstalling is answered with 204 and then 404; another farmer keeps the module', async () => {
    const moduleId = await importModule();
    const other = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
    await install(moduleId);
    expect((await app.as(other).delete(`/installations/${moduleId}`)).status).toBe(404);
    await install(moduleId, undefined, other);
    const first = await app.as(farmer).delete(`/installations/${moduleId}`);
    expect([first.status, first.text]).toEqual([204, '']);
    expect((await app.as(farmer).delete(`/installations/${moduleId}`)).status).toBe(404);
    expect((await app.as(farmer).get(`/installations/${moduleId}`)).status).toBe(404);
    expect((await app.as(other).get(`/installations/${moduleId}`)).status).toBe(200);
  });

  test('deleting the module ends its installations; importing it again does not bring them back', async () => {
    const moduleId = await importModule();
    await install(moduleId);
    expect((await app.as(vendor).delete(`/modules/${moduleId}`)).status).toBe(204);
    expect((await app.as(farmer).get(`/installations/${moduleId}`)).status).toBe(404);
    await importModule({ descriptor: { moduleId } });
    expect((await app.as(farmer).get(`/installations/${moduleId}`)).status).toBe(404);
    expect((await install(moduleId)).status).toBe(201);
  });

  test('another vendor cannot end installations by deleting a module that it does not own', async () => {
    const moduleId = await importModule();
    await install(moduleId);
    const other = await app.organization({ tenantId: vendor.tenantId });
    expect((await app.as(other).delete(`/modules/${moduleId}`)).status).toBe(404);
    expect((await app.as(farmer).get(`/installations/${moduleId}`)).status).toBe(200);
  });
});

describe('access', () => {
  const id = randomUUID();
  const reads = [
    'GET /availableModules',
    `GET /availableModules/${id}`,
    `GET /availableModules/${id}/files/ModuleLogo/logo.png`,
    'GET /installations',
    'GET /consents',
    'GET /dataReads',
    `GET /installations/${id}`,
  ];
  const writes = [`PUT /installations/${id}`, `DELETE /installations/${id}`];

  test.each([...reads, ...writes])('%s needs a token, a membership, and a farmer', async (call) => {
    expect((await app.as(farmer, null).call(call)).status).toBe(401);
    expect((await app.as(farmer, vendor.admin).call(call)).status).toBe(403);
    expect((await app.as(vendor).call(call)).status).toBe(403);
  });

  test.each(writes)('%s needs an administrator', async (call) => {
    expect((await app.as(farmer, farmer.member).call(call)).status).toBe(403);
  });

  test.each([
    'GET /availableModules/x',
    'GET /availableModules/x/files/ModuleLogo/logo.png',
    'GET /availableModules?categoryId=x',
    'GET /availableModules?language=x',
    'GET /consents?moduleId=x',
    'GET /dataReads?moduleId=x',
    'PUT /installations/x',
    'DELETE /installations/x',
    'GET /installations/x',
    'GET /installations?limit=0',
    'GET /availableModules?cursor=x',
  ])('%s is not valid', async (call) => {
    const answer = await app.as(farmer).call(call);
    expect([answer.status, answer.body.type]).toEqual([400, '/problems/request-invalid']);
  });

  test('other methods are answered with the allowed ones', async () => {
    for (const [call, allow] of [
      ['POST /installations', 'GET'],
      [`POST /installations/${id}`, 'GET, PUT, DELETE'],
      ['POST /availableModules', 'GET'],
      [`PUT /availableModules/${id}`, 'GET'],
      [`PUT /availableModules/${id}/files/ModuleLogo/logo.png`, 'GET'],
      ['POST /consents', 'GET'],
    ] as const) {
      const answer = await app.as(farmer).call(call);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    }
  });
});
