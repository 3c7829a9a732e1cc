import { expect } from 'vitest';
import { holdLock } from '../support/held-lock.ts';
import { areaIds, BOTH_AREAS, install, makeModule } from '../support/machine-access.ts';
import { recordedChanges } from '../support/recorded-changes.ts';
import { definition, GOOD_RULE } from '../support/rule-market.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestModule } from '../support/caller.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import { withWorker } from '../support/with-worker.ts';

/** The process that releases checks the first rules; the others wait until a test starts a worker. */
const test = serviceTest({ worker: false });

/** More than two pieces. */
const RULES = 120;
const FEW = 5;

const filesOf = (max: number) => ({
  'AlertRuleDefinitionFile/alert-rules.yaml': definition(max, 'temperature'),
});

/** A module that a farmer has installed, with rules that fit its first revision and not its second, which is staged. */
async function ruledModule(app: TestApp, vendor: TestOrganization, farmer: TestOrganization) {
  const module = await withWorker(app, async () => {
    const made = await makeModule(app, vendor, undefined, { files: filesOf(60) });
    const descriptor = { moduleId: made.moduleId, dataAreaIds: areaIds(app, BOTH_AREAS) };
    const zip = samplePackage(app.api.catalogue, { descriptor, files: filesOf(10) });
    await app.importPackage(vendor, zip, { query: '?release=staged' });
    return made;
  });
  const { moduleId } = module;
  await install(app, farmer, moduleId);
  const { body } = await app.as(farmer).post('/alertRules', { moduleId, ...GOOD_RULE });
  const columns = `organization_id, module_id, criteria, rule_values, enabled, status, definition_revision,
    definition_version, created_by, updated_by`;
  await app.api.database.raw(
    `insert into alert_rules (id, ${columns})
     select gen_random_uuid(), ${columns} from alert_rules, generate_series(2, ?) where id = ?`,
    [RULES, String(body.id)],
  );
  return module;
}

const release = async (app: TestApp, { vendor, moduleId }: TestModule, revision: number) => {
  const answer = await app.as(vendor).post(`/modules/${moduleId}/revisions/${revision}/release`);
  expect(answer.status, answer.text).toBe(200);
};

/** The number of the module's rules in the database by the revision that validated them. */
async function checkedAgainst(app: TestApp, moduleId: string): Promise<Record<string, number>> {
  const rows = await app.api
    .database('alertRules')
    .where({ moduleId })
    .select<{ definitionRevision: number }[]>('definitionRevision');
  const counts: Record<string, number> = {};
  for (const { definitionRevision } of rows)
    counts[definitionRevision] = (counts[definitionRevision] ?? 0) + 1;
  return counts;
}

const notesOf = (app: TestApp, moduleId: string) => app.api.database('modulesBehind').where({ moduleId });

type Rule = Readonly<{ id: string; status: string; definitionRevision: number }>;

const READERS: Readonly<
  Record<string, (app: TestApp, farmer: TestOrganization, module: TestModule) => Promise<readonly Rule[]>>
> = {
  'in the list of the farmer': async (app, farmer, { moduleId }) =>
    (await app.as(farmer).get(`/alertRules?limit=200&moduleId=${moduleId}`)).body.items as Rule[],
  'in the list of those that are unwatched': async (app, farmer, { moduleId }) =>
    (await app.as(farmer).get(`/alertRules?limit=200&state=unwatched&moduleId=${moduleId}`)).body
      .items as Rule[],
  'one by one': async (app, farmer, { moduleId }) => {
    const behind = app.api.database('alertRules').where({ moduleId, definitionRevision: 1 }).limit(FEW);
    const rows = await behind.select<{ id: string }[]>('id');
    return Promise.all(
      rows.map(async ({ id }) => (await app.as(farmer).get(`/alertRules/${id}`)).body as unknown as Rule),
    );
  },
  'in the list of the module': async (app, _farmer, module) =>
    (await app.as(module).get('/RulesByModuleId?limit=200')).body.items as Rule[],
};

test.for(Object.keys(READERS))(
  'rules read as their farmer’s revision has them while pieces of a release are still to come: %s',
  async (reader, { app, vendor, farmer }) => {
    const module = await ruledModule(app, vendor, farmer);
    await release(app, module, 2);
    expect((await checkedAgainst(app, module.moduleId))['1']).toBeGreaterThan(0);
    const rules = (await READERS[reader]?.(app, farmer, module)) ?? [];
    expect(rules).toHaveLength(reader === 'one by one' ? FEW : RULES);
    for (const rule of rules) expect(rule).toMatchObject({ status: 'outdated', definitionRevision: 2 });
  },
);

test('a worker checks what the process that released has left, and each rule is reported once', async ({
  app,
  vendor,
  farmer,
}) => {
  const module = await ruledModule(app, vendor, farmer);
  const { moduleId } = module;
  await release(app, module, 2);
  expect(await notesOf(app, moduleId)).toHaveLength(1);
  await withWorker(app, () => expect.poll(() => notesOf(app, moduleId)).toEqual([]));
  expect(await checkedAgainst(app, moduleId)).toEqual({ 2: RULES });
  const reported = (await recordedChanges(app, moduleId)).filter(({ type }) => type === 'rule.outdated');
  expect(reported).toHaveLength(RULES);
  expect(new Set(reported.map(({ subject }) => subject.ruleId)).size).toBe(RULES);
});

test.for(['2, 1', '2, 1, 2'])(
  'releases between the pieces of others end as the last of them: %s',
  async (order, { app, vendor, farmer }) => {
    const revisions = order.split(', ').map(Number);
    const module = await ruledModule(app, vendor, farmer);
    for (const revision of revisions) await release(app, module, revision);
    const last = revisions.at(-1) ?? 0;
    await withWorker(app, () => expect.poll(() => notesOf(app, module.moduleId)).toEqual([]));
    expect(await checkedAgainst(app, module.moduleId)).toEqual({ [last]: RULES });
    const lastTypes = new Map(
      (await recordedChanges(app, module.moduleId)).flatMap(({ type, subject }) =>
        subject.ruleId === undefined ? [] : [[subject.ruleId, type] as const],
      ),
    );
    const outdated = [...lastTypes.values()].filter((type) => type === 'rule.outdated');
    expect(outdated).toHaveLength(last === 2 ? RULES : 0);
  },
);

test('a quarantine and its end wait for nothing that a transaction holds of the module', async ({
  app,
  vendor,
  farmer,
}) => {
  const module = await ruledModule(app, vendor, farmer);
  const { moduleId } = module;
  // More than an import, a release, a deletion and a check of what depends on it hold together.
  const tables = ['module_revisions', 'installations', 'alert_rules', 'api_keys'];
  const held = await holdLock(
    app,
    `with module as (select id from modules where id = $1::uuid for update)
       ${tables.map((table) => `, ${table} as (select 1 from ${table} where module_id = $1::uuid for update)`).join('')}
     select pg_advisory_xact_lock(hashtextextended('module ' || $1::text, 0)), (select count(*) from module)
       ${tables.map((table) => `, (select count(*) from ${table})`).join('')}`,
    [moduleId],
  );
  const path = `/operations/modules/${moduleId}/quarantine`;
  const read = () =>
    app
      .as(module)
      .get('/RulesByModuleId')
      .then(({ status }) => status);
  try {
    expect((await app.as('operator').post(path, { reason: 'It mines coins.' })).status).toBe(200);
    await expect.poll(read).toBe(403);
    expect((await app.as('operator').delete(path)).status).toBe(204);
    await expect.poll(read).toBe(200);
  } finally {
    await held.release();
  }
});
