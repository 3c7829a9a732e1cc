import { expect } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import {
  install,
  makeAlertSource,
  makeRule,
  putFarms,
  sampleAlert,
  sampleFarm,
} from '../support/machine-access.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

/** A sample farm has four structures. */
const test = serviceTest({
  config: {
    quotas: {
      maxStructuresPerOrganization: 8,
      maxAlertRulesPerOrganization: 3,
      maxInstallationsPerOrganization: 2,
      maxApiKeysPerModule: 3,
      maxOpenAlertsPerInstallation: 4,
    },
  },
});

const AT_ONCE = 6;

/** Sends the calls at once: this number succeeds, and the others are refused with the remedy. */
async function expectSuccesses(count: number, send: (index: number) => Promise<Answer>): Promise<void> {
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => send(index)));
  const refused = answers.filter(({ status }) => status >= 300);
  for (const { body } of refused)
    expect(body).toMatchObject({ status: 409, type: '/problems/quota-exceeded' });
  expect(answers.length - refused.length).toBe(count);
}

const newFarmer = (app: TestApp, { tenantId }: TestOrganization) =>
  app.organization({ kind: 'farmer', tenantId });

test('an organization has so many structures, also when they are written at once', async ({
  app,
  vendor,
}) => {
  const farmer = await newFarmer(app, vendor);
  const own = app.as(farmer);
  await expectSuccesses(2, () => own.put('/structures', { farms: [sampleFarm()] }));
  const kept = (await own.get('/structures')).body.farms as { id: string }[];
  expect(kept).toHaveLength(2);
  // Existing structures can be changed, and erased ones make room.
  await putFarms(app, farmer, [{ id: kept[0]?.id, name: 'Renamed' }]);
  await own.delete('/structures');
  await putFarms(app, farmer, [sampleFarm(), sampleFarm()]);
});

test('an organization has so many alert rules, also when they are created at once', async ({
  app,
  vendor,
  module: { moduleId },
}) => {
  const farmer = await newFarmer(app, vendor);
  await install(app, farmer, moduleId);
  const rule = { moduleId, criteria: 'temperature', values: { operator: 'lt', value: 2 } };
  const own = app.as(farmer);
  await expectSuccesses(3, () => own.post('/alertRules', rule));
  const [first] = (await own.get('/alertRules')).body.items as { id: string }[];
  expect((await own.put(`/alertRules/${first?.id ?? ''}`, rule)).status).toBe(200);
  expect((await own.delete(`/alertRules/${first?.id ?? ''}`)).status).toBe(204);
  expect((await own.post('/alertRules', rule)).status).toBe(201);
});

test('an organization installs so many modules, also at once', async ({ app, vendor }) => {
  const farmer = await newFarmer(app, vendor);
  const ids: string[] = [];
  for (let index = 0; index < AT_ONCE; index += 1) ids.push(await importSample(app, vendor));
  const own = app.as(farmer);
  await expectSuccesses(2, (index) => own.put(`/installations/${ids[index] ?? ''}`));
  const [first] = (await own.get('/installations')).body.items as { moduleId: string }[];
  const path = `/installations/${first?.moduleId ?? ''}`;
  expect((await own.put(path)).status).toBe(200);
});

test('a module has so many API keys, also when they are made at once, and when a key is rotated', async ({
  app,
  vendor,
}) => {
  const moduleId = await importSample(app, vendor);
  const own = app.as(vendor);
  await expectSuccesses(3, () => own.post(`/registerApiClient/${moduleId}`));
  const [first] = (await own.get(`/apiClients/${moduleId}`)).body.items as { clientId: string }[];
  const rotated = await own.post(`/apiClients/${moduleId}/${first?.clientId ?? ''}/rotate`);
  expect(rotated.body).toMatchObject({ type: '/problems/quota-exceeded' });
  expect(rotated.body.detail).toContain(
    `at most 3 API keys of the module, and revoked and expired ones count for ${app.config.retention.apiKeyDays} days.`,
  );
});

