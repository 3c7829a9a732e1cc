import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportRules } from '../../shared/db/alerts/report-rules.ts';
import { importSample } from '../support/import-sample.ts';
import {
  areaIds,
  install,
  makeAlertSource,
  makeModule,
  makeRule,
  sampleAlert,
  sampleFarm,
  type AlertSource,
} from '../support/machine-access.ts';
import { pointersOf } from '../support/problem-pointers.ts';
import { ALERT_RULES } from '../support/sample-package.ts';
import { planStatements } from '../support/statement-plans.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const REPORTS = '/ReportsByModuleId';
const ALERTS = '/AlertsByModuleId';

let app: TestApp;
/** The ID of a rule with an interval of 6 hours. Tests that use it set the rule first. */
let shared: AlertSource;

beforeAll(async () => {
  app = await startTestApp({ settings: { MAX_REQUESTS_PER_MINUTE_PER_KEY: '0' } });
  shared = await sourceWith(6);
});

afterAll(() => app.stop());

/** The sample's definitions with an interval of the file; null: without one. */
function filesWith(hours: number | null): Readonly<Record<string, string>> {
  const interval = hours === null ? '' : `expectedIntervalHours: ${hours}\n`;
  return { 'AlertRuleDefinitionFile/alert-rules.yaml': `${ALERT_RULES}${interval}` };
}

async function setInstalled({ module: { moduleId } }: AlertSource, createdAt: Date): Promise<void> {
  await app.api.database('installations').where({ moduleId }).update({ createdAt });
}

/** The module has been installed for long. */
async function sourceWith(hours: number | null = 6): Promise<AlertSource> {
  const source = await makeAlertSource(app, sampleFarm(), { files: filesWith(hours) });
  await setInstalled(source, ago(100 * HOUR));
  return source;
}

async function readRule({ farmer, ruleId }: AlertSource): Promise<Record<string, unknown>> {
  return (await app.as(farmer).get(`/alertRules/${ruleId}`)).body as Record<string, unknown>;
}

interface StoredRule {
  readonly reportedAt: Date | null;
  /** Another after each write. */
  readonly version: string;
}

async function storedRule(ruleId: string): Promise<StoredRule> {
  const { database } = app.api;
  const version = database.raw('xmin::text as version');
  return database('alert_rules').where({ id: ruleId }).first<StoredRule>('reportedAt', version);
}

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const HOUR = 60;

async function setRule(ruleId: string, columns: Readonly<Record<string, unknown>>): Promise<void> {
  await app.api.database('alert_rules').where({ id: ruleId }).update(columns);
}

const shown = (date: Date) => date.toISOString().replace('Z', '+00:00');

test('a rule has the interval of its definitions, and only its farmer reads when it was reported', async () => {
  const source = await sourceWith(6);
  const [forModule] = (await app.as(source.module).get('/RulesByModuleId')).body.items as object[];
  expect(forModule).toMatchObject({ id: source.ruleId, expectedIntervalHours: 6 });
  const reports = { watched: true, unwatchedReason: null, lastReportAt: null, silentAt: null };
  expect(await readRule(source)).toEqual({ ...forModule, ...reports });
  expect(Object.keys(forModule ?? {})).not.toContain('lastReportAt');
  const without = await sourceWith(null);
  expect(await readRule(without)).toMatchObject({ expectedIntervalHours: null, ...reports });
});

/** The state of a new rule with an interval. */
const NEW_RULE = { reportedAt: null, enabled: true, status: 'active', expectedIntervalHours: 6 };

const [CHANGED, REPORTED] = ['updatedAt', 'reportedAt'] as const;

