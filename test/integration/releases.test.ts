import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { visibleRevision } from '../../shared/db/modules/visible-revision.ts';
import { deleteOutdatedRevisions } from '../../shared/db/modules/old-revisions.ts';
import { PLACEHOLDER_ADDRESSES, PLACEHOLDER_FILES } from '../../shared/package/placeholders.ts';
import { areaIds, BOTH_AREAS, install, makeModule, sampleFarm } from '../support/machine-access.ts';
import { startReleaseMarket, type ReleaseMarket } from '../support/release-market.ts';
import { samplePackage } from '../support/sample-package.ts';

let market: ReleaseMarket;

beforeAll(async () => {
  market = await startReleaseMarket();
});

afterAll(() => market.app.stop());

test('a staged import changes nothing that farmers see, until it is released', async () => {
  const { vendor, farmer, app } = market;
  const moduleId = await market.importNext();
  const staged = await market.stage(moduleId);
  expect(staged.body).toMatchObject({ outcome: 'updated', revision: 2, released: false });
  expect(await market.seenBy(farmer, moduleId)).toBe(1);
  const own = await app.as(vendor).get(`/modules/${moduleId}`);
  expect(own.body).toMatchObject({ revision: 1, currentRevision: 1, newestRevision: 2 });
  expect(own.headers.get('etag')).toBeNull();
  expect((await market.release(moduleId, 2)).body).toMatchObject({ currentRevision: 2, ring: null });
  expect(await market.seenBy(farmer, moduleId)).toBe(2);
  expect((await app.as(vendor).get(`/imports/${String(staged.body.importId)}`)).body.released).toBe(false);
});

test('a module without a released revision does not exist for farmers, and its vendor reads the newest', async () => {
  const { vendor, farmer, app } = market;
  const staged = await market.stage(null);
  const moduleId = String(staged.body.moduleId);
  expect(staged.body).toMatchObject({ outcome: 'created', revision: 1, released: false });
  expect(await market.seenBy(farmer, moduleId)).toBeNull();
  expect((await app.as(farmer).put(`/installations/${moduleId}`)).status).toBe(404);
  const own = await app.as(vendor).get(`/modules/${moduleId}`);
  expect(own.body).toMatchObject({ revision: 1, currentRevision: null, newestRevision: 1 });
  const { body } = await app.as(vendor).get('/modules?limit=1');
  expect(body.items[0]).toMatchObject({ id: moduleId, revision: 1, currentRevision: null });
});

test('an import builds on the newest revision: If-Match names it, and the same package is unchanged with advice', async () => {
  const { vendor, app } = market;
  const moduleId = await market.importNext();
  const staged = await market.stage(moduleId);
  const again = await market.repeat(staged);
  expect(again.body).toMatchObject({ outcome: 'unchanged', revision: 2, released: false });
  const warnings = again.body.warnings as { code: string; detail: string }[];
  const advice = warnings.find(({ code }) => code === 'registry-revision-not-released')?.detail ?? '';
  const [, call = ''] = /send POST (\S+)\.$/.exec(advice) ?? [];
  const released = await app.fetch(call, { method: 'POST', headers: { Authorization: vendor.admin } });
  expect(released.body).toMatchObject({ currentRevision: 2 });
  expect((await market.repeat(staged)).body).toMatchObject({ outcome: 'unchanged', released: true });
});

test('the offer of a staged revision is what farmers read once it is released, and its vendor alone reads it before', async () => {
  const { vendor, farmer, app } = market;
  const moduleId = await market.importNext();
  const translations = ['en', 'de'].map((key) => ({
    languageId: app.api.catalogue.entry('languages', key)?.id,
    moduleName: `Frost ${key}`,
  }));
  await market.stage(moduleId, { translations, dataAreaIds: areaIds(app, BOTH_AREAS) });
  const path = `/modules/${moduleId}/revisions/2/offer?language=de`;
  const before = await app.as(vendor).get(path);
  expect(before.body).toMatchObject({ revision: 2, name: 'Frost de', releasedAt: null });
  expect((await app.as(await app.organization()).get(path)).status).toBe(404);
  expect((await app.as(vendor).get(`/modules/${moduleId}/revisions/3/offer`)).status).toBe(404);
  await market.release(moduleId, 2);
  const { body } = await app.as(farmer).get(`/availableModules/${moduleId}?language=de`);
  const { updatedAt } = before.body;
  expect({ ...body, updatedAt, releasedAt: null }).toEqual(before.body);
});

