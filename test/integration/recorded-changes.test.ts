import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { reportExpiringKeys } from '../../shared/db/access/api-keys.ts';
import { recordChange } from '../../shared/db/changes/record-changes.ts';
import { sequenceChanges } from '../../shared/db/changes/change-sequencer.ts';
import { deleteOldChanges } from '../../shared/db/ended-rows.ts';
import { importSample } from '../support/import-sample.ts';
import {
  areaIds,
  install,
  makeAlertSource,
  makeModule,
  makeRule,
  putFarms,
  sampleAlert,
  sampleFarm,
} from '../support/machine-access.ts';
import { organizationBody } from '../support/organization-body.ts';
import { recordedChanges } from '../support/recorded-changes.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import { holdTransaction } from '../support/held-lock.ts';

const test = serviceTest();

const typesOf = async (app: TestApp, moduleId: string) =>
  (await recordedChanges(app, moduleId))
    .map(({ type }) => type)
    .filter((type) => !/^(?:revision|import)\./.test(type));

test('an installation is recorded when it is made, changed and removed, with the data areas', async ({
  app,
  vendor,
  farmer,
}) => {
  const { moduleId } = await makeModule(app, vendor);
  await install(app, farmer, moduleId);
  await install(app, farmer, moduleId, ['FarmOrganization']);
  await app.as(farmer).delete(`/installations/${moduleId}`);
  await app.as(farmer).delete(`/installations/${moduleId}`);
  const changes = await recordedChanges(app, moduleId);
  expect(changes.filter(({ type }) => type.startsWith('installation.'))).toMatchObject([
    {
      type: 'installation.created',
      organizationId: farmer.id,
      subject: {
        acceptedDataAreaIds: areaIds(app, ['FarmOrganization', 'FarmOrganizationAlerts']).toSorted(),
      },
    },
    { type: 'installation.changed', subject: { acceptedDataAreaIds: areaIds(app, ['FarmOrganization']) } },
    { type: 'installation.removed', organizationId: farmer.id, subject: {} },
  ]);
});

test('structures are recorded for each module that the organization has installed, and for no other', async ({
  app,
  vendor,
}) => {
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const [one, two, other] = [
    await makeModule(app, vendor),
    await makeModule(app, vendor),
    await makeModule(app, vendor),
  ];
  for (const { moduleId } of [one, two]) await install(app, farmer, moduleId);
  const ids = { farm: randomUUID(), field: randomUUID(), block: randomUUID(), station: randomUUID() };
  const farm = sampleFarm(ids);
  await putFarms(app, farmer, [farm]);
  await putFarms(app, farmer, [farm]);
  await app.as(farmer).delete('/structures');
  for (const { moduleId } of [one, two]) {
    const [changed, erased, ...rest] = (await recordedChanges(app, moduleId)).filter(({ type }) =>
      type.startsWith('structures.'),
    );
    expect(changed).toMatchObject({
      type: 'structures.changed',
      organizationId: farmer.id,
      subject: { kinds: ['block', 'farm', 'field', 'irrigationStation'] },
    });
    expect([...(changed?.subject.structureIds ?? [])].toSorted()).toEqual(Object.values(ids).toSorted());
    expect(erased).toMatchObject({ type: 'structures.erased', organizationId: farmer.id });
    // The second write changed nothing.
    expect(rest).toEqual([]);
  }
  expect(await typesOf(app, other.moduleId)).toEqual([]);
});

test('a write of more than 100 structures names none of them', async ({ app, vendor }) => {
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const { moduleId } = await makeModule(app, vendor);
  await install(app, farmer, moduleId);
  await putFarms(
    app,
    farmer,
    Array.from({ length: 26 }, () => sampleFarm()),
  );
  expect((await recordedChanges(app, moduleId)).at(-1)).toMatchObject({
    type: 'structures.changed',
    subject: { structureIds: null },
  });
});

test('rules and acknowledged alerts are recorded with their IDs', async ({ app }) => {
  const { farmer, module, ...source } = await makeAlertSource(app);
  const ruleId = await makeRule(app, farmer, module.moduleId);
  const rule = { criteria: 'temperature', values: { operator: 'lt', value: 1 } };
  await app.as(farmer).put(`/alertRules/${ruleId}`, rule);
  const raised = await app
    .as(module)
    .post('/AlertsByModuleId', { alerts: [sampleAlert({ farmer, module, ...source }, { ruleId })] });
  const alertId = raised.body.results[0].id as string;
  for (let n = 0; n < 2; n += 1) await app.as(farmer).post(`/alerts/${alertId}/acknowledge`);
  await app.as(farmer).delete(`/alertRules/${ruleId}`);
  const ofRule = (await recordedChanges(app, module.moduleId)).filter(
    ({ subject }) => subject.ruleId === ruleId,
  );
  expect(ofRule.map(({ type, organizationId, subject }) => [type, organizationId, subject])).toEqual([
    ['rule.created', farmer.id, { ruleId }],
    ['rule.changed', farmer.id, { ruleId }],
    ['alert.acknowledged', farmer.id, { alertId, ruleId }],
    ['rule.deleted', farmer.id, { ruleId }],
  ]);
});

