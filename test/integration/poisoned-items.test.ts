import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { noteKeyUses } from '../../shared/db/access/api-keys.ts';
import { clearOrganizations } from '../../worker/maintenance/clear-organizations.ts';
import { IMPORTS_CHANNEL } from '../../shared/db/imports/imports.ts';
import { ImportModel } from '../../shared/db/imports/models.ts';
import { reseal } from '../../shared/db/reseal.ts';
import { EncryptionKeys } from '../../shared/encryption/encryption-keys.ts';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { sweepImports } from '../../worker/maintenance/sweep-imports.ts';
import { holdLock, holdTransaction } from '../support/held-lock.ts';
import { contextOf, openActor, storeImport, type Actor } from '../support/import-actors.ts';
import { importSample } from '../support/import-sample.ts';
import { lockedCalls } from '../support/lock-waits.ts';
import { makeAlertSource, makeModule, sampleAlert } from '../support/machine-access.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { LOOPBACK_WEBHOOKS, makeChanges, makeWebhook } from '../support/webhook-module.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

let app: TestApp;
let vendor: TestOrganization;
let actor: Actor;

beforeAll(async () => {
  app = await startTestApp({ worker: false, settings: LOOPBACK_WEBHOOKS });
  vendor = await app.organization();
  actor = openActor(app);
});

afterAll(async () => {
  await actor.database.destroy();
  await app.stop();
});

async function withWorker<Result>(make: () => Promise<Result>): Promise<Result> {
  const worker = await app.startWorker();
  return make().finally(() => worker.stop());
}

/** The IDs of imports whose uploads are no longer kept, in the order in which they are removed. */
async function cancelledImports(count: number): Promise<readonly string[]> {
  const imports = await Promise.all(Array.from({ length: count }, () => storeImport(app, vendor)));
  const ids = imports.map(({ importId }) => importId).toSorted();
  await ImportModel.query(app.api.database)
    .findByIds(ids)
    .patch({ status: 'cancelled', finishedAt: new Date() });
  return ids;
}

async function storedOf(importIds: readonly string[]): Promise<readonly string[]> {
  const stored: string[] = [];
  for await (const { key } of app.api.storage.list('packages/'))
    stored.push(...importIds.filter((id) => key.endsWith(id)));
  return stored;
}

async function countedOf(importIds: readonly string[]): Promise<readonly string[]> {
  const rows = await app.api.database('stored_archives').select<{ archiveKey: string }[]>('archiveKey');
  return importIds.filter((id) => rows.some(({ archiveKey }) => archiveKey.endsWith(id)));
}

