import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  type AlertSource,
  install,
  makeAlertSource,
  makeModule,
  makeRule,
  putFarms,
  sampleAlert,
  sampleFarm,
} from '../support/machine-access.ts';
import type { TestModule } from '../support/caller.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';

const test = serviceTest().extend<{
  readonly source: AlertSource;
}>({
  source: [async ({ app }, use) => use(await makeAlertSource(app)), { scope: 'file' }],
});
const CALL = '/AlertsByModuleId';

interface Item {
  readonly index: number;
  readonly id?: string;
  readonly outcome?: string;
  readonly problem?: { readonly status: number; readonly errors: readonly { readonly pointer: string }[] };
}

const itemsOf = (results: readonly Item[]) =>
  results.map(({ outcome, problem }) => outcome ?? problem?.errors.map(({ pointer }) => pointer));

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const countAlerts = async (app: TestApp, { moduleId }: TestModule) =>
  (await app.api.database('alerts').where({ moduleId }).select('id')).length;

test('a batch is refused with all issues of all its alerts; a partial one takes the good ones, each answered in order', async ({
  app,
  source,
}) => {
  const before = await countAlerts(app, source.module);
  const good = sampleAlert(source);
  const batch = [
    good,
    sampleAlert(source, { ruleId: randomUUID() }),
    sampleAlert(source, { target: { type: 'farm', id: randomUUID() } }),
    sampleAlert(source, { severity: 'loud', title: '' }),
    good,
    sampleAlert(source, { startsAt: 'yesterday' }),
    'no alert',
    sampleAlert(source, { message: 'NUL \0' }),
    sampleAlert(source),
  ];
  const refused = await app.as(source.module).post(CALL, { alerts: batch });
  expect(refused.status).toBe(400);
  expect((refused.body.errors as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
    '/alerts/1/ruleId',
    '/alerts/2/target',
    '/alerts/3/severity',
    '/alerts/3/title',
    '/alerts/4',
    '/alerts/5/startsAt',
    '/alerts/6',
    '/alerts/7/message',
  ]);
  expect(await countAlerts(app, source.module)).toBe(before);

  const answer = await app.as(source.module).post(`${CALL}?partial=true`, { alerts: batch });
  expect(answer.status, answer.text).toBe(200);
  const results = answer.body.results as readonly Item[];
  expect(results.map(({ index }) => index)).toEqual([...batch.keys()]);
  expect(itemsOf(results)).toEqual([
    'created',
    ['/alerts/1/ruleId'],
    ['/alerts/2/target'],
    ['/alerts/3/severity', '/alerts/3/title'],
    ['/alerts/4'],
    ['/alerts/5/startsAt'],
    ['/alerts/6'],
    ['/alerts/7/message'],
    'created',
  ]);
  expect(await countAlerts(app, source.module)).toBe(before + 2);
  const again = await app.as(source.module).post(`${CALL}?partial`, { alerts: [good, 'no alert'] });
  expect(itemsOf(again.body.results as readonly Item[])).toEqual(['unchanged', ['/alerts/1']]);
});

test('a partial batch without a good alert stores nothing; one that is no batch is refused', async ({
  app,
  source,
}) => {
  const before = await countAlerts(app, source.module);
  const post = (body: unknown) => app.as(source.module).post(`${CALL}?partial=true`, body);
  const none = await post({ alerts: [{}, sampleAlert(source, { ruleId: randomUUID() })] });
  expect(none.status, none.text).toBe(200);
  expect((none.body.results as readonly Item[]).map(({ problem }) => problem?.status)).toEqual([400, 400]);
  expect(await countAlerts(app, source.module)).toBe(before);
  const many = Array.from({ length: 1_001 }, () => sampleAlert(source));
  for (const body of [
    {},
    { alerts: [] },
    { alerts: {} },
    [],
    { alerts: many },
    { alerts: [sampleAlert(source)], x: 1 },
  ])
    expect((await post(body)).status).toBe(400);
  expect(await countAlerts(app, source.module)).toBe(before);
});

