import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { adminAs, auditLogOf, newFarmer, type AuditEntry } from '../support/audit-log.ts';
import { importSample } from '../support/import-sample.ts';
import {
  areaIds,
  BOTH_AREAS,
  install,
  makeAlertSource,
  makeModule,
  makeRule,
  putFarms,
  sampleAlert,
  sampleFarm,
} from '../support/machine-access.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest();

test("each of a farmer's writes is in the farmer's audit log, with the user and the request's trace", async ({
  app,
  vendor,
  module: { moduleId, key },
}) => {
  const farmer = await newFarmer(app, vendor);
  const frida = app.as(farmer, await adminAs(app, farmer, 'frida'));
  const farm = sampleFarm();
  const rule = { moduleId, criteria: 'temperature', values: { operator: 'lt', value: 2 } };
  const calls = [
    await frida.put('/structures', { farms: [farm] }),
    await frida.put(`/installations/${moduleId}`),
    await frida.put(`/installations/${moduleId}`, { acceptedDataAreaIds: areaIds(app, BOTH_AREAS) }),
    await frida.post('/alertRules', rule),
  ];
  const ruleId = calls[3]?.body.id as string;
  calls.push(await frida.put(`/alertRules/${ruleId}`, { ...rule, name: 'Frost' }));
  const alert = sampleAlert({ ruleId, farm, farmer, module: { vendor, moduleId, key } });
  const raised = await app.as({ moduleId, key }).post('/AlertsByModuleId', { alerts: [alert] });
  const alertId = raised.body.results[0].id as string;
  calls.push(await frida.post(`/alerts/${alertId}/acknowledge`));
  calls.push(await frida.delete(`/alertRules/${ruleId}`));
  calls.push(await frida.delete(`/installations/${moduleId}`));
  calls.push(await frida.delete('/structures'));
  for (const { status, text } of calls) expect(status, text).toBeLessThan(300);
  const dataAreaIds = areaIds(app, BOTH_AREAS).toSorted();
  const none = { moduleId: null, clientId: null, targetId: null, details: null };
  const expected = [
    { ...none, action: 'structures.written', details: { created: 4, updated: 0 } },
    { ...none, action: 'installation.created', moduleId, details: { acceptedDataAreaIds: dataAreaIds } },
    { ...none, action: 'installation.changed', moduleId, details: { acceptedDataAreaIds: dataAreaIds } },
    { ...none, action: 'alertRule.created', moduleId, targetId: ruleId },
    { ...none, action: 'alertRule.changed', moduleId, targetId: ruleId },
    { ...none, action: 'alert.acknowledged', moduleId, targetId: alertId },
    { ...none, action: 'alertRule.deleted', moduleId, targetId: ruleId },
    { ...none, action: 'installation.removed', moduleId },
    { ...none, action: 'structures.erased', details: { structures: 4 } },
  ];
  const log = await auditLogOf(app, farmer);
  expect(log).toMatchObject(
    expected.map((entry, index) => ({
      ...entry,
      organizationId: farmer.id,
      actor: 'frida',
      traceId: calls[index]?.headers.get('x-trace-id'),
    })),
  );
});

test('what changes nothing is not in the audit log', async ({ app, vendor, module: { moduleId, key } }) => {
  const source = await makeAlertSource(app);
  const { farmer, farm, ruleId } = source;
  const alerts = [sampleAlert(source)];
  const raised = await app.as(source.module).post('/AlertsByModuleId', { alerts });
  const acknowledge = `/alerts/${String(raised.body.results[0].id)}/acknowledge`;
  await app.as(farmer).post(acknowledge);
  const before = await auditLogOf(app, farmer);
  await putFarms(app, farmer, [farm]);
  await app.as(farmer).put(`/alertRules/${ruleId}`, { criteria: 'cold', values: {} });
  await app.as(farmer).post(acknowledge);
  await app.as(farmer).delete(`/installations/${randomUUID()}`);
  await app.as(farmer).delete(`/alertRules/${randomUUID()}`);
  await app.as(farmer).put('/structures', { farms: [{ id: 'x' }] });
  expect(await auditLogOf(app, farmer)).toEqual(before);
  const other = await newFarmer(app, vendor);
  await app.as(other).delete('/structures');
  await app.as(other).put(`/installations/${randomUUID()}`);
  await app.as({ moduleId, key }).get('/RulesByModuleId');
  expect(await auditLogOf(app, other)).toEqual([]);
});

