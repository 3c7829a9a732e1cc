import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ARCHIVES } from '../../shared/db/imports/archives.ts';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { importSample, importThrice } from '../support/import-sample.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const KEPT = 2;
const OLD_DAYS = 90;
const test = serviceTest({
  config: { retention: { revisionDays: OLD_DAYS, minRevisionsPerModule: KEPT } },
});
const HOUR_MS = 3_600_000;
const PAGE = 'PackageArtifact/build/index.html';

async function revisionsOf(app: TestApp, vendor: TestOrganization, moduleId: string): Promise<number[]> {
  const path = `/modules/${moduleId}/revisions`;
  return (await app.as(vendor).pages<{ revision: number }>(path)).map(({ revision }) => revision);
}

/** The keys of the archives that a module's revisions have. */
async function archivesOf(app: TestApp, moduleId: string): Promise<readonly string[]> {
  return app.api.database('module_revisions').where({ moduleId }).orderBy('revision').pluck('archive_key');
}

async function storedKeys(app: TestApp): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const { key } of app.api.storage.list(ARCHIVES)) keys.add(key);
  return keys;
}

/** As if a revision had been made this number of days ago. */
async function age(
  app: TestApp,
  moduleId: string,
  revisions: readonly number[],
  days: number,
): Promise<void> {
  const { database } = app.api;
  const createdAt = database.raw("now() - ? * interval '1 day'", [days]);
  await database('module_revisions').where({ moduleId }).whereIn('revision', revisions).update({ createdAt });
}

test('an old revision is deleted with its files; the others stay, and its number is not used again', async ({
  app,
  vendor,
}) => {
  const moduleId = await importThrice(app, vendor);
  const own = app.as(vendor);
  expect((await own.delete(`/modules/${moduleId}/revisions/1`)).status).toBe(204);
  expect(await revisionsOf(app, vendor, moduleId)).toEqual([3, 2]);
  expect((await own.get(`/modules/${moduleId}?revision=1`)).status).toBe(404);
  expect((await own.get(`/modules/${moduleId}/files/${PAGE}?revision=1`)).status).toBe(404);
  expect((await own.get(`/ExportModuleAsync/${moduleId}?revision=1`)).status).toBe(404);
  expect((await own.get(`/modules/${moduleId}/files/${PAGE}?revision=2`)).text).toBe('revision 2');
  expect(await app.api.database('module_files').where({ moduleId, revision: 1 })).toEqual([]);
  await importSample(app, vendor, { descriptor: { moduleId, component: 'next' } });
  expect(await revisionsOf(app, vendor, moduleId)).toEqual([4, 3, 2]);
  const { items } = (await own.get('/auditLog?limit=5')).body;
  expect(items).toContainEqual(
    expect.objectContaining({ action: 'revision.deleted', moduleId, details: { revision: 1 } }),
  );
});

test('the current revision is not deleted, nor one that is not there, nor that of another vendor', async ({
  app,
  vendor,
}) => {
  const moduleId = await importThrice(app, vendor);
  const own = app.as(vendor);
  const refused = await own.delete(`/modules/${moduleId}/revisions/3`);
  expect(refused.body).toMatchObject({ status: 409, type: '/problems/revision-current' });
  for (const revision of ['4', '0', 'abc', '99999999999'])
    expect((await own.delete(`/modules/${moduleId}/revisions/${revision}`)).status).toBe(404);
  const other = await app.organization({ tenantId: vendor.tenantId });
  expect((await app.as(other).delete(`/modules/${moduleId}/revisions/1`)).status).toBe(404);
  expect((await app.as(vendor, vendor.member).delete(`/modules/${moduleId}/revisions/1`)).status).toBe(403);
  expect(await revisionsOf(app, vendor, moduleId)).toEqual([3, 2, 1]);
});

test('the only revision of a module is not deleted: the module would be nowhere to be seen', async ({
  app,
  vendor,
}) => {
  const own = app.as(vendor);
  const staged = samplePackage(app.api.catalogue);
  const { body } = await app.importPackage(vendor, staged, { query: '?release=staged' });
  const moduleId = String(body.moduleId);
  const refused = await own.delete(`/modules/${moduleId}/revisions/1`);
  expect(refused.body).toMatchObject({ status: 409, type: '/problems/revision-current' });
  expect(refused.body.detail).toContain('Delete the module instead.');
  expect((await own.get(`/modules/${moduleId}`)).body).toMatchObject({ revision: 1 });
  expect((await own.delete(`/modules/${moduleId}/revisions/2`)).status).toBe(404);
  expect((await own.delete(`/modules/${moduleId}`)).status).toBe(204);
});

test('a revision that only previewers see is deleted after they are removed, as the refusal says', async ({
  app,
  vendor,
}) => {
  const own = app.as(vendor);
  const moduleId = await importThrice(app, vendor);
  const staged = samplePackage(app.api.catalogue, { descriptor: { moduleId, component: 'staged' } });
  await app.importPackage(vendor, staged, { query: '?release=staged' });
  const path = `/modules/${moduleId}/revisions/4`;
  await own.put(`${path}/previewers`, { organizationIds: [randomUUID()] });
  const refused = await own.delete(path);
  expect(refused.body).toMatchObject({ status: 409, type: '/problems/revision-current' });
  const [, call = '', body = ''] =
    /^Only previewers see revision 4\. .+: PUT (\S+) with (.+)\.$/.exec(String(refused.body.detail)) ?? [];
  const headers = { Authorization: vendor.admin, 'Content-Type': 'application/json' };
  expect((await app.fetch(call, { method: 'PUT', headers, body })).status).toBe(200);
  expect((await own.delete(path)).status).toBe(204);
});