test('what an import makes of the rules is recorded', async ({ app }) => {
  const { module, ruleId } = await makeAlertSource(app);
  const { vendor, moduleId } = module;
  const yaml = (name: string) =>
    `schema: 1.1\ncriterias:\n  ${name}:\n    displayName: { en: x }\n    parts:\n      operator: { field: select, title: { en: o }, options: { lt: { en: below } } }\n      value: { field: number, title: { en: v } }\n`;
  for (const name of ['rain', 'temperature'])
    await importSample(app, vendor, {
      descriptor: { moduleId },
      files: { 'AlertRuleDefinitionFile/alert-rules.yaml': yaml(name) },
    });
  const ofRule = (await recordedChanges(app, moduleId)).filter(({ subject }) => subject.ruleId === ruleId);
  expect(ofRule.map(({ type }) => type)).toEqual(['rule.created', 'rule.outdated', 'rule.changed']);
});

const EVERYONE = { everyone: true, organizationIds: [], percent: null };
const NOBODY = { ...EVERYONE, everyone: false };

test('each state of a module is recorded when it starts and when it ends, and nothing where nothing changed', async ({
  app,
  vendor,
}) => {
  const moduleId = await importSample(app, vendor);
  const own = app.as(vendor);
  const path = `/modules/${moduleId}`;
  const quarantine = `/operations${path}/quarantine`;
  const operator = app.as('operator');
  const steps: Readonly<Record<string, () => Promise<{ readonly status: number }>>> = {
    'module.withdrawn': () => own.post(`${path}/withdraw`, { reason: 'It is replaced.' }),
    'module.offered': () => own.post(`${path}/offer`),
    'module.deprecated': () => own.post(`${path}/deprecate`, { message: 'Use another.' }),
    'module.deprecationEnded': () => own.post(`${path}/deprecate`, { message: null }),
    'module.quarantined': () => operator.post(quarantine, { reason: 'It is bad.' }),
    'module.quarantineEnded': () => operator.delete(quarantine),
  };
  for (const [type, step] of Object.entries(steps)) {
    expect((await step()).status).toBeLessThan(300);
    // What ends a quarantine names it: there is none any more.
    expect((await step()).status).toBe(type === 'module.quarantineEnded' ? 404 : 200);
  }
  expect(await typesOf(app, moduleId)).toEqual(Object.keys(steps));
  const { body } = await own.get('/auditLog?limit=200');
  const entries = body.items as { action: string; moduleId: string }[];
  const ofModule = entries.filter((entry) => entry.moduleId === moduleId);
  const actions = ofModule.map(({ action }) => action).toReversed();
  expect(actions.filter((action) => action in steps && action !== 'module.quarantined')).toEqual(
    Object.keys(steps).filter((type) => type !== 'module.quarantined'),
  );
});

test('another reason or another advice is audited, and is no other event', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const own = app.as(vendor);
  for (const reason of ['One.', 'Two.']) await own.post(`/modules/${moduleId}/withdraw`, { reason });
  for (const message of ['One.', 'Two.']) await own.post(`/modules/${moduleId}/deprecate`, { message });
  for (const reason of ['One.', 'Two.'])
    await app.as('operator').post(`/operations/modules/${moduleId}/quarantine`, { reason });
  expect(await typesOf(app, moduleId)).toEqual([
    'module.withdrawn',
    'module.deprecated',
    'module.quarantined',
  ]);
  const { body } = await own.get('/auditLog?limit=200');
  const items = body.items as { moduleId: string; details: { reason?: string; message?: string } | null }[];
  const details = items.filter((each) => each.moduleId === moduleId).map((each) => each.details);
  expect(details.filter((each) => (each?.reason ?? each?.message) === 'Two.')).toHaveLength(3);
});

