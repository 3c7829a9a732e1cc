import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { installModule } from '../../api/installations/install-module.ts';
import { deleteOrganization } from '../../shared/db/access/delete-organization.ts';
import { SEQUENCER_LOCK } from '../../shared/db/changes/change-sequencer.ts';
import { ARCHIVES } from '../../shared/db/imports/archives.ts';
import { clearOrganizations } from '../../worker/maintenance/clear-organizations.ts';
import { purgeOneModule, purgeOrganization } from '../../worker/maintenance/purge.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { importSample, importThrice } from '../support/import-sample.ts';
import { storeImport } from '../support/import-actors.ts';
import { holdLock, holdStructures, holdTransaction } from '../support/held-lock.ts';
import { lockedCalls } from '../support/lock-waits.ts';
import { install, makeModule, makeRule, putFarms, sampleFarm } from '../support/machine-access.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import { slowUpload } from '../support/slow-upload.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest();
const testWithoutWorker = serviceTest({ worker: false });
const DAY_MS = 86_400_000;

async function remove(app: TestApp, { id }: TestOrganization, query = ''): Promise<number> {
  return (await app.as('operator').delete(`/organizations/${id}${query}`)).status;
}

/** Waits until a worker has deleted the data of a deleted organization. */
async function cleared({ api }: TestApp): Promise<void> {
  await clearOrganizations(api, DAY_MS);
}

async function storedKeys(app: TestApp): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const { key } of app.api.storage.list(ARCHIVES)) keys.add(key);
  return keys;
}

async function archivesOf(app: TestApp, where: object): Promise<readonly string[]> {
  return app.api.database('module_revisions').where(where).pluck('archive_key');
}

test('a vendor whose modules are installed is deleted only if they are to be uninstalled', async ({
  app,
}) => {
  const vendor = await app.organization();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const module = await makeModule(app, vendor);
  await install(app, farmer, module.moduleId);
  expect((await app.as(module).get('/StructuresByModuleId')).status).toBe(200);
  expect(await remove(app, vendor)).toBe(409);
  expect((await app.as(module).get('/StructuresByModuleId')).status).toBe(200);
  expect(await remove(app, vendor, '?uninstall=true')).toBe(204);
  await expect.poll(async () => (await app.as(module).get('/StructuresByModuleId')).status).toBe(401);
  await expect.poll(async () => (await app.as(vendor).get('/modules')).status).toBe(404);
  await cleared(app);
  expect((await app.as(farmer).get('/installations')).body.items).toEqual([]);
  expect((await app.as(farmer).get('/availableModules')).body.items).toEqual([]);
  const { items } = (await app.as(farmer).get('/auditLog?limit=1')).body;
  expect(items).toMatchObject([{ action: 'installation.removed', actor: `organization ${vendor.id}` }]);
});

test('a module is not installed once its vendor is deleted', async ({ app }) => {
  const vendor = await app.organization();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const { moduleId } = await makeModule(app, vendor);
  const deleting = await holdTransaction(app.api.database);
  await deleteOrganization(deleting, vendor.id, false, FIXTURE_ACTOR);
  const installed = app.as(farmer).put(`/installations/${moduleId}`);
  await expect.poll(() => lockedCalls(app)).toBe(1);
  await deleting.commit();
  expect((await installed).status).toBe(404);
  expect(await app.api.database('installations').where({ moduleId })).toEqual([]);
});

test('a vendor is not deleted while one of its modules is being installed', async ({ app }) => {
  const vendor = await app.organization();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const { moduleId } = await makeModule(app, vendor);
  const installing = await holdTransaction(app.api.database);
  const accepted = { dataAreaIds: null, terms: null, offerTags: [] };
  const key = { organizationId: farmer.id, moduleId };
  await installModule(installing, key, accepted, { ...FIXTURE_ACTOR, max: 1 });
  const removed = remove(app, vendor);
  await expect.poll(() => lockedCalls(app)).toBe(1);
  await installing.commit();
  expect(await removed).toBe(409);
  expect((await app.as(farmer).get(`/installations/${moduleId}`)).status).toBe(200);
});

test('the structures, rules and installations of a deleted farmer are deleted', async ({ app, vendor }) => {
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const module = await makeModule(app, vendor);
  await install(app, farmer, module.moduleId);
  await putFarms(app, farmer, [sampleFarm()]);
  await makeRule(app, farmer, module.moduleId);
  expect(await remove(app, farmer)).toBe(204);
  const { organizations } = (await app.as(module).get('/StructuresByModuleId')).body;
  expect(organizations).toEqual([]);
  await cleared(app);
  for (const table of ['structures', 'alert_rules', 'alerts', 'installations'])
    expect(await app.api.database(table).where({ organizationId: farmer.id }), table).toEqual([]);
});

