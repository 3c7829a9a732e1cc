import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Database } from '../../shared/db/database.ts';
import { sequenceChanges } from '../../shared/db/changes/change-sequencer.ts';
import { claimDeliveries, type Claim } from '../../shared/db/webhooks/deliveries.ts';
import { makeDeliveries, MAX_PENDING } from '../../shared/db/webhooks/make-deliveries.ts';
import { Random } from '../support/random.ts';
import { planStatements } from '../support/statement-plans.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';
import { makeChanges } from '../support/webhook-module.ts';

const test = serviceTest({ worker: false, config: { quotas: { maxWebhooksPerOrganization: 4 } } });

const AREAS = { structuresArea: randomUUID(), alertsArea: randomUUID() };
const MODULE = `
  insert into organizations (id, tenant_id, kind, name, created_by, updated_by)
  values (:organizationId, :moduleId, 'vendor', '', '', '');
  insert into modules (id, organization_id, tenant_id, current_revision, newest_revision)
  values (:moduleId, :organizationId, :moduleId, 1, 1)`;
const WEBHOOK = `
  insert into webhooks (id, organization_id, module_id, url, public_key, sealed_keys, position, created_by)
  values (:webhookId, :organizationId, :moduleId, 'https://hooks.example.com', '', '', 0, '');
  insert into webhook_deliveries (webhook_id, event_id, organization_id)
  select :webhookId, gen_random_uuid(), :organizationId from generate_series(1, :due)`;

async function runAll(database: Database, sql: string, values: Readonly<Record<string, string | number>>) {
  for (const statement of sql.split(';')) await database.raw(statement, values);
}

/** Makes an organization with a webhook for each number, with this number of due deliveries. */
async function vendorWith(database: Database, due: readonly number[]) {
  const vendor = { organizationId: randomUUID(), moduleId: randomUUID() };
  await runAll(database, MODULE, vendor);
  const webhookIds = due.map(() => randomUUID());
  for (const [index, webhookId] of webhookIds.entries())
    await runAll(database, WEBHOOK, { ...vendor, webhookId, due: due[index] ?? 0 });
  return { ...vendor, webhookIds };
}

const ROOM = { free: 1_000, maxOfOrganization: 1_000, maxOfWebhook: 1_000 };
const NOTHING_RUNS = { ofOrganizations: new Map<string, number>(), ofWebhooks: new Map<string, number>() };

/** Claims deliveries in a transaction that is undone; returns their number by organization and by webhook. */
async function claimed(app: TestApp, claim: Partial<Claim>) {
  const transaction = await app.api.database.transaction();
  try {
    const { deliveries } = await claimDeliveries(transaction, { ...ROOM, ...NOTHING_RUNS, ...claim }, AREAS);
    const count = (idOf: (delivery: (typeof deliveries)[number]) => string) => {
      const counts = new Map<string, number>();
      for (const each of deliveries) counts.set(idOf(each), (counts.get(idOf(each)) ?? 0) + 1);
      return counts;
    };
    return {
      total: deliveries.length,
      ofOrganizations: count(({ webhook }) => webhook.organizationId),
      ofWebhooks: count(({ webhook }) => webhook.id),
    };
  } finally {
    await transaction.rollback();
  }
}

/** Other tests of this file share the database: nothing of theirs is due. */
test.beforeEach(async ({ app }) => {
  await app.api.database('webhook_deliveries').delete();
});

test('organizations get equal parts of the slots, whatever number of webhooks and deliveries each has', async ({
  app,
}) => {
  const { database } = app.api;
  const greedy = await vendorWith(
    database,
    Array.from({ length: 50 }, () => 40),
  );
  const middle = await vendorWith(database, [30]);
  const small = await vendorWith(database, [1]);
  const { ofOrganizations } = await claimed(app, { free: 30 });
  expect(Object.fromEntries(ofOrganizations)).toEqual({
    [greedy.organizationId]: 10,
    [middle.organizationId]: 10,
    [small.organizationId]: 1,
  });
});

test('a slot goes to an organization of which nothing runs before one that has calls, and to a webhook likewise', async ({
  app,
}) => {
  const { database } = app.api;
  const busy = await vendorWith(database, [100, 100]);
  const other = await vendorWith(database, [100, 100]);
  const [first = '', second = ''] = other.webhookIds;
  for (let round = 0; round < 8; round += 1) {
    const ofOrganizations = new Map([[busy.organizationId, 1]]);
    const { ofWebhooks } = await claimed(app, {
      free: 1,
      ofOrganizations,
      ofWebhooks: new Map([[first, 1]]),
    });
    expect([...ofWebhooks.keys()]).toEqual([second]);
  }
});