test("a vendor's imports are in the vendor's audit log, one entry for each import", async ({ app }) => {
  const vendor = await app.organization();
  const vera = await adminAs(app, vendor, 'vera');
  const zip = samplePackage(app.api.catalogue);
  const headers = { Authorization: vera, 'Idempotency-Key': randomUUID() };
  const first = await app.importPackage(vendor, zip, { headers });
  const repeated = await app.importPackage(vendor, zip, { headers });
  expect(repeated.body.importId).toBe(first.body.importId);
  const mismatch = await app.importPackage(
    vendor,
    samplePackage(app.api.catalogue, { descriptor: { component: 'x' } }),
    {
      headers,
    },
  );
  expect(mismatch.status).toBe(422);
  const rejected = await app.importPackage(vendor, Buffer.from('no package'), {
    headers: { Authorization: vera },
  });
  expect(rejected.status).toBe(400);
  expect(await auditLogOf(app, vendor)).toMatchObject([
    { action: 'import.accepted', actor: 'vera', targetId: first.body.importId, organizationId: vendor.id },
    { action: 'import.accepted', actor: 'vera', targetId: rejected.body.importId },
  ]);
  expect(await app.api.database('imports').where({ organizationId: vendor.id })).toHaveLength(2);
});

test('an import shows who uploaded it, in each of its answers', async ({ app }) => {
  const vendor = await app.organization();
  const headers = { Authorization: await adminAs(app, vendor, 'vera'), Prefer: 'respond-async' };
  const queued = await app.importPackage(vendor, samplePackage(app.api.catalogue), { headers });
  expect(queued.body).toMatchObject({ importedBy: 'vera' });
  const importId = queued.body.importId as string;
  const read = await app.as(vendor).get(`/imports/${importId}`);
  const list = await app.as(vendor).get('/imports');
  expect([read.body.importedBy, list.body.items[0].importedBy]).toEqual(['vera', 'vera']);
});

test('an installation shows who installed it, who decided last, and about which revision', async ({
  app,
  vendor,
}) => {
  const farmer = await newFarmer(app, vendor);
  const moduleId = await importSample(app, vendor, { descriptor: { dataAreaIds: areaIds(app, BOTH_AREAS) } });
  const path = `/installations/${moduleId}`;
  const made = await app.as(farmer, await adminAs(app, farmer, 'frida')).put(path);
  expect(made.body).toMatchObject({ installedBy: 'frida', changedBy: 'frida', revision: 1 });
  await importSample(app, vendor, { descriptor: { moduleId, component: 'second', dataAreaIds: [] } });
  const changed = await app.as(farmer, await adminAs(app, farmer, 'fred')).put(path);
  expect(changed.body).toMatchObject({ installedBy: 'frida', changedBy: 'fred', revision: 2 });
  const read = await app.as(farmer).get(path);
  expect(read.body).toEqual(changed.body);
});

test("who wrote a farmer's rules and structures is stored with them, and never shown to modules", async ({
  app,
  vendor,
  module,
}) => {
  const farmer = await newFarmer(app, vendor);
  const frida = await adminAs(app, farmer, 'frida-of-the-farm');
  await app.as(farmer, frida).put('/structures', { farms: [sampleFarm()] });
  await app.as(farmer, frida).put(`/installations/${module.moduleId}`);
  const body = { moduleId: module.moduleId, criteria: 'temperature', values: { operator: 'lt', value: 2 } };
  const ruleId = (await app.as(farmer, frida).post('/alertRules', body)).body.id as string;
  await app.as(farmer, await adminAs(app, farmer, 'fred')).put(`/alertRules/${ruleId}`, body);
  const { database } = app.api;
  const rows = await database('alert_rules').where({ id: ruleId }).select('createdBy', 'updatedBy');
  expect(rows).toEqual([{ createdBy: 'frida-of-the-farm', updatedBy: 'fred' }]);
  const sets = await database('structure_sets').where({ organizationId: farmer.id }).select('updatedBy');
  expect(sets).toEqual([{ updatedBy: 'frida-of-the-farm' }]);
  for (const path of ['/RulesByModuleId', '/StructuresByModuleId'])
    expect((await app.as(module).get(path)).text).not.toContain('frida-of-the-farm');
});