/** What is done in batches: its test puts one bad item at the head, and expects the others to be done, also the next time. */
const BATCHES: Readonly<Record<string, () => Promise<void>>> = {
  async 'a collection removes objects beside one that cannot be removed, which keeps counting'() {
    const ids = await cancelledImports(4);
    const [poisoned = '', ...others] = ids;
    const { storage } = app.api;
    const real = storage.remove.bind(storage);
    vi.spyOn(storage, 'remove').mockImplementation(async (key) => {
      if (key.endsWith(poisoned)) throw new Error('the object is under legal hold');
      await real(key);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    await collectGarbage(app.api);
    expect([await storedOf(ids), await countedOf(ids)]).toEqual([[poisoned], [poisoned]]);
    const later = await cancelledImports(1);
    await collectGarbage(app.api);
    expect(await storedOf([...others, ...later])).toEqual([]);
  },

  async 'a collection frees uploads beside one whose import is locked'() {
    const ids = await cancelledImports(3);
    const [locked = '', ...others] = ids;
    const held = await holdLock(app, 'select from imports where id = $1 for update', [locked]);
    await collectGarbage(app.api);
    expect(await storedOf(others)).toEqual([]);
    await held.release();
    await collectGarbage(app.api);
    expect(await storedOf(ids)).toEqual([]);
  },

  async 'the sweep requeues imports beside one whose job cannot be read'() {
    const [first, second] = [await storeImport(app, vendor), await storeImport(app, vendor)];
    const context = contextOf(app, actor);
    const { queue } = context;
    const jobState = queue.jobState.bind(queue);
    vi.spyOn(queue, 'jobState').mockImplementation(async (job) => {
      if ('importId' in job && job.importId === first.importId) throw new Error('the job is damaged');
      return jobState(job);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await sweepImports(context, -1_000)).toBeGreaterThan(0);
    expect(await jobState({ importId: second.importId, retries: 0 })).not.toBe('unknown');
  },

  async 'deleted organizations are cleared beside one that cannot be'() {
    const { database } = app.api;
    const [first, second] = [await app.organization(), await app.organization()];
    await storeImport(app, first);
    await storeImport(app, second);
    for (const { id } of [first, second])
      expect((await app.as('operator').delete(`/organizations/${id}`)).status).toBe(204);
    await database.raw(`
      create function poisoned() returns trigger language plpgsql as $$ begin raise 'damaged'; end $$;
      create trigger poisoned before update on imports for each row
        when (new.organization_id = '${first.id}') execute function poisoned();`);
    await expect(clearOrganizations(app.api, 0)).rejects.toThrow('1 deleted organizations');
    const { clearedAt } = await database('organizations')
      .where({ id: second.id })
      .first<{ clearedAt: Date | null }>();
    expect(clearedAt).not.toBeNull();
    await database.raw('drop trigger poisoned on imports');
  },

  async 'values are encrypted anew beside one that no key decrypts, which is reported'() {
    const { database } = app.api;
    const [lost, module] = await withWorker(async () => [
      await importSample(app, vendor),
      await importSample(app, vendor),
    ]);
    const oldKey = { id: randomUUID(), key: randomBytes(32) };
    const sealed = new EncryptionKeys([oldKey]).sealJson([], `environment of module ${lost}`);
    await database('module_revisions').where({ moduleId: lost }).update({ environment: sealed });
    const own = app.api.encryptionKeys;
    const before = await database('module_revisions')
      .where({ moduleId: module })
      .first<{ environment: Buffer }>();
    const resealed = await reseal(database, rotated(own));
    expect(resealed.unreadable).toContain(`environment of module ${lost}`);
    const after = await database('module_revisions')
      .where({ moduleId: module })
      .first<{ environment: Buffer }>();
    expect(after.environment.equals(before.environment)).toBe(false);
    expect((await reseal(database, own)).unreadable).toContain(`environment of module ${lost}`);
  },

  async 'webhooks are called beside one whose signing keys no key decrypts: that one is disabled'() {
    const { database } = app.api;
    const receiver = await startReceiver();
    const worker = await app.startWorker();
    onTestFinished(() => worker.stop());
    const lost = await makeWebhook(app, vendor, receiver.url);
    const webhook = await makeWebhook(app, vendor, receiver.url);
    const sealed = new EncryptionKeys([{ id: randomUUID(), key: randomBytes(32) }]).sealJson({}, 'x');
    await database('webhooks').where({ id: lost.id }).update({ sealedKeys: sealed });
    await makeChanges(app, lost.moduleId, 1);
    await makeChanges(app, webhook.moduleId, 2);
    await expect.poll(() => receiver.calls.length).toBe(2);
    const stateOfLost = async () => (await app.as(vendor).get(lost.path)).body as object;
    await expect.poll(stateOfLost).toMatchObject({ status: 'disabled', disabledReason: 'key-missing' });
  },

  async 'those who wait are notified beside messages that nothing sends'() {
    const { importId } = await storeImport(app, vendor);
    const ended = app.api.imports.waiter.ended(importId, 60_000, new AbortController().signal);
    const { database } = app.api;
    await ImportModel.query(database).findById(importId).patch({ status: 'succeeded', outcome: 'unchanged' });
    const halfAnEnd = JSON.stringify({ id: importId, status: 'succeeded' });
    for (const message of ['', 'not an ID', '{not JSON', '{"id":null}', halfAnEnd, importId])
      await database.raw('select pg_notify(?, ?)', [IMPORTS_CHANNEL.name, message]);
    expect(await ended).toMatchObject({ id: importId });
  },

  async 'uses of keys are noted beside a key that is gone'() {
    const { database } = app.api;
    const { moduleId } = await withWorker(() => makeModule(app, vendor));
    const { id } = await database('api_keys').where({ moduleId }).first<{ id: string }>('id');
    await noteKeyUses(database, new Map([randomUUID(), id, randomUUID()].map((each) => [each, new Date()])));
    expect(await database('api_keys').where({ id }).whereNotNull('lastUsedAt').select('id')).toHaveLength(1);
  },

  async 'alerts are raised beside one whose rule is deleted while the batch waits'() {
    const source = await withWorker(() => makeAlertSource(app));
    const { module, farmer, ruleId } = source;
    const other = await app.as(farmer).post('/alertRules', {
      moduleId: module.moduleId,
      ...{ criteria: 'temperature', values: { operator: 'gt', value: 3 }, name: 'other' },
    });
    expect(other.status, other.text).toBe(201);
    const held = await holdTransaction(app.api.database);
    await held('alert_rules').where({ id: ruleId }).delete();
    const alerts = [sampleAlert(source), sampleAlert({ ...source, ruleId: String(other.body.id) })];
    const raised = app.as(module).post('/AlertsByModuleId?partial=true', { alerts });
    await expect.poll(() => lockedCalls(app)).toBe(1);
    await held.commit();
    const answer = await raised;
    expect(answer.status, answer.text).toBe(200);
    const [poisoned, good] = answer.body.results as readonly { outcome?: string; problem?: object }[];
    expect([poisoned?.problem, good?.outcome]).toEqual([expect.anything(), 'created']);
  },
};

/** Keys of which the first is new. */
function rotated(keys: EncryptionKeys): EncryptionKeys {
  const added = new EncryptionKeys([{ id: randomUUID(), key: randomBytes(32) }]);
  vi.spyOn(added, 'open').mockImplementation((sealed, owner) => keys.open(sealed, owner));
  return added;
}

test.each(Object.entries(BATCHES))('%s', (_name, run) => run());