test('a deleted organization is not found, its ID is not used again, and it is deleted once', async ({
  app,
}) => {
  const organization = await app.organization();
  expect(await remove(app, organization)).toBe(204);
  expect(await remove(app, organization)).toBe(404);
  expect(await remove(app, { ...organization, id: randomUUID() })).toBe(404);
  const path = `/organizations/${organization.id}`;
  expect((await app.as('operator').get(path)).status).toBe(404);
  const body = { name: 'Again', kind: 'vendor', tenantId: organization.tenantId };
  expect((await app.as('operator').put(path, body)).status).toBe(409);
  const { items } = (await app.as('operator').get('/operations/auditLog?action=organization.deleted')).body;
  expect(items).toContainEqual(expect.objectContaining({ organizationId: organization.id }));
});

test('an import that was waiting is cancelled; the organization is cleared when no upload can follow', async ({
  app,
}) => {
  const { database } = app.api;
  const vendor = await app.organization();
  await importSample(app, vendor);
  const upload = slowUpload(app, vendor, samplePackage(app.api.catalogue));
  await expect.poll(() => app.api.imports.uploadSlots.takenBy(vendor.id)).toBe(1);
  await database('organizations')
    .where({ id: vendor.id })
    .update({
      ...{ deletedAt: database.fn.now(), deletedBy: 'somebody', deletionTraceId: '0'.repeat(32) },
    });
  upload.finish();
  expect((await upload.answer).status, 'an upload that ends after the deletion').toBe(403);
  const { importId } = await storeImport(app, vendor);
  const statusOf = async () =>
    (await database('imports').where({ id: importId }).first<{ status: string }>()).status;
  // Without a webhook of the operator the sequencer would drop the change.
  const sequencer = await holdTransaction(database);
  await sequencer.raw('select pg_advisory_xact_lock(?)', [SEQUENCER_LOCK]);
  await cleared(app);
  await expect.poll(statusOf).toBe('cancelled');
  const recorded = await database('outbox').select('type', 'subject');
  await sequencer.rollback();
  const about = recorded.filter(({ subject }) => subject.importId === importId);
  expect(about).toMatchObject([{ type: 'import.ended', subject: { status: 'cancelled' } }]);
  const modules = await database('modules').where({ organizationId: vendor.id });
  expect(modules).toMatchObject([{ deletedBy: 'somebody' }]);
  const isCleared = async () =>
    (await database('organizations').where({ id: vendor.id }).first<{ clearedAt: Date | null }>())
      .clearedAt !== null;
  expect(await isCleared()).toBe(false);
  await clearOrganizations(app.api, 0);
  expect(await isCleared()).toBe(true);
});

test('an import whose attempt failed, or whose worker died, is cancelled when its organization is deleted', async ({
  app,
}) => {
  const { database } = app.api;
  const vendor = await app.organization();
  const { importId, archiveKey } = await storeImport(app, vendor);
  expect(await remove(app, vendor)).toBe(204);
  // As an attempt leaves it between two tries.
  await database('imports')
    .where({ id: importId })
    .update({ status: 'running', runId: randomUUID(), startedAt: database.fn.now(), archiveKey });
  await cleared(app);
  const row = await database('imports')
    .where({ id: importId })
    .first<{ status: string; archiveKey: unknown }>();
  expect(row).toMatchObject({ status: 'cancelled', archiveKey: null });
  await clearOrganizations(app.api, 0);
  const { clearedAt } = await database('organizations')
    .where({ id: vendor.id })
    .first<{ clearedAt: Date | null }>();
  expect(clearedAt).not.toBeNull();
});

async function deletedFarmer(app: TestApp): Promise<TestOrganization> {
  const farmer = await app.organization({ kind: 'farmer' });
  await putFarms(app, farmer, [sampleFarm()]);
  expect(await remove(app, farmer)).toBe(204);
  return farmer;
}

async function structuresOf({ api }: TestApp, { id }: TestOrganization): Promise<number> {
  return (await api.database('structures').where({ organizationId: id })).length;
}

test('a deleted organization whose rows are in use keeps no other from being cleared or purged', async ({
  app,
}) => {
  const [inUse, other, purged] = [
    await deletedFarmer(app),
    await deletedFarmer(app),
    await deletedFarmer(app),
  ];
  const held = await holdStructures(app, inUse.id);
  await purgeOrganization(app.api, purged.id, FIXTURE_ACTOR);
  expect(await structuresOf(app, purged)).toBe(0);
  const clearing = clearOrganizations(app.api, DAY_MS).catch(() => undefined);
  await expect.poll(() => structuresOf(app, other)).toBe(0);
  expect(await structuresOf(app, inUse)).toBeGreaterThan(0);
  await held.release();
  await clearing;
  await cleared(app);
  expect(await structuresOf(app, inUse)).toBe(0);
});

