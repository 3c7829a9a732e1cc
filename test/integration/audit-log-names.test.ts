import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { adminAs, auditLogOf, newFarmer, type AuditEntry } from '../support/audit-log.ts';
import { importSample } from '../support/import-sample.ts';
import { BOTH_AREAS, install, makeModule, sampleFarm } from '../support/machine-access.ts';
import { ADMIN } from '../support/members.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestOrganization } from '../support/test-app.ts';

const test = serviceTest();

/** The names of an entry. */
const namesOf = ({
  action,
  organizationName,
  actorName,
  moduleName,
  targetName,
}: Record<string, unknown>) => ({
  ...{ action, organizationName, actorName, moduleName, targetName },
});

test('an entry keeps the names of its time: what it names is renamed, deleted and purged, and it stays readable', async ({
  app,
}) => {
  const vendor = await app.organization();
  const farmer = await newFarmer(app, vendor);
  const token = { subject: 'vera', claims: { name: 'Vera of the issuer' } };
  const vera = app.as(
    vendor,
    await app.bearer({ ...token, organizations: [{ id: vendor.id, roles: ['OrganizationAdmin'] }] }),
  );
  const moduleName = 'Soil moisture';
  const { catalogue } = app.api;
  const nameIn = (key: string, name: string) => ({
    ...{ languageId: catalogue.entry('languages', key)?.id, moduleName: name },
  });
  const translations = [nameIn('de', 'Bodenfeuchte'), nameIn('en', moduleName), nameIn('fr', 'Sol')];
  const { moduleId } = await makeModule(app, vendor, BOTH_AREAS, { descriptor: { translations } });
  const client = await vera.post(`/registerApiClient/${moduleId}`, { clientName: 'Advice server' });
  expect(client.status, client.text).toBe(200);
  await install(app, farmer, moduleId);
  const frida = app.as(farmer, await adminAs(app, farmer, 'frida'));
  const rule = { moduleId, criteria: 'temperature', values: { operator: 'lt', value: 2 }, name: 'Frost' };
  const made = await frida.post('/alertRules', rule);
  expect(made.status, made.text).toBe(201);
  await frida.put(`/alertRules/${String(made.body.id)}`, { ...rule, name: 'Night frost' });
  await frida.delete(`/alertRules/${String(made.body.id)}`);
  await app.as('operator').put(`/organizations/${vendor.id}`, {
    ...{ name: 'Acme and Sons', kind: 'vendor', tenantId: vendor.tenantId },
  });
  expect((await vera.delete(`/modules/${moduleId}`)).status).toBe(204);
  const own = (await auditLogOf(app, vendor)).map((entry) => namesOf({ ...entry }));
  const module = { actorName: 'Vera of the issuer', moduleName };
  expect(own).toContainEqual({
    ...{
      ...module,
      action: 'apiClient.registered',
      targetName: 'Advice server',
      organizationName: `vendor ${vendor.id}`,
    },
  });
  expect(own).toContainEqual({
    ...{ ...module, action: 'module.deleted', targetName: null, organizationName: 'Acme and Sons' },
  });
  const ofFarm = (await auditLogOf(app, farmer)).map((entry) => namesOf({ ...entry }));
  const farm = { moduleName, actorName: null };
  expect(ofFarm).toMatchObject([
    { action: 'installation.created', moduleName },
    { ...farm, action: 'alertRule.created', targetName: 'Frost' },
    { ...farm, action: 'alertRule.changed', targetName: 'Night frost' },
    { ...farm, action: 'alertRule.deleted', targetName: 'Night frost' },
    { action: 'installation.removed', moduleName, actorName: 'Acme and Sons' },
  ]);
});

test("an actor's name is the one that the organization gave its member, else that of the token", async ({
  app,
}) => {
  const vendor = await app.organization();
  const subject = randomUUID();
  await app.as(vendor).put(`/members/${subject}`, { ...ADMIN, name: 'Mia, our agronomist' });
  const bearer = await app.bearer({ subject, claims: { name: 'M. Smith' } });
  await app.as(vendor, bearer).put(`/members/${randomUUID()}`, { ...ADMIN, name: 'Max' });
  expect((await auditLogOf(app, vendor)).map((entry) => namesOf({ ...entry }))).toMatchObject([
    { action: 'member.added', targetName: 'Mia, our agronomist' },
    { action: 'member.added', targetName: 'Max', actorName: 'Mia, our agronomist' },
  ]);
});

test('a member of two organizations is named in each as that one names them', async ({ app, vendor }) => {
  const subject = randomUUID();
  const bearer = await app.bearer({ subject });
  const farmers = [await newFarmer(app, vendor), await newFarmer(app, vendor)];
  for (const [index, farmer] of farmers.entries())
    await app.as(farmer).put(`/members/${subject}`, { ...ADMIN, name: `Adviser ${index}` });
  for (const [index, farmer] of farmers.entries()) {
    const written = await app.as(farmer, bearer).put('/structures', { farms: [sampleFarm()] });
    expect(written.status, written.text).toBe(200);
    const newest = (await auditLogOf(app, farmer)).map((entry) => namesOf({ ...entry })).at(-1);
    expect(newest).toMatchObject({ action: 'structures.written', actorName: `Adviser ${index}` });
  }
});

