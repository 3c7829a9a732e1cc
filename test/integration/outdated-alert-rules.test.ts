import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { updateAlertRule } from '../../api/alert-rules/write-alert-rule.ts';
import { dataAreaIdOf } from '../../api/machine-access/caller.ts';
import { openDatabase } from '../../shared/db/database.ts';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { lockedCalls, lockWaits } from '../support/lock-waits.ts';
import {
  definition,
  expectErrors,
  GOOD_RULE,
  startRuleMarket,
  type RuleMarket,
} from '../support/rule-market.ts';
import { samplePackage } from '../support/sample-package.ts';
import { holdTransaction } from '../support/held-lock.ts';

let market: RuleMarket;

beforeAll(async () => {
  market = await startRuleMarket();
});

afterAll(() => market.app.stop());

const update = (moduleId: string, yaml: string | null, component = 'c') =>
  market.importModule(yaml, { moduleId, component });

test('outdates rules that no longer match, with the reasons, and reactivates them when they match again', async () => {
  const moduleId = await market.installed(definition(60, 'temperature'));
  const hot = await market.rule(moduleId, { criteria: 'temperature', values: { operator: 'gt', value: 50 } });
  const mild = await market.rule(moduleId);

  await update(moduleId, definition(40, 'temperature'));
  expect(await market.read(hot)).toMatchObject({
    status: 'outdated',
    outdatedReasons: ['The part "value" must not be above 40.'],
    definitionRevision: 2,
    values: { operator: 'gt', value: 50 },
  });
  expect(await market.read(mild)).toMatchObject({
    status: 'active',
    outdatedReasons: [],
    definitionRevision: 2,
  });

  await update(moduleId, definition(40, 'rain'));
  for (const id of [hot, mild])
    expect(await market.read(id)).toMatchObject({
      status: 'outdated',
      outdatedReasons: ['The module offers no criteria "temperature".'],
      definitionRevision: 3,
    });

  await update(moduleId, definition(60, 'rain', 'temperature'));
  for (const id of [hot, mild])
    expect(await market.read(id)).toMatchObject({
      status: 'active',
      outdatedReasons: [],
      definitionRevision: 4,
    });
});

test('the import says how many rules of farmers the removal of criteria outdates', async () => {
  const moduleId = await market.installed(definition(60, 'temperature', 'rain'));
  await market.rule(moduleId);
  const warnings = async (yaml: string | null) => {
    const files = { 'AlertRuleDefinitionFile/alert-rules.yaml': yaml };
    const zip = samplePackage(market.app.api.catalogue, { descriptor: { moduleId }, files });
    const { body } = await market.app.importPackage(market.vendor, zip, { query: '?validateOnly=true' });
    return (body.warnings as { code: string; detail: string }[])
      .filter(({ code }) => code === 'registry-member-removed')
      .map(({ detail }) => detail);
  };
  const outdates = 'Alert rules of farmers that this outdates:';
  expect(await warnings(definition(60, 'temperature'))).toEqual([
    `The update removes 1 of 2 from criterias: "rain". ${outdates} 0.`,
  ]);
  expect(await warnings(definition(60, 'snow'))).toEqual([
    `The update removes 2 of 2 from criterias: "temperature", "rain". ${outdates} 1.`,
  ]);
  expect(await warnings(null)).toHaveLength(1);
});

test('a definition that is removed outdates every rule', async () => {
  const moduleId = await market.installed();
  const id = await market.rule(moduleId);
  await update(moduleId, null);
  expect(await market.read(id)).toMatchObject({
    status: 'outdated',
    outdatedReasons: ['The module offers no alert rules.'],
  });
});

test('a farmer repairs an outdated rule by changing it', async () => {
  const moduleId = await market.installed();
  const id = await market.rule(moduleId);
  await update(moduleId, definition(10, 'temperature'));
  expectErrors(await market.put(id, GOOD_RULE), '/values/value');
  const repaired = await market.put(id, { ...GOOD_RULE, values: { operator: 'gt', value: 10 } });
  expect(repaired.body).toMatchObject({ status: 'active', outdatedReasons: [], definitionRevision: 2 });
});

test('a farmer turns an outdated rule off, which stays outdated, and on again when it fits', async () => {
  const moduleId = await market.installed();
  const id = await market.rule(moduleId);
  await update(moduleId, definition(10, 'temperature'));
  const off = { ...GOOD_RULE, enabled: false };
  expect(await market.put(id, off)).toMatchObject({
    status: 200,
    body: { enabled: false, status: 'outdated', definitionRevision: 2 },
  });
  expectErrors(await market.put(id, { ...off, values: { operator: 'gt', value: 30 } }), '/values/value');
  expectErrors(await market.put(id, { ...off, enabled: true }), '/values/value');
  await update(moduleId, definition(60, 'temperature'));
  expect((await market.put(id, { ...off, enabled: true })).body).toMatchObject({
    enabled: true,
    status: 'active',
  });
});