test("deleting a module is in the vendor's log with the user, and in each farmer's without", async ({
  app,
}) => {
  const vendor = await app.organization();
  const farmers = [await newFarmer(app, vendor), await newFarmer(app, vendor)];
  const { moduleId } = await makeModule(app, vendor);
  for (const farmer of farmers) await install(app, farmer, moduleId);
  const deleted = await app.as(vendor, await adminAs(app, vendor, 'vera')).delete(`/modules/${moduleId}`);
  expect(deleted.status).toBe(204);
  expect((await auditLogOf(app, vendor)).at(-1)).toMatchObject({
    action: 'module.deleted',
    moduleId,
    actor: 'vera',
  });
  const [row] = await app.api.database('modules').where({ id: moduleId }).select('deletedBy');
  expect(row).toEqual({ deletedBy: 'vera' });
  for (const farmer of farmers) {
    const entry = (await auditLogOf(app, farmer)).at(-1);
    expect(entry).toMatchObject({
      action: 'installation.removed',
      moduleId,
      actor: `organization ${vendor.id}`,
    });
    expect(JSON.stringify(entry)).not.toContain('vera');
  }
});

test("an operator's calls are in the audit log of the organization and in the operators'", async ({
  app,
}) => {
  const id = randomUUID();
  const otto = app.as('operator', await app.bearer({ operator: true, subject: 'otto' }));
  const body = { name: 'New', kind: 'vendor', tenantId: randomUUID() };
  const created = await otto.put(`/organizations/${id}`, body);
  await otto.put(`/organizations/${id}`, body);
  const renamed = await otto.put(`/organizations/${id}`, { ...body, name: 'Renamed' });
  const vendor = await app.organization({ id, tenantId: body.tenantId });
  await importSample(app, vendor);
  const [{ id: importId } = { id: '' }] = await app.api
    .database('imports')
    .where({ organizationId: id })
    .select('id');
  const failed = { status: 'failed', archiveKey: `packages/${importId}` };
  await app.api.database('imports').where({ id: importId }).update(failed);
  const retried = await otto.post(`/operations/imports/${importId}/retry`);
  expect(retried.status, retried.text).toBe(202);
  const expected = [
    { action: 'organization.created', details: { name: 'New' }, traceId: created.headers.get('x-trace-id') },
    {
      action: 'organization.changed',
      details: { name: 'Renamed' },
      traceId: renamed.headers.get('x-trace-id'),
    },
    { action: 'import.retried', targetId: importId, traceId: retried.headers.get('x-trace-id') },
  ].map((entry) => ({ ...entry, organizationId: id, actor: 'otto' }));
  const byOtto = await otto.get(`/operations/auditLog?actor=otto&organizationId=${id}`);
  expect((byOtto.body.items as AuditEntry[]).toReversed()).toMatchObject(expected);
  const own = (await auditLogOf(app, vendor)).filter(({ actor }) => actor === 'otto');
  expect(own).toMatchObject(expected);
});

test('an organization never sees the entries of another', async ({ app, vendor, farmer }) => {
  await putFarms(app, farmer, [sampleFarm()]);
  const other = await newFarmer(app, vendor);
  await putFarms(app, other, [sampleFarm()]);
  for (const organization of [farmer, other, vendor])
    for (const { organizationId } of await auditLogOf(app, organization))
      expect(organizationId).toBe(organization.id);
});

test('a change and its entry are stored together or not at all', async ({
  app,
  vendor,
  module: { moduleId },
}) => {
  const farmer = await newFarmer(app, vendor);
  await install(app, farmer, moduleId);
  const ruleId = await makeRule(app, farmer, moduleId);
  await putFarms(app, farmer, [sampleFarm()]);
  // This organization's entries are refused from now on.
  await app.api.database.raw(
    `alter table audit_log add constraint no_entries check (organization_id <> '${farmer.id}') not valid`,
  );
  const call = app.as(farmer);
  const state = async () =>
    Promise.all(
      ['/structures', '/installations', '/alertRules'].map(
        async (path) => (await call.get(path)).body as unknown,
      ),
    );
  const before = await state();
  const answers = [
    await call.put('/structures', { farms: [sampleFarm()] }),
    await call.delete('/structures'),
    await call.put(`/installations/${moduleId}`, { acceptedDataAreaIds: [] }),
    await call.delete(`/installations/${moduleId}`),
    await call.put(`/alertRules/${ruleId}`, {
      criteria: 'temperature',
      values: { operator: 'gt', value: 9 },
    }),
    await call.delete(`/alertRules/${ruleId}`),
  ];
  await app.api.database.raw('alter table audit_log drop constraint no_entries');
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
  expect(await state()).toEqual(before);
});

test('a token without a subject is refused: nobody could be recorded as the actor', async ({
  app,
  farmer,
}) => {
  const token = await adminAs(app, farmer, '');
  expect((await app.as(farmer, token).get('/structures')).status).toBe(401);
});