test('revisions are recorded with their audience, and imports that ended with their result', async ({
  app,
  vendor,
}) => {
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const moduleId = await importSample(app, vendor);
  const own = app.as(vendor);
  await own.patch(`/modules/${moduleId}`, { releasePolicy: 'manual' });
  await importSample(app, vendor, { descriptor: { moduleId, component: 'next' } });
  await importSample(app, vendor, { descriptor: { moduleId, component: 'next' } });
  await app.importPackage(
    vendor,
    samplePackage(app.api.catalogue, { descriptor: { moduleId, translations: [] } }),
  );
  await app.importPackage(
    vendor,
    samplePackage(app.api.catalogue, { descriptor: { moduleId, component: 'x' } }),
    { query: '?validateOnly=true' },
  );
  const ring = { organizationIds: [farmer.id], percent: 1 };
  const release = (revision: number, body?: object) =>
    own.post(`/modules/${moduleId}/revisions/${revision}/release`, body);
  for (const [revision, body] of [
    [2, ring],
    [2, undefined],
    [1, undefined],
  ] as const)
    for (let n = 0; n < 2; n += 1) expect((await release(revision, body)).status).toBe(200);
  const changes = (await recordedChanges(app, moduleId)).filter(
    ({ type }) => !type.startsWith('installation.'),
  );
  const ended = { importId: expect.any(String) as string, status: 'succeeded', moduleId };
  expect(changes.map(({ type, organizationId, subject }) => [type, organizationId, subject])).toEqual([
    ['revision.released', null, { revision: 1, audience: EVERYONE }],
    ['import.ended', null, { ...ended, outcome: 'created', revision: 1 }],
    ['revision.staged', null, { revision: 2, audience: NOBODY }],
    ['import.ended', null, { ...ended, outcome: 'updated', revision: 2 }],
    ['import.ended', null, { ...ended, outcome: 'unchanged', revision: 2 }],
    ['import.ended', null, { ...ended, status: 'rejected', outcome: null, revision: null }],
    ['revision.released', null, { revision: 2, audience: { everyone: false, ...ring } }],
    ['revision.released', null, { revision: 2, audience: EVERYONE }],
    ['revision.released', null, { revision: 1, audience: EVERYONE }],
  ]);
});

test("an import that names another organization's module is in no feed", async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const before = await recordedChanges(app, moduleId);
  const stranger = await app.organization({ tenantId: vendor.tenantId });
  const zip = samplePackage(app.api.catalogue, { descriptor: { moduleId } });
  expect((await app.importPackage(stranger, zip)).status).toBe(400);
  expect(await recordedChanges(app, moduleId)).toEqual(before);
});

test('whatever changes the revision that an organization sees is recorded for it, and for no other', async ({
  app,
  vendor,
}) => {
  const { moduleId } = await makeModule(app, vendor);
  const newFarmer = () => app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const [one, two] = [await newFarmer(), await newFarmer()];
  for (const each of [one, two]) await install(app, each, moduleId);
  const own = app.as(vendor);
  await own.patch(`/modules/${moduleId}`, { releasePolicy: 'manual' });
  await importSample(app, vendor, { descriptor: { moduleId, component: 'next' } });
  const names = new Map([
    [one.id, 'one'],
    [two.id, 'two'],
  ]);
  let known = 0;
  const changedBy = async (act: () => Promise<{ readonly status: number }>) => {
    expect((await act()).status).toBeLessThan(300);
    const changes = (await recordedChanges(app, moduleId)).filter(
      ({ type }) => type === 'installation.changed',
    );
    const fresh = changes.slice(known).map(({ organizationId }) => names.get(organizationId ?? '') ?? '?');
    known = changes.length;
    return fresh.toSorted();
  };
  const release = (revision: number, ring?: object) => () =>
    own.post(`/modules/${moduleId}/revisions/${revision}/release`, ring);
  const preview = (...farmers: readonly TestOrganization[]) => {
    const organizationIds = farmers.map(({ id }) => id);
    return () => own.put(`/modules/${moduleId}/revisions/2/previewers`, { organizationIds });
  };
  const quarantine = `/operations/modules/${moduleId}/quarantine`;
  const operator = app.as('operator');
  expect(await changedBy(preview(one))).toEqual(['one']);
  expect(await changedBy(preview(one))).toEqual([]);
  expect(await changedBy(preview(two))).toEqual(['one', 'two']);
  expect(await changedBy(release(2, { organizationIds: [two.id] }))).toEqual([]);
  expect(await changedBy(release(2))).toEqual(['one']);
  expect(await changedBy(release(1))).toEqual(['one', 'two']);
  expect(await changedBy(() => operator.post(quarantine, { reason: 'It is bad.' }))).toEqual([]);
  expect(await changedBy(() => operator.delete(quarantine))).toEqual(['one', 'two']);
  const body = organizationBody({ kind: 'farmer', tenantId: vendor.tenantId });
  expect(await changedBy(() => operator.put(`/organizations/${one.id}`, { ...body, name: 'New' }))).toEqual([
    'one',
  ]);
  expect(await changedBy(() => operator.put(`/organizations/${one.id}`, { ...body, name: 'New' }))).toEqual(
    [],
  );
  await own.patch(`/modules/${moduleId}`, { releasePolicy: 'immediate' });
  const imported = async () => {
    await importSample(app, vendor, { descriptor: { moduleId, component: 'third' } });
    return { status: 200 };
  };
  expect(await changedBy(imported)).toEqual(['one', 'two']);
  expect(await changedBy(() => own.delete(`/modules/${moduleId}`))).toEqual([]);
});

