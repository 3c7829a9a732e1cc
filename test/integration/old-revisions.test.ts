import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { modulePackage } from '../../api/modules/module-package.ts';
import { findExportedRevision } from '../../shared/db/modules/module-exports.ts';
import { findMoreFiles } from '../../shared/db/modules/modules.ts';
import { ARCHIVES } from '../../shared/db/imports/archives.ts';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { importSample } from '../support/import-sample.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const KEPT = 3;
const QUOTA = 2;
const test = serviceTest({
  config: { quotas: { maxRevisionsPerModule: KEPT, maxModulesPerOrganization: QUOTA } },
});

async function storedArchives(app: TestApp): Promise<number> {
  let count = 0;
  for await (const object of app.api.storage.list(ARCHIVES)) count += object.key === '' ? 0 : 1;
  return count;
}

async function revisionsOf(app: TestApp, vendor: TestOrganization, moduleId: string): Promise<number[]> {
  const path = `/modules/${moduleId}/revisions`;
  return (await app.as(vendor).pages<{ revision: number }>(path)).map(({ revision }) => revision);
}

test('a module keeps its newest revisions; the archives of others are collected', async ({ app }) => {
  const vendor = await app.organization();
  const moduleId = await importSample(app, vendor);
  await collectGarbage(app.api, 0);
  const before = await storedArchives(app);
  for (let version = 2; version <= KEPT + 2; version += 1)
    await importSample(app, vendor, { descriptor: { moduleId, component: `Version ${version}` } });
  expect(await revisionsOf(app, vendor, moduleId)).toEqual([5, 4, 3]);
  expect((await app.as(vendor).get(`/ExportModuleAsync/${moduleId}?revision=2`)).status).toBe(404);
  expect((await app.as(vendor).get(`/ExportModuleAsync/${moduleId}?revision=3`)).status).toBe(200);
  await collectGarbage(app.api, 0);
  expect((await storedArchives(app)) - before).toBe(KEPT - 1);
});

test('a lower limit of revisions deletes none by itself: each import deletes the oldest beyond it', async ({
  app,
}) => {
  const vendor = await app.organization();
  const moduleId = await importSample(app, vendor);
  const importNext = () =>
    importSample(app, vendor, { descriptor: { moduleId, component: `Version ${randomUUID()}` } });
  await importNext();
  const path = `/operations/organizations/${vendor.id}/limits`;
  expect((await app.as('operator').put(path, { maxRevisionsPerModule: 1 })).status).toBe(200);
  await collectGarbage(app.api, 0);
  expect(await revisionsOf(app, vendor, moduleId)).toEqual([2, 1]);
  // The worker follows the limit within a second.
  await expect
    .poll(async () => {
      await importNext();
      return (await revisionsOf(app, vendor, moduleId)).length;
    })
    .toBe(1);
});

test('a revision that is deleted while it is read has no end without its files', async ({ app }) => {
  const vendor = await app.organization();
  const moduleId = await importSample(app, vendor);
  const { database, encryptionKeys } = app.api;
  const key = { organizationId: vendor.id, moduleId };
  const found = await findExportedRevision(database, encryptionKeys, key, 1);
  if (found === null) throw new Error('there is no first revision');
  expect((await modulePackage(database, found, false))?.segments.length).toBeGreaterThan(3);
  const read = { id: moduleId, revision: 1 };
  expect((await findMoreFiles(database, read, '')).length).toBeGreaterThan(0);
  expect(await findMoreFiles(database, read, 'zzz')).toEqual([]);
  for (let version = 2; version <= KEPT + 1; version += 1)
    await importSample(app, vendor, { descriptor: { moduleId, component: `Version ${version}` } });
  expect(await modulePackage(database, found, false)).toBeNull();
  await expect(findMoreFiles(database, read, '')).rejects.toThrow('was deleted while it was read');
});

test('the revisions of a deleted module are deleted after their time, and its numbers go on', async ({
  app,
}) => {
  const vendor = await app.organization();
  const moduleId = await importSample(app, vendor);
  await collectGarbage(app.api, 0);
  const before = await storedArchives(app);
  expect((await app.as(vendor).delete(`/modules/${moduleId}`)).status).toBe(204);
  await collectGarbage(app.api, 0);
  expect(await storedArchives(app)).toBe(before);
  const { database } = app.api;
  const days = app.config.retention.deletedModuleDays + 1;
  await database('modules')
    .where({ id: moduleId })
    .update({ deletedAt: database.raw("now() - ? * interval '1 day'", [days]) });
  await collectGarbage(app.api, 0);
  expect(await storedArchives(app)).toBe(before - 1);
  expect(await database('module_files').where({ moduleId })).toEqual([]);
  const zip = samplePackage(app.api.catalogue, { descriptor: { moduleId } });
  expect(await app.importPackage(vendor, zip)).toMatchObject({ body: { outcome: 'created', revision: 2 } });
});

test('a module more than the organization may have is rejected; an update is not', async ({ app }) => {
  const vendor = await app.organization();
  const modules = [await importSample(app, vendor), await importSample(app, vendor)];
  const refused = await app.importPackage(vendor, samplePackage(app.api.catalogue));
  expect(refused.body.errors).toMatchObject([
    { code: 'registry-quota-exceeded', entry: 'moduleSchema.json' },
  ]);
  const validated = await app.importPackage(vendor, samplePackage(app.api.catalogue), {
    query: '?validateOnly=true',
  });
  expect(validated.body.errors).toEqual(refused.body.errors);
  // A deletion makes room at once, as the refusal says.
  expect((await app.as(vendor).delete(`/modules/${modules[1] ?? ''}`)).status).toBe(204);
  modules[1] = await importSample(app, vendor);
  const named = samplePackage(app.api.catalogue, { descriptor: { moduleId: randomUUID() } });
  expect((await app.importPackage(vendor, named)).status).toBe(400);
  const update = { descriptor: { moduleId: modules[0], component: 'Second' } };
  expect((await app.importPackage(vendor, samplePackage(app.api.catalogue, update))).status).toBe(200);
});

test('imports that are rejected do not count', async ({ app }) => {
  const vendor = await app.organization();
  const scope = `scope-${randomUUID()}`;
  await importSample(app, vendor, { descriptor: { scope } });
  const taken = await app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor: { scope } }));
  expect(taken.body.errors).toMatchObject([{ code: 'registry-scope-taken' }]);
  await importSample(app, vendor);
});
