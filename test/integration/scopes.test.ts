import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { openDatabase, type Database } from '../../shared/db/database.ts';
import { writeRelease } from '../../shared/db/modules/releases.ts';
import { freeScope, reserveScope } from '../../shared/db/modules/scopes.ts';
import { releaseRevision } from '../../shared/registration/releases.ts';
import { clearOrganizations } from '../../worker/maintenance/clear-organizations.ts';
import { exported, descriptorOf } from '../support/exported-package.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { holdTransaction } from '../support/held-lock.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest();
const DAY_MS = 86_400_000;

interface Coded {
  readonly code: string;
  readonly detail: string;
}

/** Imports of one vendor; each package differs from the others, unless it has a component. */
function importing(app: TestApp, vendor: TestOrganization) {
  return (descriptor: object, query = ''): Promise<Answer> =>
    app.importPackage(
      vendor,
      samplePackage(app.api.catalogue, { descriptor: { component: randomUUID(), ...descriptor } }),
      { query },
    );
}

function codesOf({ body }: Answer, list: 'errors' | 'warnings' = 'errors'): string[] {
  return (body[list] as Coded[]).map(({ code }) => code).filter((code) => code.startsWith('registry-scope'));
}

function newScope(): string {
  return `scope-${randomUUID()}`;
}

/** A module with a scope, and imports of its vendor and of another one in the tenant. */
async function scopedModule(app: TestApp, vendor: TestOrganization) {
  const scope = newScope();
  const own = importing(app, vendor);
  const other = importing(app, await app.organization({ tenantId: vendor.tenantId }));
  const { moduleId } = (await own({ scope })).body as { moduleId: string };
  return { scope, own, other, moduleId };
}

async function scopeOf(app: TestApp, vendor: TestOrganization, moduleId: string): Promise<unknown> {
  const { items } = (await app.as(vendor).get('/modules?limit=200')).body;
  return (items as { id: string; scope: unknown }[]).find(({ id }) => id === moduleId)?.scope;
}

async function lastEntry(app: TestApp, vendor: TestOrganization, wanted: string): Promise<unknown> {
  const { items } = (await app.as(vendor).get('/auditLog?limit=200')).body;
  return (items as { action: string }[]).find(({ action }) => action === wanted);
}

test('a misspelt member keeps the scope: no other vendor takes it, and the next package of the owner is accepted', async ({
  app,
  vendor,
}) => {
  const { scope, own, other, moduleId } = await scopedModule(app, vendor);
  const misspelt = { moduleId, scop: scope, component: 'same' };
  const kept = await own(misspelt);
  expect([kept.body.outcome, codesOf(kept, 'warnings')]).toEqual(['updated', ['registry-scope-kept']]);
  expect(
    (kept.body.warnings as Coded[]).find(({ code }) => code === 'registry-scope-kept')?.detail,
  ).toContain(scope);
  expect(await scopeOf(app, vendor, moduleId)).toBe(scope);
  expect(codesOf(await other({ scope }))).toEqual(['registry-scope-taken']);
  expect((await own(misspelt)).body).toMatchObject({ outcome: 'unchanged', revision: 2 });
  for (const nothing of [{ scope: null }, { scope: '' }]) {
    const again = await own({ moduleId, component: 'same', ...nothing }, '?validateOnly');
    expect([again.body.outcome, codesOf(again, 'warnings')]).toEqual(['unchanged', ['registry-scope-kept']]);
  }
  expect(await descriptorOf(await exported(app, vendor, moduleId))).toMatchObject({ scope });
  const corrected = await own({ moduleId, scope });
  expect([corrected.body.outcome, codesOf(corrected, 'warnings')]).toEqual(['updated', []]);
});