test('while the deletion of an organization waits for a row that is in use, the organization can be changed', async ({
  app,
  vendor,
}) => {
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const [installed, more] = [await makeModule(app, vendor), await makeModule(app, vendor)];
  await install(app, farmer, installed.moduleId);
  const row = 'select from installations where organization_id = $1 for update';
  const held = await holdLock(app, row, [farmer.id]);
  const removed = remove(app, farmer);
  await expect.poll(() => lockedCalls(app)).toBe(1);
  await install(app, farmer, more.moduleId);
  expect(lockedCalls(app)).toBeGreaterThan(0);
  await held.release();
  expect(await removed).toBe(204);
  await expect.poll(async () => (await app.as(farmer).get('/installations')).status).toBe(404);
});

test('a purged module leaves nothing in the storage, also of revisions that were deleted before', async ({
  app,
  vendor,
}) => {
  const [purged, other] = [await importThrice(app, vendor), await importThrice(app, vendor)];
  const archives = await archivesOf(app, { moduleId: purged });
  const kept = await archivesOf(app, { moduleId: other });
  expect((await app.as(vendor).delete(`/modules/${purged}/revisions/1`)).status).toBe(204);
  const result = await purgeOneModule(app.api, purged, FIXTURE_ACTOR);
  expect(result).toMatchObject({ modules: 1, revisions: 2, archives: 3 });
  const stored = await storedKeys(app);
  for (const key of archives) expect(stored).not.toContain(key);
  for (const key of kept) expect(stored).toContain(key);
  expect(await purgeOneModule(app.api, randomUUID(), FIXTURE_ACTOR)).toBeNull();
});

test('a module that is imported while it is purged has all its files', async ({ app, vendor }) => {
  const moduleId = await importThrice(app, vendor);
  const importing = [1, 2, 3].map((each) =>
    app.importPackage(
      vendor,
      samplePackage(app.api.catalogue, { descriptor: { moduleId, component: `again ${each}` } }),
    ),
  );
  await Promise.all([...importing, purgeOneModule(app.api, moduleId, FIXTURE_ACTOR)]);
  const stored = await storedKeys(app);
  for (const key of await archivesOf(app, { moduleId })) expect(stored).toContain(key);
});

test('a purged organization leaves nothing in the storage', async ({ app }) => {
  const vendor = await app.organization();
  await importThrice(app, vendor);
  const rejected = samplePackage(app.api.catalogue, { descriptor: { moduleId: 'no GUID' } });
  expect((await app.importPackage(vendor, rejected)).status).toBe(400);
  const uploads = await app.api
    .database('imports')
    .where({ organizationId: vendor.id })
    .whereNotNull('archiveKey')
    .pluck<string[]>('archive_key');
  const archives = [...(await archivesOf(app, { organizationId: vendor.id })), ...uploads];
  expect(archives).toHaveLength(4);
  expect(await purgeOrganization(app.api, vendor.id, FIXTURE_ACTOR)).toMatchObject({ archives: 4 });
  const stored = await storedKeys(app);
  for (const key of archives) expect(stored).not.toContain(key);
  expect(await purgeOrganization(app.api, randomUUID(), FIXTURE_ACTOR)).toBeNull();
});

testWithoutWorker(
  'a purged organization leaves no upload in the storage, also of imports that waited, ran, or were cancelled before',
  async ({ app }) => {
    const [vendor, cleared] = [await app.organization(), await app.organization()];
    const [waiting, running] = [await storeImport(app, vendor), await storeImport(app, vendor)];
    const run = { status: 'running', runId: randomUUID(), startedAt: app.api.database.fn.now() };
    await app.api.database('imports').where({ id: running.importId }).update(run);
    const cancelled = await storeImport(app, cleared);
    expect(await remove(app, cleared)).toBe(204);
    await clearOrganizations(app.api, 0);
    const uploads = [waiting, running, cancelled].map(({ archiveKey }) => archiveKey);
    expect([...(await storedKeys(app))].toSorted()).toEqual(uploads.toSorted());
    expect(await purgeOrganization(app.api, vendor.id, FIXTURE_ACTOR)).toMatchObject({ archives: 2 });
    expect(await purgeOrganization(app.api, cleared.id, FIXTURE_ACTOR)).toMatchObject({ archives: 1 });
    expect(await storedKeys(app)).toEqual(new Set());
  },
);