test.each([
  ['created in time', { updatedAt: 5 * HOUR }, null],
  ['never reported', { updatedAt: 7 * HOUR }, CHANGED],
  ['reported in time', { updatedAt: 99 * HOUR, reportedAt: 5 * HOUR }, null],
  ['last reported long ago', { updatedAt: 99 * HOUR, reportedAt: 7 * HOUR }, REPORTED],
  ['enabled or changed in time, reported before', { updatedAt: 5 * HOUR, reportedAt: 99 * HOUR }, null],
  ['enabled or changed long ago, reported before', { updatedAt: 7 * HOUR, reportedAt: 99 * HOUR }, CHANGED],
  ['disabled', { updatedAt: 7 * HOUR, enabled: false }, null, 'rule-disabled'],
  ['outdated', { updatedAt: 7 * HOUR, status: 'outdated' }, null, 'rule-outdated'],
  ['without an interval', { updatedAt: 7 * HOUR, expectedIntervalHours: null }, null],
] as const)(
  'silentAt of a rule with an interval of 6 hours: %s',
  async (_title, columns, since, reason: string | null = since && 'silent') => {
    const { farmer, ruleId } = shared;
    const values = Object.entries<unknown>(columns).map(
      ([name, value]) => [name, typeof value === 'number' ? ago(value) : value] as const,
    );
    const row = Object.fromEntries(values);
    await setRule(ruleId, { ...NEW_RULE, ...row });
    const expected = since === null ? null : shown(row[since] as Date);
    const read = await readRule(shared);
    expect(read).toMatchObject({
      silentAt: expected,
      watched: reason === null,
      unwatchedReason: reason,
    });
    const expectedState = reason === null ? 'watched' : reason === 'rule-disabled' ? 'off' : 'unwatched';
    for (const state of ['watched', 'unwatched', 'off']) {
      const { items } = (await app.as(farmer).get(`/alertRules?state=${state}`)).body;
      expect(items).toEqual(state === expectedState ? [read] : []);
    }
  },
);

test('a rule of a module that is uninstalled is not overdue, nor when it has just been installed again', async () => {
  const source = await sourceWith(6);
  const { farmer, module } = source;
  await setRule(source.ruleId, { updatedAt: ago(99 * HOUR) });
  expect(await readRule(source)).toMatchObject({ silentAt: expect.any(String) as string });
  await app.as(farmer).delete(`/installations/${module.moduleId}`);
  expect(await readRule(source)).toMatchObject({ silentAt: null });
  await install(app, farmer, module.moduleId);
  expect(await readRule(source)).toMatchObject({ silentAt: null });
  await setInstalled(source, ago(7 * HOUR));
  expect(await readRule(source)).toMatchObject({ silentAt: expect.any(String) as string });
});

test('a change of an overdue rule gives the module time for its next report', async () => {
  const { farmer, ruleId } = shared;
  await setRule(ruleId, { ...NEW_RULE, updatedAt: ago(7 * HOUR) });
  const body = { criteria: 'temperature', values: { operator: 'lt', value: 3 } };
  const changed = await app.as(farmer).put(`/alertRules/${ruleId}`, body);
  expect(changed.body).toMatchObject({ expectedIntervalHours: 6, silentAt: null });
});

test('each alert of an accepted batch reports its rule, whatever its outcome', async () => {
  const source = shared;
  const alert = sampleAlert(source);
  for (const [status, outcome] of [
    ['firing', 'created'],
    ['firing', 'unchanged'],
    ['resolved', 'resolved'],
    ['resolved', 'unchanged'],
  ]) {
    await setRule(source.ruleId, { ...NEW_RULE, reportedAt: ago(7 * HOUR), updatedAt: ago(99 * HOUR) });
    const raised = await app.as(source.module).post(ALERTS, { alerts: [{ ...alert, status }] });
    expect(raised.body.results).toMatchObject([{ outcome }]);
    const { lastReportAt, silentAt } = await readRule(source);
    expect(Date.parse(String(lastReportAt))).toBeGreaterThan(ago(HOUR).getTime());
    expect(silentAt).toBeNull();
  }
});

test('a batch that is refused reports nothing; of a partial one, only the alerts that are stored do', async () => {
  const source = await sourceWith();
  const other = await makeRule(app, source.farmer, source.module.moduleId);
  const nowhere = { ruleId: other, target: { type: 'farm', id: randomUUID() } };
  const body = { alerts: [sampleAlert(source), sampleAlert(source, nowhere)] };
  expect((await app.as(source.module).post(ALERTS, body)).status).toBe(400);
  expect(await storedRule(source.ruleId)).toMatchObject({ reportedAt: null });
  expect((await app.as(source.module).post(`${ALERTS}?partial`, body)).status).toBe(200);
  expect(await storedRule(source.ruleId)).toMatchObject({ reportedAt: expect.any(Date) as Date });
  expect(await storedRule(other)).toMatchObject({ reportedAt: null });
});