test('another scope needs renameScope, which is audited; the old name can name another own module that lacks one', async ({
  app,
  vendor,
}) => {
  const { scope, own, other, moduleId } = await scopedModule(app, vendor);
  const next = newScope();
  for (const query of ['', '?validateOnly']) {
    const refused = await own({ moduleId, scope: next }, query);
    expect(codesOf(refused)).toEqual(['registry-scope-changed']);
    const [{ detail } = { detail: '' }] = refused.body.errors as Coded[];
    for (const named of [scope, next, '?renameScope=true']) expect(detail).toContain(named);
  }
  await own({ moduleId, scope: next }, '?validateOnly&renameScope');
  expect(await scopeOf(app, vendor, moduleId)).toBe(scope);
  expect((await own({ moduleId, scope: next }, '?renameScope=true')).body.outcome).toBe('updated');
  expect(await scopeOf(app, vendor, moduleId)).toBe(next);
  expect(await lastEntry(app, vendor, 'module.scopeChanged')).toMatchObject({
    moduleId,
    details: { scope: next, previousScope: scope },
  });
  expect(codesOf(await other({ scope }))).toEqual(['registry-scope-taken']);
  const second = (await own({ scope: null })).body.moduleId as string;
  expect((await own({ moduleId: second, scope })).body.outcome).toBe('updated');
  expect(codesOf(await own({ moduleId, scope }, '?renameScope=true'))).toEqual(['registry-scope-taken']);
});

test('a staged scope belongs to the organization at once, and to the module when it is released; a roll-back takes the old one back', async ({
  app,
  vendor,
}) => {
  const { scope, own, other, moduleId } = await scopedModule(app, vendor);
  const next = newScope();
  const staged = { moduleId, scope: next, component: 'staged' };
  expect(codesOf(await own(staged, '?release=staged'))).toEqual(['registry-scope-changed']);
  await own(staged, '?release=staged&renameScope=true');
  expect(await scopeOf(app, vendor, moduleId)).toBe(scope);
  expect(codesOf(await other({ scope: next }))).toEqual(['registry-scope-taken']);
  // Nothing changes: nothing is renamed.
  expect((await own(staged)).body).toMatchObject({ outcome: 'unchanged', released: false });
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const path = `/modules/${moduleId}/revisions`;
  await app.as(vendor).put(`${path}/2/previewers`, { organizationIds: [farmer.id] });
  const address = `/operations/scopes/${vendor.tenantId}/${next}`;
  expect((await app.as('operator').delete(address)).body.type).toBe('/problems/scope-in-use');
  await app.as(vendor).post(`${path}/2/release`);
  expect(await scopeOf(app, vendor, moduleId)).toBe(next);
  await app.as(vendor).post(`${path}/1/release`);
  expect(await scopeOf(app, vendor, moduleId)).toBe(scope);
  expect(await lastEntry(app, vendor, 'module.scopeChanged')).toMatchObject({
    moduleId,
    details: { scope, previousScope: next },
  });
  expect(codesOf(await other({ scope: next }))).toEqual(['registry-scope-taken']);
});

test('a change of previewers that is refused registers no scope', async ({ app, vendor }) => {
  const { scope, own, other, moduleId } = await scopedModule(app, vendor);
  await own({ moduleId, scope: newScope() }, '?renameScope=true');
  const address = `/operations/scopes/${vendor.tenantId}/${scope}`;
  expect((await app.as('operator').delete(address)).status).toBe(204);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const previewers = { organizationIds: [farmer.id] };
  const refused = await app.as(vendor).put(`/modules/${moduleId}/revisions/1/previewers`, previewers);
  expect([refused.status, refused.body.type]).toEqual([409, '/problems/revision-released']);
  expect((await other({ scope })).status).toBe(200);
});

