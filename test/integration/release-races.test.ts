import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { installModule } from '../../api/installations/install-module.ts';
import { deleteInstallation } from '../../shared/db/access/installations.ts';
import { openDatabase, type Database } from '../../shared/db/database.ts';
import { deleteModule } from '../../shared/db/modules/delete-module.ts';
import type { ModuleKey } from '../../shared/db/modules/models.ts';
import { releaseRevision } from '../../shared/registration/releases.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { holdTransaction } from '../support/held-lock.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { install } from '../support/machine-access.ts';
import { definition } from '../support/rule-market.ts';
import { startReleaseMarket, type ReleaseMarket } from '../support/release-market.ts';

const ROUNDS = 5;

let market: ReleaseMarket;

beforeAll(async () => {
  market = await startReleaseMarket();
});

afterAll(() => market.app.stop());

/** A pool whose statements wait for locks; those of the API are undone and run again. */
function waitingDatabase(): Database {
  const database = openDatabase({ url: market.app.environment['DATABASE_URL'] ?? '', poolSize: 2 });
  onTestFinished(() => database.destroy());
  return database;
}

/** The rows of a module and of its current revision. */
async function stateOf(moduleId: string) {
  const { database } = market.app.api;
  const { rows } = await database.raw<{ rows: { current: number; newest: number; exists: boolean }[] }>(
    `select m.current_revision as current, m.newest_revision as newest,
       exists (select from module_revisions r where r.module_id = m.id and r.revision = m.current_revision) as exists
     from modules m where m.id = ?`,
    [moduleId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('there is no such module');
  return row;
}

test('an import and a release at once: the later one decides, and no number is given twice', async () => {
  const moduleId = await market.importNext();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = (await stateOf(moduleId)).newest;
    const [imported, released] = await Promise.all([market.next(moduleId), market.release(moduleId, 1)]);
    expect([imported.body.revision, released.status]).toEqual([before + 1, 200]);
    const after = await stateOf(moduleId);
    expect([1, before + 1]).toContain(after.current);
    expect(after).toMatchObject({ newest: before + 1, exists: true });
  }
});

test('releases and installations at once: each installation was offered a revision that was visible', async () => {
  const { vendor, app } = market;
  const moduleId = await market.importNext();
  await market.stage(moduleId);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const farmers = await Promise.all([1, 2, 3].map(() => market.newFarmer()));
    const revision = 1 + (round % 2);
    const installs = farmers.map((farmer) => app.as(farmer).put(`/installations/${moduleId}`));
    const [released, ...installed] = await Promise.all([market.release(moduleId, revision), ...installs]);
    expect(released.status).toBe(200);
    for (const { status, body } of installed) {
      expect(status).toBe(201);
      expect([1, 2]).toContain(body.revision);
    }
  }
  expect((await app.as(vendor).get(`/modules/${moduleId}/releases`)).status).toBe(200);
});

test('a release and a withdrawal at once: both happen, and nothing is installed afterwards', async () => {
  const { vendor, app } = market;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const moduleId = await market.importNext();
    await market.stage(moduleId);
    const withdrawing = app.as(vendor).post(`/modules/${moduleId}/withdraw`, { reason: 'Old.' });
    const answers = await Promise.all([market.release(moduleId, 2), withdrawing]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { body } = await app.as(vendor).get(`/modules/${moduleId}/releases`);
    expect(body).toMatchObject({ currentRevision: 2, withdrawal: { reason: 'Old.' } });
    expect((await app.as(market.farmer).put(`/installations/${moduleId}`)).status).toBe(409);
  }
});

test('a decision about access that meets an uninstallation does not install a withdrawn module anew', async () => {
  const { vendor, farmer, app } = market;
  const moduleId = await market.importNext();
  await install(app, farmer, moduleId);
  await app.as(vendor).post(`/modules/${moduleId}/withdraw`, { reason: 'Old.' });
  const key = { organizationId: farmer.id, moduleId };
  const holding = await holdTransaction(app.api.database);
  expect(await deleteInstallation(holding, key, FIXTURE_ACTOR)).toBe(true);
  const narrowed = { dataAreaIds: [], terms: null, offerTags: [] };
  const narrowing = installModule(waitingDatabase(), key, narrowed, { ...FIXTURE_ACTOR, max: 10 });
  await expect.poll(() => lockWaits(app)).toBeGreaterThan(0);
  await holding.commit();
  expect(await narrowing).toEqual({ outcome: 'withdrawn', reason: 'Old.' });
});

/** Locks the rules and the installation of a farmer as a batch of alerts does. */
async function lockRules(transaction: Database, organizationId: string, moduleId: string): Promise<void> {
  await transaction.raw(
    `select from alert_rules r join installations i on i.organization_id = r.organization_id and i.module_id = r.module_id
     where r.organization_id = ? and r.module_id = ? for no key update of r, i`,
    [organizationId, moduleId],
  );
}