test('a module whose policy is manual stages every import', async () => {
  const { vendor, farmer, app } = market;
  const moduleId = await market.importNext();
  const changed = await app.as(vendor).call(`PATCH /modules/${moduleId}`, { releasePolicy: 'manual' });
  expect(changed.body).toMatchObject({ releasePolicy: 'manual' });
  expect((await market.next(moduleId)).body).toMatchObject({ revision: 2, released: false });
  expect(await market.seenBy(farmer, moduleId)).toBe(1);
});

test('previewers see the newest revision that they preview; nobody else does', async () => {
  const { vendor, farmer, other, app } = market;
  const moduleId = await market.importNext();
  await market.stage(moduleId);
  await market.stage(moduleId);
  await market.preview(moduleId, 2, [farmer.id, other.id]);
  await market.preview(moduleId, 3, [farmer.id.toUpperCase()]);
  expect(await market.seenBy(farmer, moduleId)).toBe(3);
  expect(await market.seenBy(other, moduleId)).toBe(2);
  expect(await market.seenBy(await market.newFarmer(), moduleId)).toBe(1);
  const { body } = await app.as(vendor).get(`/modules/${moduleId}/releases`);
  expect(body.previews).toEqual([
    { revision: 3, organizationIds: [farmer.id] },
    { revision: 2, organizationIds: [farmer.id, other.id].toSorted() },
  ]);
  expect((await app.as(vendor).get(`/modules/${moduleId}/revisions/3`)).body).toMatchObject({
    state: 'preview',
  });
  await market.preview(moduleId, 3, []);
  expect(await market.seenBy(farmer, moduleId)).toBe(2);
});

test('a ring is the named organizations and a share of all; a release to everyone ends it and older previews', async () => {
  const { vendor, farmer, other, app } = market;
  const moduleId = await market.importNext();
  await market.stage(moduleId);
  await market.stage(moduleId);
  await market.preview(moduleId, 2, [other.id]);
  await market.release(moduleId, 3, { organizationIds: [farmer.id] });
  expect(await Promise.all([farmer, other].map((each) => market.seenBy(each, moduleId)))).toEqual([3, 2]);
  const ring = { organizationIds: [farmer.id], percent: null };
  const { body } = await app.as(vendor).get(`/modules/${moduleId}/releases`);
  expect(body).toMatchObject({ currentRevision: 1, ring: { revision: 3, ...ring } });
  await market.release(moduleId, 3);
  const released = await app.as(vendor).get(`/modules/${moduleId}/releases`);
  expect(released.body).toMatchObject({ currentRevision: 3, ring: null, previews: [] });
  expect(await market.seenBy(other, moduleId)).toBe(3);
});

test('a share grows with its percentage, by organization and module', async () => {
  const { app } = market;
  const moduleId = await market.importNext();
  await market.stage(moduleId);
  const ids = Array.from({ length: 2_000 }, () => randomUUID());
  const shareAt = async (percent: number) => {
    await market.release(moduleId, 2, { percent });
    const { rows } = await app.api.database.raw<{ rows: { id: string }[] }>(
      `select ids.id::text from modules m, unnest(:ids::uuid[]) as ids (id)
       where m.id = :moduleId and ${visibleRevision('m', 'ids.id')} = 2`,
      { ids, moduleId },
    );
    return new Set(rows.map(({ id }) => id));
  };
  const [some, half, all] = [await shareAt(20), await shareAt(50), await shareAt(100)];
  expect(some.size).toBeGreaterThan(250);
  expect(some.size).toBeLessThan(550);
  expect([...some].filter((id) => !half.has(id))).toEqual([]);
  expect(all.size).toBe(2_000);
});

test('an older revision is released again: a roll-back; each step is in the audit log with its actor', async () => {
  const { vendor, farmer, app } = market;
  const moduleId = await market.importNext();
  await market.next(moduleId);
  expect((await market.release(moduleId, 1)).body).toMatchObject({ currentRevision: 1, newestRevision: 2 });
  expect(await market.seenBy(farmer, moduleId)).toBe(1);
  expect((await app.as(vendor).get(`/modules/${moduleId}/revisions/2`)).body).toMatchObject({
    state: 'released',
  });
  expect((await market.next(moduleId)).body).toMatchObject({ revision: 3, released: true });
  const { body } = await app.as(vendor).get('/auditLog?limit=200');
  const entries = body.items as Record<string, unknown>[];
  expect(entries.find((each) => each['action'] === 'revision.rolledBack')).toMatchObject({
    details: { revision: 1, previousRevision: 2 },
    actor: expect.any(String) as string,
  });
});