test('a request that turns an outdated rule off is validated against the rule as a concurrent request changes it', async () => {
  const moduleId = await market.installed();
  const ruleId = await market.rule(moduleId);
  await update(moduleId, definition(10, 'temperature'));
  const { api, environment } = market.app;
  // Unlike those of the service, its statements wait for locks without a limit.
  const waiting = openDatabase({ url: environment['DATABASE_URL'] ?? '', poolSize: 1 });
  onTestFinished(() => waiting.destroy());
  const alertsAreaId = dataAreaIdOf(api, 'FarmOrganizationAlerts');
  const key = { organizationId: market.farmer.id, ruleId, alertsAreaId };
  const outdated = { criteria: 'temperature', ruleValues: GOOD_RULE.values, name: null, enabled: true };
  const repaired = { ...outdated, ruleValues: { operator: 'gt', value: 10 } };
  const holding = await holdTransaction(api.database);
  expect(await updateAlertRule(holding, key, null, repaired, FIXTURE_ACTOR)).toHaveProperty('rule');
  const turningOff = updateAlertRule(waiting, key, null, { ...outdated, enabled: false }, FIXTURE_ACTOR);
  await expect.poll(() => lockWaits(market.app)).toBeGreaterThan(0);
  await holding.commit();
  expect(await turningOff).toMatchObject({ issues: [{ pointer: '/values/value' }] });
  expect(await market.read(ruleId)).toMatchObject({ status: 'active', values: repaired.ruleValues });
});

test('an import with the same definition changes no rule', async () => {
  const moduleId = await market.installed();
  const id = await market.rule(moduleId);
  const before = await market.read(id);
  const yaml = `# another comment\n${definition(60, 'temperature')}`;
  await update(moduleId, yaml, 'another');
  expect(await market.read(id)).toEqual(before);
  expect(await market.read(await market.rule(moduleId))).toMatchObject({ definitionRevision: 2 });
});

test('rules of other modules do not change', async () => {
  const moduleId = await market.installed();
  const id = await market.rule(await market.installed());
  await update(moduleId, definition(10, 'temperature'));
  expect(await market.read(id)).toMatchObject({ status: 'active', definitionRevision: 1 });
});

test('a deleted module that is imported again with another definition outdates its rules', async () => {
  const moduleId = await market.installed();
  const id = await market.rule(moduleId);
  await market.app.as(market.vendor).delete(`/modules/${moduleId}`);
  await update(moduleId, definition(10, 'temperature'));
  expect(await market.read(id)).toMatchObject({ status: 'outdated', definitionRevision: 2 });
});

test('so does one whose earlier revisions have been collected, in both directions', async () => {
  const moduleId = await market.installed();
  const id = await market.rule(moduleId);
  const { app, vendor } = market;
  const { database } = app.api;
  const days = app.config.retention.deletedModuleDays + 1;
  for (const [revision, max, status] of [
    [2, 10, 'outdated'],
    [3, 60, 'active'],
  ] as const) {
    await app.as(vendor).delete(`/modules/${moduleId}`);
    const deletedAt = database.raw("now() - ? * interval '1 day'", [days]);
    await database('modules').where({ id: moduleId }).update({ deletedAt });
    await collectGarbage(app.api);
    expect(await database('module_revisions').where({ moduleId })).toEqual([]);
    await update(moduleId, definition(max, 'temperature'));
    expect(await market.read(id)).toMatchObject({ status, definitionRevision: revision });
  }
});

test('at most 20 reasons are stored', async () => {
  const moduleId = await market.installed();
  const id = await market.rule(moduleId);
  const parts = Array.from({ length: 30 }, (_, index) => `p${index}: { field: text, title: { en: P } }`);
  const yaml = `schema: 1.1\ncriterias:\n  temperature:\n    displayName: { en: T }\n    parts: { ${parts.join(', ')} }\n`;
  await update(moduleId, yaml);
  const { outdatedReasons } = (await market.read(id)) as { outdatedReasons: string[] };
  expect(outdatedReasons).toHaveLength(20);
});