test('every webhook of a backlog that never ends has its turn', async ({ app }) => {
  const { webhookIds } = await vendorWith(
    app.api.database,
    Array.from({ length: 12 }, () => 5),
  );
  const served = new Set<string>();
  for (let turns = 0; turns < 2_000 && served.size < webhookIds.length; turns += 1)
    for (const id of (await claimed(app, { free: 1 })).ofWebhooks.keys()) served.add(id);
  expect(served.size).toBe(webhookIds.length);
});

test('no claim exceeds the slots of the worker, of an organization or of a webhook, and each takes what may be called', async ({
  app,
}) => {
  const { database } = app.api;
  const random = new Random(7);
  const vendors = [];
  for (let index = 0; index < 6; index += 1)
    vendors.push(
      await vendorWith(
        database,
        Array.from({ length: random.between(1, 5) }, () => random.between(0, 11)),
      ),
    );
  for (let round = 0; round < 40; round += 1) {
    const limits = {
      free: random.between(1, 40),
      maxOfOrganization: random.between(1, 12),
      maxOfWebhook: random.between(1, 5),
    };
    const running = (ids: readonly string[], most: number) =>
      new Map(ids.filter(() => random.chance(0.5)).map((id) => [id, random.between(0, most)]));
    const ofOrganizations = running(
      vendors.map(({ organizationId }) => organizationId),
      limits.maxOfOrganization,
    );
    const ofWebhooks = running(
      vendors.flatMap(({ webhookIds }) => webhookIds),
      limits.maxOfWebhook,
    );
    const taken = await claimed(app, { ...limits, ofOrganizations, ofWebhooks });
    expect(taken.total).toBeLessThanOrEqual(limits.free);
    for (const [id, calls] of taken.ofOrganizations)
      expect(calls + (ofOrganizations.get(id) ?? 0)).toBeLessThanOrEqual(limits.maxOfOrganization);
    for (const [id, calls] of taken.ofWebhooks)
      expect(calls + (ofWebhooks.get(id) ?? 0)).toBeLessThanOrEqual(limits.maxOfWebhook);
    const open = await database('webhook_deliveries').distinct<
      { organizationId: string; webhookId: string }[]
    >('organizationId', 'webhookId');
    const isOpen = open.some(
      (each) =>
        (ofOrganizations.get(each.organizationId) ?? 0) < limits.maxOfOrganization &&
        (ofWebhooks.get(each.webhookId) ?? 0) < limits.maxOfWebhook,
    );
    expect(taken.total > 0).toBe(isOpen);
  }
});

test('a delivery that was claimed is due again when its lease has ended, and not before', async ({ app }) => {
  const { database } = app.api;
  await vendorWith(database, [3]);
  const take = async () =>
    (await claimDeliveries(database, { ...ROOM, ...NOTHING_RUNS }, AREAS)).deliveries.length;
  expect(await take()).toBe(3);
  await makeDeliveries(database);
  expect(await take()).toBe(0);
  await database('webhook_deliveries').update({ dueAt: new Date(0) });
  await makeDeliveries(database);
  expect(await take()).toBe(3);
});

test('the changes of one webhook get their deliveries however many webhooks of another organization are behind', async ({
  app,
}) => {
  const { database } = app.api;
  const greedy = await vendorWith(database, [0]);
  const small = await vendorWith(database, [0]);
  const behind = (id: string, webhookId: string, count: number) =>
    database.raw(
      'insert into webhooks_behind (organization_id, webhook_id) select ?, ? from generate_series(1, ?)',
      [...[id, webhookId, count]],
    );
  await behind(greedy.organizationId, greedy.webhookIds[0] ?? '', 5_000);
  await behind(small.organizationId, small.webhookIds[0] ?? '', 1);
  expect(await makeDeliveries(database)).toBe(true);
  expect(await database('webhooks_behind').where({ organizationId: small.organizationId })).toEqual([]);
  while (await makeDeliveries(database));
  expect(await database('webhooks_behind')).toEqual([]);
});