test('of imports of several organizations that race for one scope, those of one organization win one module', async ({
  app,
  vendor,
}) => {
  const scope = newScope();
  const others = await Promise.all([1, 2, 3].map(() => app.organization({ tenantId: vendor.tenantId })));
  const answers = await Promise.all([vendor, ...others].map((each) => importing(app, each)({ scope })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status === 400);
  expect(refused.map((each) => codesOf(each))).toEqual([1, 2, 3].map(() => ['registry-scope-taken']));
});

test('imports of one module that wait at the same time: after a rename, a package with the old scope does not rename it back', async ({
  app,
  vendor,
}) => {
  const { scope, own, moduleId } = await scopedModule(app, vendor);
  const next = newScope();
  const [renamed, old] = await Promise.all([
    own({ moduleId, scope: next }, '?renameScope=true'),
    own({ moduleId, scope }),
  ]);
  expect([renamed.status, old.status]).toContain(200);
  expect(await scopeOf(app, vendor, moduleId)).toBe(renamed.status === 200 ? next : scope);
});

test('the scope of a deleted module stays its organization’s, for this module or another, until an operator frees it', async ({
  app,
  vendor,
}) => {
  const { scope, own, other, moduleId } = await scopedModule(app, vendor);
  const address = `/operations/scopes/${vendor.tenantId}/${scope}`;
  expect((await app.as('operator').delete(address)).status).toBe(409);
  await app.as(vendor).delete(`/modules/${moduleId}?purge=true`);
  expect(codesOf(await other({ scope }))).toEqual(['registry-scope-taken']);
  // It starts as a new module does.
  const again = await own({ moduleId });
  expect([again.body.outcome, codesOf(again, 'warnings')]).toEqual(['created', []]);
  expect((await own({ moduleId, scope })).status).toBe(200);
  await app.as(vendor).delete(`/modules/${moduleId}`);
  expect((await app.as('operator').delete(address)).status).toBe(204);
  expect((await app.as('operator').delete(address)).status).toBe(404);
  expect(await lastEntry(app, vendor, 'module.scopeFreed')).toMatchObject({ details: { scope } });
  expect((await other({ scope })).status).toBe(200);
  expect(codesOf(await own({ scope }))).toEqual(['registry-scope-taken']);
});

test('the scopes of a deleted organization stay taken until an operator frees them', async ({
  app,
  vendor,
}) => {
  const scope = newScope();
  const leaving = await app.organization({ tenantId: vendor.tenantId });
  await importing(app, leaving)({ scope });
  const own = importing(app, vendor);
  await app.as('operator').delete(`/organizations/${leaving.id}`);
  await clearOrganizations(app.api, DAY_MS);
  expect(codesOf(await own({ scope }))).toEqual(['registry-scope-taken']);
  expect((await app.as('operator').delete(`/operations/scopes/${vendor.tenantId}/${scope}`)).status).toBe(
    204,
  );
  expect((await own({ scope })).status).toBe(200);
});

const EVERYONE = { organizationIds: [], percent: 100 };

/** A module whose staged second revision has another scope, and connections whose statements wait for locks. */
async function stagedScope(app: TestApp, vendor: TestOrganization) {
  const { own, moduleId } = await scopedModule(app, vendor);
  const key = { tenantId: vendor.tenantId, scope: newScope() };
  await own({ moduleId, scope: key.scope }, '?release=staged&renameScope=true');
  const waiting: Database = openDatabase({ url: app.environment['DATABASE_URL'] ?? '', poolSize: 1 });
  onTestFinished(() => waiting.destroy());
  return { moduleId, key, waiting, holding: await holdTransaction(app.api.database) };
}

test('a scope that a ring is getting is not freed once the ring sees it', async ({ app, vendor }) => {
  const { moduleId, key, waiting, holding } = await stagedScope(app, vendor);
  expect(await reserveScope(holding, moduleId, 2)).toBe(true);
  await writeRelease(holding, moduleId, 2, EVERYONE, FIXTURE_ACTOR);
  const freeing = freeScope(waiting, key, FIXTURE_ACTOR);
  await expect.poll(() => lockWaits(app)).toBeGreaterThan(0);
  await holding.commit();
  expect(await freeing).toBe('in-use');
});

test('a ring that gets a scope while it is freed registers it anew', async ({ app, vendor }) => {
  const { moduleId, key, waiting, holding } = await stagedScope(app, vendor);
  await holding('scopes').where(key).forNoKeyUpdate().first();
  const wanted = { revision: 2, ring: EVERYONE, isFirstReviewed: false };
  const owner = { organizationId: vendor.id, moduleId };
  const releasing = releaseRevision(waiting, owner, wanted, FIXTURE_ACTOR);
  await expect.poll(() => lockWaits(app)).toBeGreaterThan(0);
  await holding('scopes').where(key).delete();
  await holding.commit();
  expect(await releasing).toBe('released');
  expect(await app.api.database('scopes').where(key)).toMatchObject([{ organizationId: vendor.id }]);
});