test('an alert that starts more than a year ahead is refused', async ({ app, source }) => {
  const raise = (startsAt: string) =>
    app.as(source.module).post(CALL, { alerts: [sampleAlert(source, { startsAt })] });
  expect((await raise(inDays(360))).status).toBe(200);
  for (const startsAt of [inDays(370), '9999-12-31T00:00:00Z']) {
    const answer = await raise(startsAt);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('366 days');
  }
});

test('a time is in the years 1 to 9999 of UTC, whatever its offset; another one is an issue of its alert only', async ({
  app,
  source,
}) => {
  const alerts = [
    sampleAlert(source, { startsAt: '0001-01-01T00:00:00Z', endsAt: '9999-12-31T23:59:59.999Z' }),
    sampleAlert(source, { startsAt: '0001-01-01T00:00:00+01:00' }),
    sampleAlert(source, { startsAt: '0000-06-01T00:00:00Z' }),
    sampleAlert(source, { endsAt: '9999-12-31T23:59:59-05:00' }),
  ];
  const answer = await app.as(source.module).post(`${CALL}?partial=true`, { alerts });
  expect(answer.status, answer.text).toBe(200);
  expect(itemsOf(answer.body.results as readonly Item[])).toEqual([
    'created',
    ['/alerts/1/startsAt'],
    ['/alerts/2/startsAt'],
    ['/alerts/3/endsAt'],
  ]);
});

test('rules and definitions have a version; the answer is 304 until they or what the module may read changes', async ({
  app,
}) => {
  const source = await makeAlertSource(app);
  const { module, farmer } = source;
  const read = (path: string, etag = '') => app.as(module).get(path, { 'If-None-Match': etag });
  const versionOf = async (path: string) => (await app.as(module).get(path)).headers.get('etag') ?? '';
  for (const path of ['/RulesByModuleId', '/RuleDefinitionsByModuleId']) {
    const etag = await versionOf(path);
    expect(etag).toMatch(/^W\/"[\w.-]+"$/);
    const known = await read(path, etag);
    expect([known.status, known.text]).toEqual([304, '']);
  }
  const rules = '/RulesByModuleId';
  const changes = [
    () => makeRule(app, farmer, module.moduleId),
    () => app.as(farmer).delete(`/alertRules/${source.ruleId}`),
    () => install(app, farmer, module.moduleId, ['FarmOrganization']),
    () => install(app, farmer, module.moduleId),
    () => app.as(farmer).delete(`/installations/${module.moduleId}`),
  ];
  for (const change of changes) {
    const before = await versionOf(rules);
    await change();
    const after = await read(rules, before);
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before);
  }
  await install(app, farmer, module.moduleId);
  const quiet = await versionOf(rules);
  await putFarms(app, farmer, [sampleFarm()]);
  expect((await read(rules, quiet)).status).toBe(304);
});

test('a module lists where it is installed, with what it may read and whether a consent is pending', async ({
  app,
}) => {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor);
  const farmers = await Promise.all(
    [0, 1, 2].map(() => app.organization({ kind: 'farmer', tenantId: vendor.tenantId })),
  );
  for (const [index, farmer] of farmers.entries())
    await install(app, farmer, module.moduleId, index === 0 ? ['FarmOrganization'] : undefined);
  const items = await app
    .as(module)
    .pages<{ organizationId: string; grantedDataAreaIds: string[] }>('/InstallationsByModuleId');
  expect(items.map(({ organizationId }) => organizationId)).toEqual(farmers.map(({ id }) => id).toReversed());
  expect(items.map(({ grantedDataAreaIds }) => grantedDataAreaIds.length)).toEqual([2, 2, 1]);
  expect(items[0]).toMatchObject({ revision: 1, consentPending: false });
  const other = await makeModule(app, vendor);
  expect((await app.as(other).get('/InstallationsByModuleId')).body).toEqual({ items: [], nextCursor: null });
});