test('every rule of a popular module is checked, across organizations and batches', async () => {
  const moduleId = await market.installed();
  const other = await market.app.organization({ kind: 'farmer', tenantId: market.vendor.tenantId });
  for (const organizationId of [market.farmer.id, other.id])
    await market.app.api.database.raw(
      `insert into alert_rules (id, organization_id, module_id, criteria, rule_values, enabled, status,
         definition_revision, created_by, updated_by)
       select gen_random_uuid(), :organizationId, :moduleId, 'temperature',
         jsonb_build_object('operator', 'gt', 'value', n % 21), true, 'active', 1, '', '' from generate_series(0, 1259) n`,
      { organizationId, moduleId },
    );
  await update(moduleId, definition(10, 'temperature'));
  const counted = async () => {
    const { rows } = await market.app.api.database.raw<{ rows: object[] }>(
      `select status, definition_revision, count(*) as n, bool_and((rule_values ->> 'value')::int <= 10) as fits
       from alert_rules where module_id = ? group by 1, 2 order by 1`,
      [moduleId],
    );
    return rows;
  };
  await expect.poll(counted, { timeout: 60_000 }).toEqual([
    { status: 'active', definitionRevision: 2, n: 1320, fits: true },
    { status: 'outdated', definitionRevision: 2, n: 1200, fits: false },
  ]);
});

test('a rule stored during an import is checked against one of the two definitions, and has the matching status', async () => {
  const moduleId = await market.installed(definition(60, 'temperature'));
  for (const max of [10, 60, 10]) {
    const importing = update(moduleId, definition(max, 'temperature'));
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => market.post({ moduleId, ...GOOD_RULE })),
    );
    await importing;
    for (const { status, body } of answers) {
      expect([201, 400]).toContain(status);
      if (status !== 201) continue;
      const fits = max === 60;
      expect(await market.read(body.id as string)).toMatchObject({ status: fits ? 'active' : 'outdated' });
    }
  }
});

test('an import that is rejected, and one that only validates, change no rule', async () => {
  const moduleId = await market.installed();
  const id = await market.rule(moduleId);
  const before = await market.read(id);
  const files = { 'AlertRuleDefinitionFile/alert-rules.yaml': definition(10, 'temperature') };
  const zip = samplePackage(market.app.api.catalogue, { descriptor: { moduleId }, files });
  expect((await market.app.importPackage(market.vendor, zip, { query: '?validateOnly=true' })).status).toBe(
    200,
  );
  const stray = samplePackage(market.app.api.catalogue, {
    descriptor: { moduleId },
    files: { ...files, 'x.txt': 'x' },
  });
  expect((await market.app.importPackage(market.vendor, stray)).status).toBe(400);
  expect(await market.read(id)).toEqual(before);
});

test('a rule waits for the import that locks the module, and is checked against its definition', async () => {
  const moduleId = await market.installed();
  const old = await market.rule(moduleId);
  const transaction = await holdTransaction(market.app.api.database);
  await transaction('modules').where({ id: moduleId }).update({ currentRevision: 2 });
  await transaction.raw(
    `insert into module_revisions
       (module_id, revision, organization_id, import_id, imported_by, descriptor, environment, roles,
        alert_rules, fingerprint, packing, checks, archive_key, archive_bytes, archive_sha256)
     select module_id, 2, organization_id, import_id, imported_by, descriptor, environment, roles,
       null, fingerprint, packing, checks, archive_key || '-2', archive_bytes, archive_sha256
     from module_revisions where module_id = ?`,
    [moduleId],
  );
  const posting = market.post({ moduleId, ...GOOD_RULE });
  const putting = market.put(old, GOOD_RULE);
  await expect.poll(() => lockedCalls(market.app)).toBe(2);
  await transaction.commit();
  for (const answer of await Promise.all([posting, putting])) expectErrors(answer, '/criteria');
});

test('an import waits for a rule that is being stored, and checks it too', async () => {
  const moduleId = await market.installed();
  const id = randomUUID();
  const transaction = await holdTransaction(market.app.api.database);
  await transaction.raw('select from modules where id = ? for share', [moduleId]);
  await transaction('alertRules').insert({
    id,
    organizationId: market.farmer.id,
    moduleId,
    criteria: 'temperature',
    ruleValues: { operator: 'gt', value: 20 },
    enabled: true,
    status: 'active',
    definitionRevision: 1,
    ...{ createdBy: '', updatedBy: '' },
  });
  const importing = update(moduleId, definition(10, 'temperature'));
  await expect.poll(() => lockWaits(market.app)).toBeGreaterThan(0);
  await transaction.commit();
  await importing;
  expect(await market.read(id)).toMatchObject({ status: 'outdated', definitionRevision: 2 });
});