test('the deletion of a module or of the farmer removes installations, and that is recorded', async ({
  app,
  vendor,
}) => {
  const { moduleId } = await makeModule(app, vendor);
  const deleted = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  for (const each of [moduleId, deleted.moduleId]) await install(app, farmer, each);
  await app.as(vendor).delete(`/modules/${deleted.moduleId}`);
  expect(await typesOf(app, deleted.moduleId)).toEqual(['installation.created', 'installation.removed']);
  const answer = await app.as('operator').delete(`/organizations/${farmer.id}`);
  expect(answer.status, answer.text).toBeLessThan(300);
  expect(await typesOf(app, moduleId)).toEqual(['installation.created', 'installation.removed']);
});

test('a key that expires soon is recorded once, unless a rotation has replaced it', async ({
  app,
  vendor,
}) => {
  const { database } = app.api;
  const { moduleId } = await makeModule(app, vendor);
  const register = async () =>
    (await app.as(vendor).post(`/registerApiClient/${moduleId}`)).body.clientId as string;
  const [clientId, rotated] = [await register(), await register()];
  await database('api_keys')
    .whereIn('clientId', [clientId, rotated])
    .update({ expiresAt: database.raw("now() + interval '13 days'") });
  await app.as(vendor).post(`/apiClients/${moduleId}/${rotated}/rotate`, { overlapSeconds: 3600 });
  for (let n = 0; n < 2; n += 1) await reportExpiringKeys(database);
  const [change, ...rest] = (await recordedChanges(app, moduleId)).filter(
    ({ type }) => type === 'key.expiring',
  );
  expect(change).toMatchObject({ organizationId: null, subject: { clientId } });
  expect(rest).toEqual([]);
});

test('positions follow the commits: a transaction that is held open delays nobody and loses nothing', async ({
  app,
}) => {
  const { database } = app.api;
  const moduleId = randomUUID();
  const record = (connection: typeof database, n: number) =>
    recordChange(connection, {
      type: 'revision.released',
      moduleId,
      subject: { revision: n, audience: EVERYONE },
    });
  const held = await holdTransaction(database);
  await record(held, 1);
  await database.transaction((transaction) => record(transaction, 2));
  const revisions = async () => (await recordedChanges(app, moduleId)).map(({ subject }) => subject.revision);
  expect(await revisions()).toEqual([2]);
  const undone = await database.transaction();
  await record(undone, 3);
  await undone.rollback();
  await held.commit();
  await record(database, 4);
  expect(await revisions()).toEqual([2, 1, 4]);
});

test('sequencers at once give each change one position', async ({ app }) => {
  const { database } = app.api;
  const moduleId = randomUUID();
  const write = async (n: number) => {
    await recordChange(database, {
      type: 'revision.released',
      moduleId,
      subject: { revision: n + 1, audience: EVERYONE },
    });
    await Promise.all([sequenceChanges(database), sequenceChanges(database)]);
  };
  await Promise.all(Array.from({ length: 40 }, (_, n) => write(n)));
  const changes = await recordedChanges(app, moduleId);
  expect(changes.map(({ subject }) => subject.revision ?? 0).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 40 }, (_, n) => n + 1),
  );
});

test('old changes are deleted, and the horizon says up to where', async ({ app }) => {
  const { database } = app.api;
  const moduleId = randomUUID();
  for (let n = 1; n <= 3; n += 1)
    await recordChange(database, {
      type: 'revision.released',
      moduleId,
      subject: { revision: n, audience: EVERYONE },
    });
  const [, second] = await recordedChanges(app, moduleId);
  await database('changes')
    .where('position', '<=', second?.position ?? 0)
    .update({ at: database.raw("now() - interval '31 days'") });
  await deleteOldChanges(database, 30);
  expect((await recordedChanges(app, moduleId)).map(({ subject }) => subject.revision)).toEqual([3]);
  expect(await database('change_horizon').pluck<number[]>('position')).toEqual([second?.position]);
});