test('an unknown revision, a revision of another vendor and a deleted module are not released', async () => {
  const moduleId = await market.importNext();
  expect((await market.release(moduleId, 9)).status).toBe(404);
  const stranger = await market.app.organization();
  const path = `/modules/${moduleId}/revisions/1/release`;
  expect((await market.app.as(stranger).post(path)).status).toBe(404);
  await market.app.as(market.vendor).delete(`/modules/${moduleId}`);
  expect((await market.release(moduleId, 1)).status).toBe(404);
});

test('a deleted module that is staged anew is unseen, and its old releases and previews are forgotten', async () => {
  const { vendor, farmer, app } = market;
  const moduleId = await market.importNext();
  await market.stage(moduleId);
  await market.preview(moduleId, 2, [farmer.id]);
  await app.as(vendor).delete(`/modules/${moduleId}`);
  expect((await market.stage(moduleId)).body).toMatchObject({ revision: 3, released: false });
  expect(await market.seenBy(farmer, moduleId)).toBeNull();
});

test('the scope is that of the current revision: a staged one takes it when it is released', async () => {
  const { vendor, app } = market;
  const [first, second] = [`a-${randomUUID()}`, `b-${randomUUID()}`];
  const moduleId = await market.importNext({ scope: first });
  await market.rename(moduleId, { scope: second }, '&release=staged');
  const scopeNow = async () => (await app.as(vendor).get('/modules?limit=1')).body.items[0].scope as string;
  expect(await scopeNow()).toBe(first);
  await market.release(moduleId, 2);
  expect(await scopeNow()).toBe(second);
  await market.importNext({ scope: first });
  const refused = await market.release(moduleId, 1);
  expect([refused.status, refused.body.type]).toEqual([409, '/problems/revision-scope-taken']);
  expect((await app.as(vendor).get(`/modules/${moduleId}`)).body.currentRevision).toBe(2);
});

test('nobody sees a revision whose scope another module has, not in a ring or a preview either', async () => {
  const { vendor, farmer } = market;
  const [first, second] = [`a-${randomUUID()}`, `b-${randomUUID()}`];
  const moduleId = await market.importNext({ scope: first });
  await market.rename(moduleId, { scope: second }, '&release=staged');
  await market.importNext({ scope: second });
  const path = `/modules/${moduleId}/revisions/2`;
  const preview = (organizationIds: string[]) =>
    market.app.as(vendor).put(`${path}/previewers`, { organizationIds });
  const ring = { organizationIds: [farmer.id] };
  for (const refused of [
    await preview([farmer.id]),
    await market.app.as(vendor).post(`${path}/release`, ring),
    await market.app.as(vendor).post(`${path}/release`, { percent: 100 }),
  ])
    expect([refused.status, refused.body.code]).toEqual([409, 'revision-scope-taken']);
  expect((await preview([])).status).toBe(200);
  expect(await market.seenBy(farmer, moduleId)).toBe(1);
});

test('a revision with placeholders of modulectl init is staged whatever the policy, and released nowhere', async () => {
  const { vendor, farmer, app } = market;
  const english = app.api.catalogue.entry('languages', 'en')?.id;
  const translation = { languageId: english, moduleName: 'Soil', ...PLACEHOLDER_ADDRESSES };
  const [placeholders, own] = [
    { translations: [translation] },
    { translations: [{ ...translation, websiteUrl: 'https://soil.example', supportContact: null }] },
  ];
  const first = await market.next(null, placeholders);
  const moduleId = String(first.body.moduleId);
  expect(first.body).toMatchObject({ outcome: 'created', revision: 1, released: false });
  const codes = (first.body.warnings as { code: string }[]).map(({ code }) => code);
  expect(codes.filter((code) => code === 'layout-placeholder')).toHaveLength(2);
  expect(codes).toContain('registry-revision-not-released');
  const same = await market.repeat(first);
  expect(same.body).toMatchObject({ outcome: 'unchanged', released: false });
  // Its release is refused: no answer advises it.
  for (const { text } of [first, same]) {
    expect(text).toContain('Replace what the warnings layout-placeholder name');
    expect(text).not.toContain('send POST');
  }
  for (const ring of [undefined, { organizationIds: [farmer.id] }])
    expect(await market.release(moduleId, 1, ring)).toMatchObject({
      status: 409,
      body: {
        type: '/problems/revision-has-placeholders',
        errors: ['supportContact', 'websiteUrl'].map((name) => ({
          code: 'layout-placeholder',
          entry: 'moduleSchema.json',
          pointer: `/translations/0/${name}`,
        })),
      },
    });
  await market.preview(moduleId, 1, [farmer.id]);
  expect(await market.seenBy(farmer, moduleId)).toBe(1);
  expect((await market.next(moduleId, own)).body).toMatchObject({ revision: 2, released: true });
  expect(await market.seenBy(farmer, moduleId)).toBe(2);
  const again = await market.next(moduleId, placeholders);
  expect(again.body).toMatchObject({ revision: 3, released: false });
  expect((await app.as(vendor).get(`/modules/${moduleId}`)).body.currentRevision).toBe(2);
});