test('after the newest revision of an unreleased module is deleted, lists show the newest that is kept, and operators find its name', async ({
  app,
  vendor,
}) => {
  const own = app.as(vendor);
  const moduleId = randomUUID();
  const stage = (moduleName: string) => {
    const translations = [{ languageId: app.api.catalogue.englishId, moduleName }];
    const archive = samplePackage(app.api.catalogue, { descriptor: { moduleId, translations } });
    return app.importPackage(vendor, archive, { query: '?release=staged' });
  };
  await stage('Kept newest');
  await stage('Later deleted');
  expect((await own.delete(`/modules/${moduleId}/revisions/2`)).status).toBe(204);
  const { items } = (await own.get('/modules?limit=200')).body;
  expect(items).toContainEqual(expect.objectContaining({ id: moduleId, revision: 1, newestRevision: 1 }));
  const found = (await app.as('operator').get('/operations/modules?query=kept%20newest')).body;
  expect(found.items).toMatchObject([{ id: moduleId, name: 'Kept newest' }]);
});

test('of two requests to delete a revision one succeeds', async ({ app, vendor }) => {
  const moduleId = await importThrice(app, vendor);
  const calls = [1, 2].map(() => app.as(vendor).delete(`/modules/${moduleId}/revisions/2`));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([204, 404]);
});

test('imports and deletions of revisions at the same time leave the newest revision whole', async ({
  app,
  vendor,
}) => {
  const moduleId = await importThrice(app, vendor);
  const own = app.as(vendor);
  const importing = [1, 2, 3, 4].map((each) =>
    importSample(app, vendor, { descriptor: { moduleId, component: `at once ${each}` } }).catch(() => null),
  );
  const deleting = [1, 2, 3, 4, 5, 6, 7].map((each) => own.delete(`/modules/${moduleId}/revisions/${each}`));
  await Promise.all([...importing, ...deleting]);
  const kept = await revisionsOf(app, vendor, moduleId);
  const { body } = await own.get(`/modules/${moduleId}`);
  expect(kept[0]).toBe(body.currentRevision);
  expect((await own.get(`/modules/${moduleId}/files/${PAGE}`)).status).toBe(200);
});

test('the archive of a deleted revision is kept until no download of it can run any more', async ({
  app,
  vendor,
}) => {
  const moduleId = await importThrice(app, vendor);
  const [first = '', second = ''] = await archivesOf(app, moduleId);
  expect((await app.as(vendor).delete(`/modules/${moduleId}/revisions/1`)).status).toBe(204);
  await collectGarbage(app.api, HOUR_MS);
  expect(await storedKeys(app)).toContain(first);
  const { removed } = await collectGarbage(app.api, 0);
  expect(removed.archives).toBeGreaterThan(0);
  const stored = await storedKeys(app);
  expect(stored).not.toContain(first);
  expect(stored).toContain(second);
});

test('purging a module deletes its revisions at once, also those of one that was deleted before', async ({
  app,
  vendor,
}) => {
  const [first, second, third] = [
    await importThrice(app, vendor),
    await importThrice(app, vendor),
    await importThrice(app, vendor),
  ];
  const own = app.as(vendor);
  expect((await own.delete(`/modules/${first}?purge=true`)).status).toBe(204);
  expect((await own.delete(`/modules/${second}`)).status).toBe(204);
  expect(await archivesOf(app, second)).toHaveLength(3);
  expect((await own.delete(`/modules/${second}?purge=true`)).status).toBe(204);
  expect(await archivesOf(app, first)).toEqual([]);
  expect(await archivesOf(app, second)).toEqual([]);
  expect(await archivesOf(app, third)).toHaveLength(3);
  const other = await app.organization({ tenantId: vendor.tenantId });
  expect((await app.as(other).delete(`/modules/${first}?purge=true`)).status).toBe(404);
  const again = samplePackage(app.api.catalogue, { descriptor: { moduleId: first } });
  expect(await app.importPackage(vendor, again)).toMatchObject({ body: { outcome: 'created', revision: 4 } });
});

test('revisions that are neither young nor among the newest are deleted', async ({ app, vendor }) => {
  const moduleId = await importThrice(app, vendor);
  const young = await importThrice(app, vendor);
  for (const component of ['four', 'five'])
    await importSample(app, vendor, { descriptor: { moduleId, component } });
  expect((await app.as(vendor).delete(`/modules/${moduleId}/revisions/4`)).status).toBe(204);
  await age(app, moduleId, [1, 3, 5], OLD_DAYS + 1);
  await age(app, moduleId, [2], OLD_DAYS - 1);
  await collectGarbage(app.api);
  // The two newest are 5 and 3, because 4 was deleted; 2 is young.
  expect(await revisionsOf(app, vendor, moduleId)).toEqual([5, 3, 2]);
  expect(await revisionsOf(app, vendor, young)).toEqual([3, 2, 1]);
  const [file] = await app.api
    .database('freed_archives')
    .where({ moduleId })
    .count<{ n: number }[]>({ n: '*' });
  expect(file?.n).toBe(2);
});