test('deliveries that end without a call leave room for the changes that wait for it', async ({ app }) => {
  const { database } = app.api;
  const { moduleId, organizationId, webhookIds } = await vendorWith(database, [0]);
  const [webhookId = ''] = webhookIds;
  // Their changes are not kept any more.
  await database.raw(
    `insert into webhook_deliveries (webhook_id, event_id, organization_id, position)
     select ?, gen_random_uuid(), ?, -number from generate_series(1, ?) number`,
    [webhookId, organizationId, MAX_PENDING],
  );
  await makeChanges(app, moduleId, 3);
  await sequenceChanges(database);
  while (await makeDeliveries(database));
  const claim = () => claimDeliveries(database, { ...ROOM, ...NOTHING_RUNS }, AREAS);
  while ((await claim()).isFound);
  expect(await database('webhook_deliveries').where({ webhookId })).toEqual([]);
  while (await makeDeliveries(database));
  expect((await claim()).deliveries).toHaveLength(3);
});

const IDLE_WEBHOOKS = 20_000;
const IDLE = `
  insert into webhooks (id, organization_id, module_id, url, public_key, sealed_keys, position, created_by)
  select gen_random_uuid(), :organizationId, :moduleId, '', '', '', 0, '' from generate_series(1, ${IDLE_WEBHOOKS});
  insert into webhook_deliveries (webhook_id, event_id, organization_id, is_due, due_at)
  select id, gen_random_uuid(), :organizationId, false, now() + interval '1 hour' from webhooks
  where organization_id = :organizationId`;

test('what a worker reads to make and to claim deliveries follows from what is due, not from 20,000 idle webhooks', async ({
  app,
}) => {
  const { database } = app.api;
  const { organizationId, moduleId } = await vendorWith(database, [0]);
  const transaction = await database.transaction();
  // Foreign keys are not checked row by row: that takes most of the time.
  await transaction.raw('set local session_replication_role = replica');
  await transaction.raw('set local statement_timeout = 0');
  await runAll(transaction, IDLE, { organizationId, moduleId });
  await transaction.commit();
  await database.raw('vacuum analyze webhooks, webhook_deliveries');
  await vendorWith(database, [20, 20]);
  const plans = await planStatements(database, async (planned) => {
    await makeDeliveries(planned);
    await claimDeliveries(planned, { ...ROOM, ...NOTHING_RUNS }, AREAS);
  });
  expect(plans).toHaveLength(2);
  for (const { sql, steps, rowsRead } of plans) {
    expect(steps).not.toContain('Seq Scan of webhook_deliveries');
    // Some rows for each of the 40 deliveries, and of tables that are empty here.
    expect(rowsRead, [sql, ...steps].join('\n')).toBeLessThanOrEqual(10 * 40);
  }
});

test('tests of a webhook whose deliveries wait are refused when there are 10,000', async ({ app }) => {
  const { database } = app.api;
  const vendor = await app.organization();
  const webhook = { webhookId: randomUUID(), moduleId: randomUUID(), organizationId: vendor.id };
  await database('modules').insert({
    ...{ id: webhook.moduleId, organizationId: vendor.id, tenantId: vendor.tenantId },
    ...{ currentRevision: 1, newestRevision: 1 },
  });
  await runAll(database, WEBHOOK, { ...webhook, due: 9_999 });
  const send = () => app.as(vendor).post(`/webhooks/${webhook.moduleId}/${webhook.webhookId}/test`);
  expect((await send()).status).toBe(202);
  const refused = await send();
  expect(refused).toMatchObject({ status: 409, body: { type: '/problems/quota-exceeded' } });
});

test('an organization has no more webhooks than the quota allows, also when they are registered for many modules at once', async ({
  app,
}) => {
  const vendor = await app.organization();
  const moduleIds = [randomUUID(), randomUUID()];
  for (const moduleId of moduleIds)
    await app.api.database('modules').insert({
      ...{ id: moduleId, organizationId: vendor.id, tenantId: vendor.tenantId },
      ...{ currentRevision: 1, newestRevision: 1 },
    });
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      app.as(vendor).post(`/webhooks/${moduleIds[index % 2] ?? ''}`, { url: 'https://hooks.example.com/' }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 201),
    ...Array.from({ length: 12 }, () => 409),
  ]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    type: '/problems/quota-exceeded',
  });
  expect(await app.api.database('webhooks').where({ organizationId: vendor.id })).toHaveLength(4);
});