test('a module has so many open alerts at a farmer, also when they are raised at once', async ({ app }) => {
  const source = await makeAlertSource(app);
  const back = app.as(source.module);
  const raise = (alerts: readonly unknown[]) => back.post('/AlertsByModuleId', { alerts });
  const alert = sampleAlert(source);
  await raise([alert]);
  await expectSuccesses(3, () => raise([sampleAlert(source)]));
  // A repeat and a resolution change nothing about the number, or reduce it.
  expect((await raise([{ ...alert, message: 'Again.' }])).body.results).toMatchObject([
    { outcome: 'updated' },
  ]);
  expect((await raise([{ ...alert, status: 'resolved' }])).body.results).toMatchObject([
    { outcome: 'resolved' },
  ]);
  expect((await raise([sampleAlert(source), sampleAlert(source)])).status).toBe(409);
  expect((await raise([sampleAlert(source)])).status).toBe(200);
});

test('of a partial batch as many alerts are raised as fit, in its order, and the rest is refused one by one', async ({
  app,
}) => {
  const source = await makeAlertSource(app);
  const own = app.as(source.module);
  const path = '/AlertsByModuleId?partial=true';
  const alert = (number: number, members: object = {}) =>
    sampleAlert(source, { labels: { number: String(number) }, ...members });
  expect((await own.post(path, { alerts: [alert(1), alert(2)] })).status).toBe(200);
  const batch = [
    ...[alert(3), alert(1, { status: 'resolved' }), alert(2, { title: 'Changed' })],
    ...[alert(4), alert(5, { severity: 'loud' }), alert(6), alert(7), alert(8)],
  ];
  const { body } = await own.post(path, { alerts: batch });
  const results = body.results as { outcome?: string; problem?: { status: number; type: string } }[];
  expect(results.map(({ outcome, problem }) => outcome ?? problem?.type)).toEqual([
    ...['created', 'resolved', 'updated', 'created', '/problems/request-invalid', 'created'],
    ...['/problems/quota-exceeded', '/problems/quota-exceeded'],
  ]);
  expect(results[6]?.problem).toMatchObject({ status: 409, errors: [] });
  const open = (await app.as(source.farmer).get('/alerts?status=firing')).body.items as unknown[];
  expect(open).toHaveLength(4);
  // Without `partial` nothing is stored.
  expect((await own.post('/AlertsByModuleId', { alerts: [alert(9)] })).status).toBe(409);
});

test('where the quota was lowered, a farmer beyond it gets no new alerts; those that are open change and end, and other farmers get theirs', async ({
  app,
}) => {
  const one = await makeAlertSource(app);
  const { module } = one;
  const farmer = await newFarmer(app, module.vendor);
  await install(app, farmer, module.moduleId);
  const farm = sampleFarm();
  await putFarms(app, farmer, [farm]);
  const other = { module, farmer, farm, ruleId: await makeRule(app, farmer, module.moduleId) };
  const raise = async (alerts: readonly unknown[], query = '') => {
    const { status, text, body } = await app.as(module).post(`/AlertsByModuleId${query}`, { alerts });
    expect(status, text).toBe(200);
    const results = body.results as { outcome?: string; problem?: { type: string } }[];
    return results.map(({ outcome, problem }) => outcome ?? problem?.type);
  };
  const open = Array.from({ length: 4 }, () => sampleAlert(one));
  await raise(open);
  const limits = { maxOpenAlertsPerInstallation: 2 };
  await app.as('operator').put(`/operations/organizations/${module.vendor.id}/limits`, limits);

  const changed = { ...open[0], title: 'Changed' };
  expect(await raise([changed, sampleAlert(other)])).toEqual(['updated', 'created']);
  expect(await raise([sampleAlert(one), sampleAlert(other)], '?partial=true')).toEqual([
    '/problems/quota-exceeded',
    'created',
  ]);
  // An alert that was never open is stored as a past one.
  const past = sampleAlert(one, { status: 'resolved' });
  expect(await raise([{ ...open[0], status: 'resolved' }, past])).toEqual(['resolved', 'created']);
  expect((await app.as(module).post('/AlertsByModuleId', { alerts: [sampleAlert(one)] })).status).toBe(409);
});
