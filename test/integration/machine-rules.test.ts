import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAlertSource, makeRule, sampleAlert, type AlertSource } from '../support/machine-access.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const CALL = '/AlertsByModuleId';

let app: TestApp;
let source: AlertSource;

beforeAll(async () => {
  app = await startTestApp({ settings: { MAX_REQUESTS_PER_MINUTE_PER_KEY: '0' } });
  source = await makeAlertSource(app);
});

afterAll(() => app.stop());

test("rules are returned with the farmers' values, newest first and in pages", async () => {
  const second = await makeRule(app, source.farmer, source.module.moduleId);
  const page = await app.as(source.module).get('/RulesByModuleId?limit=1');
  expect(page.body).toMatchObject({
    items: [
      {
        id: second,
        organizationId: source.farmer.id,
        moduleId: source.module.moduleId,
        criteria: 'temperature',
        values: { operator: 'lt', value: 2 },
        enabled: true,
        status: 'active',
      },
    ],
  });
  const rest = await app.as(source.module).get(`/RulesByModuleId?cursor=${page.body.nextCursor as string}`);
  expect((rest.body.items as { id: string }[]).map(({ id }) => id)).toEqual([source.ruleId]);
});

test('definitions are returned from the current revision', async () => {
  const answer = await app.as(source.module).get('/RuleDefinitionsByModuleId');
  expect(answer.body).toMatchObject({
    moduleId: source.module.moduleId,
    revision: 1,
    alertRules: { criterias: { temperature: { displayName: { en: 'Temperature' } } } },
  });
});

test('uninstalling hides rules from the key and refuses alerts; they are kept', async () => {
  const own = await makeAlertSource(app);
  const body = { alerts: [sampleAlert(own)] };
  expect((await app.as(own.module).post(CALL, body)).status).toBe(200);
  await app.as(own.farmer).delete(`/installations/${own.module.moduleId}`);
  expect((await app.as(own.module).get('/RulesByModuleId')).body).toMatchObject({ items: [] });
  expect((await app.as(own.module).post(CALL, body)).body).toMatchObject({
    errors: [{ pointer: '/alerts/0/ruleId' }],
  });
  expect((await app.as(own.farmer).get('/alerts')).body).toMatchObject({
    items: [{ status: 'firing' }],
  });
  expect((await app.as(own.farmer).get('/alertRules')).body).toMatchObject({
    items: [{ id: own.ruleId }],
  });
});