test('a report names rules, in any letter case and also twice, or means all that the key can read', async () => {
  const source = await sourceWith();
  const other = await makeRule(app, source.farmer, source.module.moduleId);
  const ruleIds = [source.ruleId, source.ruleId.toUpperCase()];
  const named = await app.as(source.module).post(REPORTS, { ruleIds });
  expect([named.status, named.body]).toEqual([200, { rules: 1 }]);
  const [first, second] = [await storedRule(source.ruleId), await storedRule(other)];
  expect([first.reportedAt, second.reportedAt]).toEqual([expect.any(Date), null]);
  for (const body of [undefined, {}]) {
    await setRule(other, { reportedAt: null });
    expect((await app.as(source.module).post(REPORTS, body)).body).toEqual({ rules: 2 });
    expect((await storedRule(other)).reportedAt).toEqual(expect.any(Date));
  }
});

test('a rule that the module does not see refuses the report, and nothing is stored', async () => {
  const source = await sourceWith();
  const { farmer, module } = source;
  const ruleIds = [source.ruleId, shared.ruleId, randomUUID()];
  const refused = await app.as(module).post(REPORTS, { ruleIds });
  expect([refused.status, refused.body.type]).toEqual([400, '/problems/request-invalid']);
  expect(pointersOf(refused)).toEqual(['/ruleIds/1', '/ruleIds/2']);
  expect((await storedRule(source.ruleId)).reportedAt).toBeNull();

  // Another organization of the tenant has the same module, and has accepted other data only.
  const hidden = await app.organization({ kind: 'farmer', tenantId: module.vendor.tenantId });
  await install(app, hidden, module.moduleId, ['FarmOrganization']);
  const unseen = await makeRule(app, hidden, module.moduleId);
  expect(pointersOf(await app.as(module).post(REPORTS, { ruleIds: [unseen] }))).toEqual(['/ruleIds/0']);
  expect((await app.as(module).post(REPORTS)).body).toEqual({ rules: 1 });
  expect((await storedRule(unseen)).reportedAt).toBeNull();

  await app.as(farmer).delete(`/installations/${module.moduleId}`);
  expect(pointersOf(await app.as(module).post(REPORTS, { ruleIds: [source.ruleId] }))).toEqual([
    '/ruleIds/0',
  ]);
  expect((await app.as(module).post(REPORTS)).body).toEqual({ rules: 0 });
});

test('a module that does not declare the data area of alerts reports nothing', async () => {
  const module = await makeModule(app, await app.organization(), ['FarmOrganization']);
  const refused = await app.as(module).post(REPORTS);
  expect([refused.status, refused.body.type]).toEqual([403, '/problems/auth-data-area-missing']);
});

test('a body that may mean something else is refused: nobody reports all rules by mistake', async () => {
  const { module, ruleId } = shared;
  await setRule(ruleId, { reportedAt: null });
  for (const [body, pointer] of [
    [{ ruleId }, '/ruleId'],
    [{ ruleIds: [] }, '/ruleIds'],
    [{ ruleIds: null }, '/ruleIds'],
    [{ ruleIds: ['all'] }, '/ruleIds/0'],
    [{ ruleIds: Array.from({ length: 1_001 }, () => ruleId) }, '/ruleIds'],
  ] as const) {
    const refused = await app.as(module).post(REPORTS, body);
    expect([refused.status, pointersOf(refused)]).toEqual([400, [pointer]]);
  }
  expect((await storedRule(ruleId)).reportedAt).toBeNull();
});