test('an import without a translation that is a placeholder drops it', async () => {
  const { catalogue } = market.app.api;
  const [english, german] = ['en', 'de'].map((code) => ({
    languageId: catalogue.entry('languages', code)?.id,
    moduleName: 'Soil',
  }));
  const first = await market.next(null, { translations: [english, { ...german, ...PLACEHOLDER_ADDRESSES }] });
  expect(first.body).toMatchObject({ revision: 1, released: false });
  const next = await market.next(String(first.body.moduleId), { translations: [english] });
  expect(next.body).toMatchObject({ revision: 2, released: true });
});

test('a revision whose terms are those of modulectl init is refused with the file', async () => {
  const { app, vendor } = market;
  const terms = { 'ModuleToS/terms.md': PLACEHOLDER_FILES.terms };
  const imported = await app.importPackage(vendor, samplePackage(app.api.catalogue, { files: terms }));
  const refused = await market.release(String(imported.body.moduleId), 1);
  expect(refused.body).toMatchObject({
    errors: [{ code: 'layout-placeholder', entry: 'ModuleToS/terms.md' }],
  });
});

test('a withdrawn module cannot be installed; installations go on, and it can be offered again', async () => {
  const { vendor, farmer, other, app } = market;
  const moduleId = await market.importNext();
  await install(app, farmer, moduleId);
  await app.as(vendor).post(`/modules/${moduleId}/withdraw`, { reason: 'Old sensors.' });
  const refused = await app.as(other).put(`/installations/${moduleId}`);
  expect([refused.status, refused.body.type]).toEqual([409, '/problems/module-withdrawn']);
  expect(refused.body.detail).toContain('Old sensors.');
  expect((await app.as(farmer).put(`/installations/${moduleId}`)).status).toBe(200);
  const seen = await app.as(other).get(`/availableModules/${moduleId}`);
  expect(seen.body.withdrawnReason).toBe('Old sensors.');
  await app.as(vendor).post(`/modules/${moduleId}/offer`);
  expect((await app.as(other).put(`/installations/${moduleId}`)).status).toBe(201);
});

test('a deprecated module names its successor, which must be there', async () => {
  const { vendor, farmer, app } = market;
  const [moduleId, successorModuleId] = [await market.importNext(), await market.importNext()];
  const path = `/modules/${moduleId}/deprecate`;
  const message = 'Use the new one.';
  for (const wrong of [randomUUID(), moduleId]) {
    const refused = await app.as(vendor).post(path, { message, successorModuleId: wrong });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/successorModuleId']);
  }
  await app.as(vendor).post(path, { message, successorModuleId });
  const read = async () => {
    const { body } = await app.as(farmer).get(`/availableModules/${moduleId}`);
    return [body.deprecationMessage, body.successorModuleId] as unknown[];
  };
  expect(await read()).toEqual([message, successorModuleId]);
  await app.as(vendor).delete(`/modules/${successorModuleId}`);
  expect(await read(), 'after the deletion of the successor').toEqual([message, null]);
  const own = await market.stage(null);
  await app.as(vendor).post(path, { message, successorModuleId: own.body.moduleId });
  expect(await read(), 'before the release of the successor').toEqual([message, null]);
  await market.release(String(own.body.moduleId), 1);
  expect(await read()).toEqual([message, own.body.moduleId]);
  await app.as(vendor).post(path, { message: null });
  expect(await read()).toEqual([null, null]);
});

