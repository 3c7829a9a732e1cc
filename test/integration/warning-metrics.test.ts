import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { sequenceChanges } from '../../shared/db/changes/change-sequencer.ts';
import { countExpiringKeys } from '../../shared/db/access/api-keys.ts';
import { readBacklog } from '../../shared/db/imports/unfinished-imports.ts';
import { readUndelivered } from '../../shared/db/webhooks/undelivered.ts';
import { makeModule } from '../support/machine-access.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import { LOOPBACK_WEBHOOKS, makeChanges, makeWebhook } from '../support/webhook-module.ts';
import { withWorker } from '../support/with-worker.ts';

const test = serviceTest({ settings: LOOPBACK_WEBHOOKS, worker: false });

const DAY_MS = 86_400_000;
const PAGE = readFileSync('docs/operators.md', 'utf8');

test('an event waits until a worker calls its webhook, but not while the webhook is paused or its vendor suspended', async ({
  app,
}) => {
  const { database } = app.api;
  const vendor = await app.organization();
  const { moduleId } = await withWorker(app, () => makeModule(app, vendor));
  const { path } = await makeWebhook(app, vendor, 'http://127.0.0.1:9/', {}, moduleId);
  expect(await readUndelivered(database)).toMatchObject({
    oldestWaitingSeconds: 0,
    longestFailingSeconds: 0,
  });
  await makeChanges(app, moduleId, 1);
  await sequenceChanges(database);
  await database('changes').update({ at: new Date(Date.now() - DAY_MS) });
  const isLate = async () => (await readUndelivered(database)).oldestWaitingSeconds >= DAY_MS / 1_000;
  expect(await isLate()).toBe(true);
  await app.as(vendor).patch(path, { status: 'paused' });
  expect(await isLate()).toBe(false);
  await app.as(vendor).patch(path, { status: 'enabled' });
  expect(await isLate()).toBe(true);
  const suspension = `/operations/organizations/${vendor.id}/suspension`;
  await app.as('operator').put(suspension, { reason: 'It is investigated.', farmersKeepAccess: true });
  expect(await isLate()).toBe(false);
});

test('the query of KEDA counts the queued imports of the backlog, which are not those of suspended organizations', async ({
  app,
}) => {
  const { database } = app.api;
  const [, block = ''] = /^```yaml\n(apiVersion: keda.*?)^```$/ms.exec(PAGE) ?? [];
  const [, scaled] = parseAllDocuments(block);
  const query = String(scaled?.getIn(['spec', 'triggers', 0, 'metadata', 'query']));
  const queuedNow = async () => {
    const { rows } = await database.raw<{ rows: { count: number }[] }>(query);
    return [(await readBacklog(database)).queued, ...rows.map(({ count }) => count)];
  };
  const vendors = [await app.organization(), await app.organization()] as const;
  const headers = { Prefer: 'respond-async' };
  for (const vendor of vendors)
    await app.importPackage(vendor, samplePackage(app.api.catalogue), { headers });
  expect(await queuedNow()).toEqual([2, 2]);
  const suspension = `/operations/organizations/${vendors[0].id}/suspension`;
  await app.as('operator').put(suspension, { reason: 'It is investigated.', farmersKeepAccess: true });
  expect(await queuedNow()).toEqual([1, 1]);
});

test('a key is a warning that is in use, expires within three days, and was not rotated, and the query of the page lists it', async ({
  app,
  vendor,
}) => {
  const { database } = app.api;
  const { moduleId } = await withWorker(app, () => makeModule(app, vendor));
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  const register = async (days: number, lastUsedAt: string | null) => {
    const { body } = await app.as(vendor).post(`/registerApiClient/${moduleId}`, { expiresOn: inDays(days) });
    const clientId = String(body.clientId);
    await database('api_keys').where({ clientId }).update({ lastUsedAt });
    return clientId;
  };
  const [, query = ''] =
    /^```sql\n(select organization_id, module_id, client_name.*?)^```$/ms.exec(PAGE) ?? [];
  const expiringNow = async () => {
    const { rows } = await database.raw<{ rows: { moduleId: string }[] }>(query);
    return [await countExpiringKeys(database), ...rows.map((row) => row.moduleId)];
  };
  await register(2, null);
  await register(2, inDays(-8));
  await register(4, inDays(-1));
  expect(await expiringNow()).toEqual([0]);
  const clientId = await register(2, inDays(-1));
  expect(await expiringNow()).toEqual([1, moduleId]);
  await app.as(vendor).post(`/apiClients/${moduleId}/${clientId}/rotate`, { overlapSeconds: 86_400 });
  expect(await expiringNow()).toEqual([0]);
});