test('a rule that was reported within the last minute is neither locked nor written', async () => {
  const source = await sourceWith();
  const { ruleId, module } = source;
  const alert = sampleAlert(source);
  const report = () => app.as(module).post(REPORTS);
  const raise = () => app.as(module).post(ALERTS, { alerts: [alert] });
  await raise();
  for (const act of [report, raise]) {
    await setRule(ruleId, { reportedAt: ago(0.5) });
    const before = await storedRule(ruleId);
    expect((await act()).status).toBe(200);
    const { reportedAt } = await storedRule(ruleId);
    expect(reportedAt).toEqual(before.reportedAt);
    await setRule(ruleId, { reportedAt: ago(1.5) });
    await act();
    expect((await storedRule(ruleId)).reportedAt?.getTime()).toBeGreaterThan(ago(1).getTime());
  }
  const [dataAreaId = ''] = areaIds(app, ['FarmOrganizationAlerts']);
  const key = { id: randomUUID(), moduleId: module.moduleId, dataAreaId };
  for (const ruleIds of [null, [ruleId]]) {
    const before = await storedRule(ruleId);
    const plans = await planStatements(app.api.database, (database) =>
      reportRules(database, { ...key, ruleIds }),
    );
    expect(plans).toHaveLength(1);
    expect(plans[0]?.steps.filter((step) => /LockRows|ModifyTable/.test(step))).toEqual([]);
    expect(await storedRule(ruleId)).toEqual(before);
  }
});

test('all rules of a popular module are reported, in batches, and only those that are due are written', async () => {
  const source = await sourceWith();
  const { database } = app.api;
  await database.raw(
    `insert into alert_rules (id, organization_id, module_id, criteria, rule_values, enabled, status,
       definition_revision, created_by, updated_by, reported_at)
     select gen_random_uuid(), organization_id, module_id, criteria, rule_values, enabled, status, definition_revision,
       created_by, updated_by, case when number % 2 = 0 then now() end
     from alert_rules, generate_series(1, 2200) as number where id = :ruleId`,
    { ruleId: source.ruleId },
  );
  const ofModule = () => database('alert_rules').where({ moduleId: source.module.moduleId });
  const fresh = () =>
    ofModule().whereNotNull('reportedAt').orderBy('id').select('id', database.raw('xmin::text as version'));
  const before = (await fresh()) as { id: string; version: string }[];
  expect(before).toHaveLength(1_100);
  expect((await app.as(source.module).post(REPORTS)).body).toEqual({ rules: 2_201 });
  expect(await ofModule().whereNull('reportedAt')).toEqual([]);
  const after = new Map(((await fresh()) as typeof before).map(({ id, version }) => [id, version]));
  expect(before.filter(({ id, version }) => after.get(id) !== version)).toEqual([]);
});

test('a report is no change of the feed, and the version of the rules stays', async () => {
  const { module, ruleId } = shared;
  const back = app.as(module);
  const { nextCursor } = (await back.get('/ChangesByModuleId')).body;
  const readAfterReport = async () => {
    await setRule(ruleId, NEW_RULE);
    const etag = (await back.get('/RulesByModuleId')).headers.get('etag') ?? '';
    expect((await back.post(REPORTS)).status).toBe(200);
    return (await back.get('/RulesByModuleId', { 'If-None-Match': etag })).status;
  };
  // Once a minute a worker may write the number of a module's installations in between.
  await expect.poll(readAfterReport).toBe(304);
  expect((await back.get(`/ChangesByModuleId?cursor=${nextCursor as string}`)).body).toMatchObject({
    items: [],
  });
});

test('another revision changes the interval of its rules, also where nothing else is different', async () => {
  const source = await sourceWith(6);
  const { vendor, moduleId } = source.module;
  const dataAreaIds = areaIds(app, ['FarmOrganization', 'FarmOrganizationAlerts']);
  for (const [hours, revision] of [
    [24, 2],
    [null, 3],
    [1, 4],
  ] as const) {
    await importSample(app, vendor, { descriptor: { moduleId, dataAreaIds }, files: filesWith(hours) });
    expect(await readRule(source)).toMatchObject({
      expectedIntervalHours: hours,
      definitionRevision: revision,
      status: 'active',
    });
  }
});