test('a module in quarantine gives neither files nor logos nor data, cannot be installed, and stays so when it is deleted', async () => {
  const { vendor, farmer, other, app } = market;
  const { moduleId, key } = await makeModule(app, vendor);
  await install(app, farmer, moduleId);
  const path = `/operations/modules/${moduleId}/quarantine`;
  const reason = 'It calls another server.';
  expect((await app.as('operator').post(path, { reason })).status).toBe(200);
  const calls = () => [
    app.as(vendor).get(`/modules/${moduleId}/files/ModuleToS/terms.md`),
    app.as(farmer).get(`/availableModules/${moduleId}/files/ModuleLogo/logo.png`),
    app.as(other).put(`/installations/${moduleId}`),
  ];
  for (const { status, body } of await Promise.all(calls())) {
    expect([status, body.type]).toEqual([403, '/problems/module-quarantined']);
    expect(body.detail).toContain(reason);
  }
  const asKey = app.as({ moduleId, key });
  await expect.poll(async () => (await asKey.get('/StructuresByModuleId')).status).toBe(403);
  expect((await asKey.get('/RulesByModuleId')).body.type).toBe('/problems/module-quarantined');
  const seen = await app.as(farmer).get(`/availableModules/${moduleId}`);
  expect(seen.body.quarantineReason).toBe(reason);
  const own = await app.as(vendor).get(`/modules/${moduleId}/releases`);
  expect(own.body.quarantine).toMatchObject({ reason });
  const stranger = await app.organization();
  expect((await app.as(stranger).get(`/modules/${moduleId}/files/ModuleToS/terms.md`)).status).toBe(404);

  await app.as(vendor).delete(`/modules/${moduleId}`);
  await market.next(moduleId);
  expect((await app.as(vendor).get(`/modules/${moduleId}/releases`)).body.quarantine).toMatchObject({
    reason,
  });
  expect((await app.as('operator').delete(path)).status).toBe(204);
  expect((await app.as('operator').delete(path)).status).toBe(404);
  expect((await app.as(vendor).get(`/modules/${moduleId}/files/ModuleToS/terms.md`)).status).toBe(200);
});

test('a module reads an organization whose revision declares the data area, and no other', async () => {
  const { vendor, farmer, other, app } = market;
  const { moduleId, key } = await makeModule(app, vendor, []);
  for (const each of [farmer, other]) await app.as(each).put('/structures', { farms: [sampleFarm()] });
  await market.stage(moduleId, { dataAreaIds: areaIds(app, BOTH_AREAS) });
  const asKey = app.as({ moduleId, key });
  const organizations = async () => {
    const { status, body } = await asKey.get('/StructuresByModuleId');
    if (status !== 200) return status;
    return (body.organizations as { organizationId: string }[]).map(({ organizationId }) => organizationId);
  };
  expect(await organizations()).toBe(403);
  await market.preview(moduleId, 2, [farmer.id]);
  for (const each of [farmer, other]) await install(app, each, moduleId);
  expect(await organizations()).toEqual([farmer.id]);
  await market.preview(moduleId, 2, []);
  expect(await organizations()).toBe(403);
  await market.release(moduleId, 2);
  // The other one was never asked for the data area.
  expect(await organizations()).toEqual([farmer.id]);
});

test('neither retention nor a request deletes a revision that somebody sees', async () => {
  const { vendor, farmer, other, app } = market;
  const moduleId = await market.importNext();
  for (let count = 0; count < 4; count += 1) await market.stage(moduleId);
  await market.release(moduleId, 2, { organizationIds: [other.id] });
  await market.preview(moduleId, 3, [farmer.id]);
  for (const revision of [1, 2, 3]) {
    const refused = await app.as(vendor).delete(`/modules/${moduleId}/revisions/${revision}`);
    expect([refused.status, refused.body.type]).toEqual([409, '/problems/revision-current']);
  }
  await app.api
    .database('module_revisions')
    .where({ moduleId })
    .update({ createdAt: new Date(0) });
  for await (const freed of deleteOutdatedRevisions(app.api.database, { days: 1, kept: 1 }))
    expect(freed.length).toBeLessThanOrEqual(1);
  const { body } = await app.as(vendor).get(`/modules/${moduleId}/revisions`);
  expect((body.items as { revision: number }[]).map(({ revision }) => revision)).toEqual([5, 3, 2, 1]);
});
