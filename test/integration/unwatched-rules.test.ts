import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAlertRules } from '../../shared/db/alerts/alert-rules.ts';
import { UNWATCHED_REASONS } from '../../shared/db/alerts/unwatched-reason.ts';
import { importSample } from '../support/import-sample.ts';
import {
  areaIds,
  BOTH_AREAS,
  install,
  makeAlertSource,
  type AlertSource,
} from '../support/machine-access.ts';
import { planStatements } from '../support/statement-plans.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

const LONG_AGO = '2026-01-01T00:00:00Z';

async function reasonOf({ farmer, ruleId }: AlertSource): Promise<unknown> {
  const { watched, unwatchedReason } = (await app.as(farmer).get(`/alertRules/${ruleId}`)).body;
  expect(watched).toBe(unwatchedReason === null);
  return unwatchedReason;
}

/** What a farmer, an operator, a vendor and the back end do until a rule is watched, one after the other. */
function remediesOf({ module: { moduleId }, farmer, ruleId }: AlertSource) {
  const { database } = app.api;
  const rule = (columns: object) => database('alert_rules').where({ id: ruleId }).update(columns);
  const installation = () => database('installations').where({ moduleId, organizationId: farmer.id });
  const keys = (columns: object) => database('api_keys').where({ moduleId }).update(columns);
  return {
    'rule-disabled': () => rule({ enabled: true }),
    'rule-outdated': () => rule({ status: 'active' }),
    'not-installed': () =>
      database('installations').insert({
        organizationId: farmer.id,
        ...{ moduleId, acceptedDataAreaIds: areaIds(app, ['FarmOrganization']), offeredDataAreaIds: [] },
        ...{ offeredRevision: 1, createdBy: 'test', updatedBy: 'test', createdAt: LONG_AGO },
      }),
    'data-area-not-granted': () => installation().update({ acceptedDataAreaIds: areaIds(app, BOTH_AREAS) }),
    'module-quarantined': () => app.as('operator').delete(`/operations/modules/${moduleId}/quarantine`),
    'no-valid-key': async () => {
      await keys({ revokedAt: null });
      expect((await app.as(farmer).get(`/alertRules/${ruleId}`)).body['unwatchedReason']).toBe(
        'no-valid-key',
      );
      await keys({ expiresAt: '2999-01-01T00:00:00Z' });
    },
    silent: () => rule({ reportedAt: new Date() }),
  };
}

/** Makes a rule unwatched for every reason at once. Another farmer's installation changes nothing of that. */
async function makeUnwatched(): Promise<AlertSource> {
  const source = await makeAlertSource(app);
  const { moduleId, vendor } = source.module;
  const { database } = app.api;
  await install(app, await app.organization({ kind: 'farmer', tenantId: vendor.tenantId }), moduleId);
  await app.as('operator').post(`/operations/modules/${moduleId}/quarantine`, { reason: 'It is bad.' });
  await database('api_keys').where({ moduleId }).update({ revokedAt: LONG_AGO, expiresAt: LONG_AGO });
  await database('installations').where({ moduleId, organizationId: source.farmer.id }).delete();
  await database('alert_rules')
    .where({ id: source.ruleId })
    .update({ enabled: false, status: 'outdated', expectedIntervalHours: 6, updatedAt: LONG_AGO });
  return source;
}

test('of all reasons why nobody watches a rule the first is named, and each has its remedy', async () => {
  const source = await makeUnwatched();
  const remedies = remediesOf(source);
  for (const reason of UNWATCHED_REASONS) {
    expect(await reasonOf(source)).toBe(reason);
    await remedies[reason]();
  }
  expect(await reasonOf(source)).toBeNull();
});

test('a rule is unwatched when its module requests the data area no longer, and when it is deleted', async () => {
  const source = await makeAlertSource(app);
  const { moduleId, vendor } = source.module;
  expect(await reasonOf(source)).toBeNull();
  const dataAreaIds = areaIds(app, ['FarmOrganization']);
  await importSample(app, vendor, { descriptor: { moduleId, dataAreaIds } });
  expect(await reasonOf(source)).toBe('data-area-not-granted');
  await app.as(vendor).delete(`/modules/${moduleId}`);
  expect(await reasonOf(source)).toBe('not-installed');
});

test.each([
  [true, 'no-valid-key'],
  [false, 'module-quarantined'],
])(
  'a rule is unwatched while the vendor is suspended, farmers keep access: %s',
  async (farmersKeepAccess, reason) => {
    const source = await makeAlertSource(app);
    const suspension = `/operations/organizations/${source.module.vendor.id}/suspension`;
    await app.as('operator').put(suspension, { reason: 'It does not pay.', farmersKeepAccess });
    expect(await reasonOf(source)).toBe(reason);
    await app.as('operator').delete(suspension);
    expect(await reasonOf(source)).toBeNull();
  },
);

test.each([null, 'unwatched', 'off'] as const)(
  'a page of 50 among 3,000 rules is one statement that reads only its rules, in state %s',
  async (state) => {
    const { farmer, ruleId } = await makeAlertSource(app);
    const { database } = app.api;
    await database('alert_rules')
      .where({ id: ruleId })
      .update({
        enabled: state !== 'off',
        expectedIntervalHours: 6,
        updatedAt: LONG_AGO,
      });
    await database('installations').where({ organizationId: farmer.id }).update({ createdAt: LONG_AGO });
    await database.raw(
      `insert into alert_rules (id, organization_id, module_id, criteria, rule_values, enabled, status,
         definition_revision, definition_version, expected_interval_hours, updated_at, created_by, updated_by)
       select gen_random_uuid(), organization_id, module_id, criteria, rule_values, enabled, status,
         definition_revision, definition_version, expected_interval_hours, updated_at, created_by, updated_by
       from alert_rules, generate_series(1, 3000) where id = :ruleId`,
      { ruleId },
    );
    await database.raw('analyze alert_rules');
    const [alertsAreaId = ''] = areaIds(app, ['FarmOrganizationAlerts']);
    const plans = await planStatements(database, async (transaction) => {
      const filter = { moduleId: null, state, alertsAreaId };
      const { rows } = await listAlertRules(transaction, farmer.id, filter, { limit: 50, after: null });
      expect(rows).toHaveLength(50);
    });
    expect(plans).toHaveLength(1);
    expect(plans[0]?.steps.filter((step) => step === 'Seq Scan of alert_rules')).toEqual([]);
    expect(plans[0]?.rowsRead).toBeLessThan(1_500);
  },
);
