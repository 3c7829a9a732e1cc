import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { rollUpAlerts } from '../../shared/db/statistics/module-statistics.ts';
import { readImportHours } from '../../shared/db/statistics/import-hours.ts';
import { rollUpStatistics } from '../../worker/maintenance/roll-up-statistics.ts';
import { makeAlertSource, makeModule, sampleAlert } from '../support/machine-access.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({});

async function statisticsOf(app: TestApp, vendor: TestOrganization, moduleId: string, query = '') {
  const answer = await app.as(vendor, vendor.member).get(`/modules/${moduleId}/statistics${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as {
    activeKeys: number;
    installations: unknown;
    days: { day: string; calls: number; alerts: number }[];
  };
}

test('a vendor reads how often a module was called and what it raised on each day', async ({ app }) => {
  const source = await makeAlertSource(app);
  const { module } = source;
  const alert = sampleAlert(source);
  const other = sampleAlert(source);
  await app.as(module).post('/AlertsByModuleId', { alerts: [alert, other] });
  await app.as(module).post('/AlertsByModuleId', { alerts: [alert] });
  await app.as(module).get('/RulesByModuleId');
  await app.api.apiKeys.flush();
  await rollUpStatistics(app.api);
  await rollUpStatistics(app.api);
  const { days } = await statisticsOf(app, module.vendor, module.moduleId);
  expect(days).toHaveLength(30);
  expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).toSorted());
  const sum = (kind: 'calls' | 'alerts') => days.reduce((total, each) => total + each[kind], 0);
  // The two of the first call; the second one repeated an open alert.
  expect([sum('calls'), sum('alerts')]).toEqual([3, 2]);
});

test('calls of several processes and of later minutes add up', async ({ app, vendor }) => {
  const module = await makeModule(app, vendor);
  for (let flush = 0; flush < 2; flush += 1) {
    for (let call = 0; call < 2; call += 1) await app.as(module).get('/RuleDefinitionsByModuleId');
    await app.api.apiKeys.flush();
  }
  const { days } = await statisticsOf(app, vendor, module.moduleId, '?days=2');
  expect(days.reduce((total, { calls }) => total + calls, 0)).toBe(4);
});

test('only active keys are counted, and installations by the revision that they see', async ({ app }) => {
  const { module, farmer } = await makeAlertSource(app);
  const registered = await app.as(module.vendor).post(`/registerApiClient/${module.moduleId}`);
  const before = await statisticsOf(app, module.vendor, module.moduleId);
  expect([before.activeKeys, before.installations]).toEqual([2, [{ revision: 1, organizations: 1 }]]);
  await app.as(module.vendor).delete(`/apiClients/${module.moduleId}/${String(registered.body.clientId)}`);
  await app.as(farmer).delete(`/installations/${module.moduleId}`);
  const after = await statisticsOf(app, module.vendor, module.moduleId);
  expect([after.activeKeys, after.installations]).toEqual([1, []]);
});

test('what was raised before the worker counted is counted later, and stays counted when alerts are deleted', async ({
  app,
}) => {
  const source = await makeAlertSource(app);
  const { module } = source;
  const { database } = app.api;
  await app.as(module).post('/AlertsByModuleId', {
    alerts: [sampleAlert(source), sampleAlert(source)],
  });
  await database('alerts')
    .where({ moduleId: module.moduleId })
    .update({ createdAt: database.raw("now() - interval '3 days'") });
  await database('module_days').delete();
  await rollUpAlerts(database, 30);
  await database('alerts').where({ moduleId: module.moduleId }).delete();
  await rollUpAlerts(database, 30);
  const { days } = await statisticsOf(app, module.vendor, module.moduleId, '?days=5');
  expect(days.map(({ alerts }) => alerts).toSorted()).toEqual([0, 0, 0, 0, 2]);
});

test('operators read the imports of the last day by hour, the codes of rejections and the longest wait', async ({
  app,
  vendor,
}) => {
  await app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor: { scope: randomUUID() } }));
  await app.importPackage(vendor, Buffer.from('no ZIP'));
  await rollUpStatistics(app.api);
  await rollUpStatistics(app.api);
  const answer = await app.as('operator').get('/operations/statistics');
  expect(answer.status, answer.text).toBe(200);
  const body = answer.body as {
    hours: { succeeded: number; rejected: number; longestWaitSeconds: number | null }[];
    rejections: { code: string; imports: number }[];
  };
  expect(body.hours).toHaveLength(24);
  const sum = (kind: 'succeeded' | 'rejected') => body.hours.reduce((total, each) => total + each[kind], 0);
  expect(sum('succeeded')).toBeGreaterThanOrEqual(1);
  expect(sum('rejected')).toBe(1);
  expect(body.rejections).toEqual([{ code: 'archive-unreadable', imports: 1 }]);
  expect(body.hours.at(-1)?.longestWaitSeconds).toBeGreaterThanOrEqual(0);
  expect(body.hours[0]?.longestWaitSeconds).toBeNull();
});

test('the longest wait of an hour is that of the oldest queued import, and stays after it has started', async ({
  app,
  vendor,
}) => {
  const { database } = app.api;
  const id = randomUUID();
  await database('imports').insert({
    ...{ id, organizationId: vendor.id, tenantId: vendor.tenantId, importedBy: '' },
    ...{
      validateOnly: false,
      staged: false,
      newModuleId: randomUUID(),
      sizeBytes: 1,
      sha256: Buffer.alloc(32),
      traceId: '',
      traceParent: '',
    },
    // No worker runs it in this test.
    queuedAt: database.raw("now() - interval '90 seconds'"),
  });
  await rollUpStatistics(app.api);
  await database('imports').where({ id }).delete();
  await rollUpStatistics(app.api);
  const hours = await readImportHours(database, 2);
  const waits = hours.map(({ longestWaitSeconds }) => longestWaitSeconds ?? 0);
  expect(Math.max(...waits)).toBeGreaterThanOrEqual(90);
});

test('an installation is counted at the revision that its organization sees: of a ring, the ring’s', async ({
  app,
}) => {
  const { module, farmer } = await makeAlertSource(app);
  const staged = samplePackage(app.api.catalogue, {
    descriptor: { moduleId: module.moduleId, vendorInternalCodeVersion: '2' },
  });
  const answer = await app.importPackage(module.vendor, staged, { query: '?release=staged' });
  expect(answer.status, answer.text).toBe(200);
  const revisions = async () => (await statisticsOf(app, module.vendor, module.moduleId)).installations;
  expect(await revisions()).toEqual([{ revision: 1, organizations: 1 }]);
  await app.api
    .database('modules')
    .where({ id: module.moduleId })
    .update({ ringRevision: 2, ringOrganizationIds: [farmer.id], ringPercent: null });
  expect(await revisions()).toEqual([{ revision: 2, organizations: 1 }]);
});