const RING_OF_ALL = { revision: 2, ring: { organizationIds: [], percent: 100 }, isFirstReviewed: false };

test.each([
  [
    'a release',
    (database: Database, key: ModuleKey) => releaseRevision(database, key, RING_OF_ALL, FIXTURE_ACTOR),
  ],
  ['a deletion', (database: Database, key: ModuleKey) => deleteModule(database, key, FIXTURE_ACTOR)],
])('%s of a module waits for a batch of alerts over several farmers, and both finish', async (_what, act) => {
  const { vendor, app } = market;
  const moduleId = await market.importNext();
  const farmers = [await market.newFarmer(), await market.newFarmer()];
  const [first = '', second = ''] = farmers.map(({ id }) => id).toSorted();
  const values = { operator: 'gt', value: 55 };
  // Their rows are in the table in the other order, in which a plan without an index reads them.
  for (const farmer of farmers.toSorted((a, b) => (a.id < b.id ? 1 : -1))) {
    await install(app, farmer, moduleId);
    await app.as(farmer).post('/alertRules', { moduleId, criteria: 'temperature', values });
  }
  await app.api.database.raw('analyze installations');
  await market.stage(moduleId);
  const waiting = waitingDatabase();
  const raising = await holdTransaction(waiting);
  await lockRules(raising, first, moduleId);
  const acting = act(waiting, { organizationId: vendor.id, moduleId });
  await expect.poll(() => lockWaits(app)).toBeGreaterThan(0);
  await lockRules(raising, second, moduleId);
  await raising.commit();
  expect(['released', true]).toContain(await acting);
});

test('a roll-back to a revision that is being deleted: one of them is refused', async () => {
  const { vendor, app } = market;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const moduleId = await market.importNext();
    await market.next(moduleId);
    const deleting = app.as(vendor).delete(`/modules/${moduleId}/revisions/1`);
    const [released, deleted] = await Promise.all([market.release(moduleId, 1), deleting]);
    expect([`${released.status} ${deleted.status}`]).toEqual([expect.stringMatching(/^(200 409|404 204)$/)]);
    expect((await stateOf(moduleId)).exists).toBe(true);
  }
});

test('previewers who are named while their revision is deleted see a revision that is there', async () => {
  const { vendor, farmer, app } = market;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const moduleId = await market.importNext();
    await market.stage(moduleId);
    const deleting = app.as(vendor).delete(`/modules/${moduleId}/revisions/2`);
    const [named, deleted] = await Promise.all([market.preview(moduleId, 2, [farmer.id]), deleting]);
    expect([`${named.status} ${deleted.status}`]).toEqual([expect.stringMatching(/^(200 409|404 204)$/)]);
    expect(await market.seenBy(farmer, moduleId)).toBe(named.status === 200 ? 2 : 1);
  }
});

test('a quarantine while files are read: each answer is whole or refused, and later ones are refused', async () => {
  const { vendor, app } = market;
  const moduleId = await market.importNext();
  const read = () => app.as(vendor).get(`/modules/${moduleId}/files/ModuleToS/terms.md`);
  const running = Array.from({ length: 20 }, read);
  const stopped = app
    .as('operator')
    .post(`/operations/modules/${moduleId}/quarantine`, { reason: 'It is bad.' });
  const answers = await Promise.all([...running, ...Array.from({ length: 20 }, read)]);
  for (const { status, text } of answers) {
    expect([200, 403]).toContain(status);
    if (status === 200) expect(text).toBe('# Terms\n');
  }
  expect((await stopped).status).toBe(200);
  expect((await read()).status).toBe(403);
});

test('rules follow what their organization sees: preview, ring, release and roll-back', async () => {
  const { app, farmer, other } = market;
  const moduleId = await market.importNext();
  for (const each of [farmer, other]) await install(app, each, moduleId);
  const rule = { moduleId, criteria: 'temperature', values: { operator: 'gt', value: 55 } };
  const rules = await Promise.all(
    [farmer, other].map(async (each) => ({
      farmer: each,
      id: String((await app.as(each).post('/alertRules', rule)).body.id),
    })),
  );
  const statuses = () =>
    Promise.all(
      rules.map(async (each) => {
        const { body } = await app.as(each.farmer).get(`/alertRules/${each.id}`);
        return `${String(body.status)} ${String(body.definitionRevision)}`;
      }),
    );
  await market.stage(moduleId, {}, definition(40, 'temperature'));
  expect(await statuses()).toEqual(['active 1', 'active 1']);
  await market.preview(moduleId, 2, [farmer.id]);
  expect(await statuses()).toEqual(['outdated 2', 'active 1']);
  await market.release(moduleId, 2, { organizationIds: [other.id] });
  expect(await statuses()).toEqual(['active 1', 'outdated 2']);
  await market.release(moduleId, 2);
  expect(await statuses()).toEqual(['outdated 2', 'outdated 2']);
  await market.release(moduleId, 1);
  expect(await statuses()).toEqual(['active 1', 'active 1']);
});