test('a module is named by its own revisions, whatever other vendors have imported', async ({
  app,
  vendor,
}) => {
  const farmer = await newFarmer(app, vendor);
  const [english, french] = ['en', 'fr'].map((key) => app.api.catalogue.entry('languages', key)?.id);
  const named = (moduleName: string, description: string) => ({
    descriptor: {
      translations: [english, french].map((languageId) => ({ languageId, moduleName, description })),
    },
  });
  const { moduleId } = await makeModule(app, vendor, BOTH_AREAS, named('Soil', 'First'));
  const other = await app.organization();
  const { moduleId: otherId } = await makeModule(app, other, BOTH_AREAS, named('Hail', 'First'));
  const { descriptor } = named('Hail', 'Second');
  await importSample(app, other, { descriptor: { ...descriptor, moduleId: otherId } });
  await install(app, farmer, moduleId);
  await app.as(vendor).delete(`/modules/${moduleId}`);
  const newest = (await app.as(farmer).get('/auditLog?limit=1')).body.items as Record<string, unknown>[];
  expect(newest.map(namesOf)).toMatchObject([{ action: 'installation.removed', moduleName: 'Soil' }]);
});

test('a revision that was never released is named to its vendor only', async ({ app, vendor }) => {
  const farmer = await newFarmer(app, vendor);
  const { moduleId } = await makeModule(app, vendor);
  await install(app, farmer, moduleId);
  const log = async (organization: TestOrganization) =>
    (await app.as(organization).get('/auditLog?limit=1')).body.items[0].moduleName as unknown;
  const [{ name } = { name: null }] = await app.api.database('moduleRevisions').where({ moduleId });
  await app.api.database('moduleRevisions').where({ moduleId }).update({ releasedAt: null });
  await app.as(farmer).delete(`/installations/${moduleId}`);
  await app.as(vendor).post(`/registerApiClient/${moduleId}`, { clientName: 'Advice server' });
  expect([await log(farmer), await log(vendor)]).toEqual([null, name]);
});

test('operators filter by organization, actor and action, page by page', async ({ app, vendor }) => {
  const farmers = [await newFarmer(app, vendor), await newFarmer(app, vendor)];
  const subject = `sub ${randomUUID()}`;
  for (const farmer of farmers) {
    const call = app.as(farmer, await adminAs(app, farmer, subject));
    for (const name of ['a', 'b', 'c']) await call.put('/structures', { farms: [{ ...sampleFarm(), name }] });
    await call.delete('/structures');
  }
  const operator = app.as('operator');
  const path = `/operations/auditLog?actor=${encodeURIComponent(subject)}`;
  const all = await operator.pages<AuditEntry>(path);
  expect(all.map(({ action }) => action)).toEqual(
    farmers.flatMap(() => ['structures.erased', ...Array<string>(3).fill('structures.written')]),
  );
  const written = await operator.pages<AuditEntry>(`${path}&action=structures.written`);
  expect(written).toHaveLength(6);
  const [first] = farmers;
  const ofOne = await operator.pages<AuditEntry>(
    `${path}&organizationId=${first?.id ?? ''}&action=structures.erased`,
  );
  expect(ofOne).toMatchObject([{ organizationId: first?.id, action: 'structures.erased' }]);
  expect((await operator.get('/operations/auditLog?action=structures.painted')).status).toBe(400);
});

test('members filter by actor and module, in every form of the log', async ({ app, vendor }) => {
  const [one, other] = [await makeModule(app, vendor), await makeModule(app, vendor)];
  const vera = app.as(vendor, await adminAs(app, vendor, 'vera'));
  const victor = app.as(vendor, await adminAs(app, vendor, 'victor'));
  await vera.post(`/registerApiClient/${one.moduleId}`, { clientName: 'first' });
  await victor.post(`/registerApiClient/${one.moduleId}`, { clientName: 'second' });
  await vera.post(`/registerApiClient/${other.moduleId}`, { clientName: 'third' });
  const namesAt = async (query: string) => {
    const { body } = await app.as(vendor).get(`/auditLog?${query}`);
    return (body.items as { targetName: string | null }[]).map(({ targetName }) => targetName);
  };
  expect(await namesAt('actor=vera')).toEqual(['third', 'first']);
  expect(await namesAt(`actor=victor&moduleId=${one.moduleId}`)).toEqual(['second']);
  expect(await namesAt(`actor=victor&moduleId=${other.moduleId}`)).toEqual([]);
  const path = `/auditLog?actor=vera&moduleId=${one.moduleId.toUpperCase()}`;
  const { text } = await app.as(vendor).get(path, { Accept: 'text/csv' });
  expect(text.trimEnd().split('\r\n').slice(1)).toEqual([expect.stringContaining('first')]);
});
