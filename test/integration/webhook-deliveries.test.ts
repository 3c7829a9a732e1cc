import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { sequenceChanges } from '../../shared/db/changes/change-sequencer.ts';
import { createWebhook } from '../../shared/db/webhooks/webhooks.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { holdTransaction } from '../support/held-lock.ts';
import { importSample } from '../support/import-sample.ts';
import { lockedCalls } from '../support/lock-waits.ts';
import { install, makeModule } from '../support/machine-access.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import { LOOPBACK_WEBHOOKS, makeChanges, makeWebhook } from '../support/webhook-module.ts';
import { numbersOf, startReceiver } from '../support/webhook-receiver.ts';

const test = serviceTest({ settings: LOOPBACK_WEBHOOKS });

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);
type Members = Readonly<Record<string, unknown>>;

async function attemptsOf(app: TestApp, vendor: TestOrganization, path: string): Promise<readonly Members[]> {
  const { body } = await app.as(vendor).get(`${path}/attempts`);
  return body.items as Members[];
}

/** The ID of the call that delivered an event, as soon as it is recorded. */
async function attemptOf(
  app: TestApp,
  vendor: TestOrganization,
  path: string,
  eventId: string,
): Promise<string> {
  const find = async () => (await attemptsOf(app, vendor, path)).find((each) => each['eventId'] === eventId);
  await expect.poll(find).toBeDefined();
  return String((await find())?.['id']);
}

async function webhookAt(app: TestApp, vendor: TestOrganization, path: string): Promise<Members> {
  return (await app.as(vendor).get(path)).body as Members;
}

const ascending = (a: number, b: number) => a - b;

test('each change is delivered once, signed so that the library of npm accepts it', async ({
  app,
  vendor,
}) => {
  const receiver = await startReceiver();
  const { moduleId, secret } = await makeWebhook(app, vendor, receiver.url);
  await makeChanges(app, moduleId, 50);
  await expect.poll(() => receiver.calls.length).toBe(50);
  expect(numbersOf(receiver.calls).toSorted(ascending)).toEqual(upTo(50));
  for (const { headers, body, id } of receiver.calls) {
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'installation.changed', data: { id, organizationId: null } });
    expect(headers).toMatchObject({ 'content-type': 'application/json' });
  }
});

test('what changed before the webhook was registered, and other types, are not delivered', async ({
  app,
  vendor,
}) => {
  const receiver = await startReceiver();
  const { moduleId } = await makeWebhook(app, vendor, receiver.url);
  await makeChanges(app, moduleId, 3);
  await expect.poll(() => receiver.calls.length).toBe(3);
  const later = await startReceiver();
  await makeWebhook(app, vendor, later.url, { types: ['installation.removed'] }, moduleId);
  await makeChanges(app, moduleId, 1);
  await makeChanges(app, moduleId, 1, { type: 'installation.removed' });
  await expect.poll(() => later.calls.length).toBe(1);
  expect(JSON.parse(later.calls[0]?.body ?? '')).toMatchObject({ type: 'installation.removed' });
});

test('a change that is recorded while a webhook is being registered is delivered', async ({
  app,
  vendor,
}) => {
  const { database, encryptionKeys } = app.api;
  const receiver = await startReceiver();
  const key = { organizationId: vendor.id, moduleId: await importSample(app, vendor) };
  await sequenceChanges(database);
  const registering = await holdTransaction(database);
  const settings = { url: receiver.url, types: null, description: null };
  const actor = { ...FIXTURE_ACTOR, max: { module: 1, organization: 100 } };
  await createWebhook(registering, encryptionKeys, key, settings, actor);
  await makeChanges(app, key.moduleId, 1);
  const sequencing = sequenceChanges(database);
  await expect.poll(() => lockedCalls(app)).toBeGreaterThan(0);
  await registering.commit();
  await sequencing;
  await expect.poll(() => numbersOf(receiver.calls)).toEqual([0]);
});

test('a call that fails is repeated with the same ID and a new signature; each attempt is listed', async ({
  app,
  vendor,
}) => {
  const answers = [500, 302, 204];
  const receiver = await startReceiver((_call, response) => {
    response.writeHead(answers[receiver.calls.length - 1] ?? 204, { Location: 'http://127.0.0.1:1/' }).end();
  });
  const { moduleId, path, id: webhookId } = await makeWebhook(app, vendor, receiver.url);
  await makeChanges(app, moduleId, 1);
  for (const count of [1, 2, 3]) {
    await expect.poll(() => receiver.calls.length).toBe(count);
    await expect.poll(async () => (await attemptsOf(app, vendor, path)).length).toBe(count);
    await app.api
      .database('webhook_deliveries')
      .where({ webhookId })
      .update({ dueAt: new Date(0) });
  }
  expect(new Set(receiver.calls.map(({ id }) => id)).size).toBe(1);
  const { items } = (await app.as(vendor).get(`${path}/attempts`)).body as {
    items: { number: number; status: number }[];
  };
  expect(items.map(({ number, status }) => [number, status])).toEqual([
    [3, 204],
    [2, 302],
    [1, 500],
  ]);
  expect(await app.api.database('webhook_deliveries').where({ webhookId })).toEqual([]);
  expect((await app.as(vendor).get(path)).body).toMatchObject({ status: 'enabled', firstFailedAt: null });
});

test('a webhook that answers 410 is disabled, with an entry in the audit log, and gets what waited when it is enabled', async ({
  app,
  vendor,
}) => {
  let status = 410;
  const receiver = await startReceiver((_call, response) => response.writeHead(status).end());
  const { moduleId, path, id } = await makeWebhook(app, vendor, receiver.url);
  await makeChanges(app, moduleId, 1);
  await expect.poll(async () => (await webhookAt(app, vendor, path))['status']).toBe('disabled');
  expect((await app.as(vendor).get(path)).body).toMatchObject({ disabledReason: 'gone' });
  const { items } = (await app.as(vendor).get('/auditLog')).body;
  expect(items[0]).toMatchObject({ actor: 'service', moduleId, details: { webhookId: id, reason: 'gone' } });
  await makeChanges(app, moduleId, 1);
  expect((await app.as(vendor).post(`${path}/test`)).body).toMatchObject({ status: 409 });
  status = 204;
  expect((await app.as(vendor).patch(path, { status: 'enabled' })).body).toMatchObject({
    status: 'enabled',
    disabledReason: null,
    disabledAt: null,
  });
  await expect.poll(() => receiver.calls.length).toBe(3);
  expect(new Set(receiver.calls.map((call) => call.id)).size).toBe(2);
});

test('nothing is sent while a webhook is paused, and nothing is lost', async ({ app, vendor }) => {
  const receiver = await startReceiver();
  const { moduleId, path } = await makeWebhook(app, vendor, receiver.url);
  await app.as(vendor).patch(path, { status: 'paused' });
  await makeChanges(app, moduleId, 5);
  const other = await startReceiver();
  await makeWebhook(app, vendor, other.url, {}, moduleId);
  await makeChanges(app, moduleId, 1);
  await expect.poll(() => other.calls.length).toBeGreaterThan(0);
  expect(receiver.calls).toEqual([]);
  await app.as(vendor).patch(path, { status: 'enabled' });
  await expect.poll(() => receiver.calls.length).toBe(6);
});

test('new types apply also to what happened while a webhook was paused', async ({ app, vendor }) => {
  const receiver = await startReceiver();
  const { moduleId, path } = await makeWebhook(app, vendor, receiver.url, {
    types: ['installation.changed'],
  });
  await app.as(vendor).patch(path, { status: 'paused' });
  await makeChanges(app, moduleId, 1);
  await makeChanges(app, moduleId, 1, { type: 'installation.removed', subject: { revision: 1 } });
  await app.as(vendor).patch(path, { types: ['installation.removed'], status: 'enabled' });
  await makeChanges(app, moduleId, 1, { type: 'installation.removed', subject: { revision: 2 } });
  await expect.poll(() => numbersOf(receiver.calls).toSorted(ascending)).toEqual([1, 2]);
});

test('a receiver that asks for time gets it', async ({ app, vendor }) => {
  const receiver = await startReceiver((_call, response) =>
    response.writeHead(429, { 'Retry-After': '3600' }).end(),
  );
  const { moduleId, id: webhookId } = await makeWebhook(app, vendor, receiver.url);
  await makeChanges(app, moduleId, 1);
  const dueIn = async () => {
    const { rows } = await app.api.database.raw<{ rows: { seconds: number }[] }>(
      'select extract(epoch from due_at - now())::int as seconds from webhook_deliveries where webhook_id = ?',
      [webhookId],
    );
    return rows[0]?.seconds ?? 0;
  };
  await expect.poll(dueIn).toBeGreaterThan(3_500);
});

test('a delivery that has failed for three days is given up, and a webhook after five days is disabled', async ({
  app,
  vendor,
}) => {
  const receiver = await startReceiver((_call, response) => response.writeHead(500).end());
  const { moduleId, path, id } = await makeWebhook(app, vendor, receiver.url);
  const { database } = app.api;
  await makeChanges(app, moduleId, 2);
  await expect.poll(async () => (await attemptsOf(app, vendor, path)).length).toBe(2);
  const [first] = receiver.calls;
  await database.raw(
    "update webhook_deliveries set started_at = now() - interval '3 days', due_at = now() where webhook_id = ? and event_id = ?",
    [id, first?.id ?? ''],
  );
  await expect.poll(() => database('webhook_deliveries').where({ webhookId: id })).toHaveLength(1);
  expect((await app.as(vendor).get(path)).body.status).toBe('enabled');
  await database.raw("update webhooks set failing_since = now() - interval '5 days' where id = ?", [id]);
  await database('webhook_deliveries')
    .where({ webhookId: id })
    .update({ dueAt: new Date(0) });
  await expect.poll(async () => (await webhookAt(app, vendor, path))['disabledReason']).toBe('failing');
  expect(await database('webhook_deliveries').where({ webhookId: id, dueAt: null })).toHaveLength(1);
});

test('a rotation signs with both sets of keys for a while', async ({ app, vendor }) => {
  const receiver = await startReceiver();
  const { moduleId, path, secret, publicKey } = await makeWebhook(app, vendor, receiver.url);
  const { body: rotated } = await app.as(vendor).post(`${path}/rotate`, { overlapSeconds: 60 });
  expect(rotated.secret).not.toBe(secret);
  expect(rotated.publicKey).not.toBe(publicKey);
  await makeChanges(app, moduleId, 1);
  await expect.poll(() => receiver.calls.length).toBe(1);
  const [{ body, headers } = { body: '', headers: {} }] = receiver.calls;
  for (const each of [secret, rotated.secret as string])
    expect(new Webhook(each).verify(body, headers as Record<string, string>)).toBeTruthy();
  await app.as(vendor).post(`${path}/rotate`, { overlapSeconds: 0 });
  await makeChanges(app, moduleId, 1);
  await expect.poll(() => receiver.calls.length).toBe(2);
  const last = receiver.calls[1];
  expect(() =>
    new Webhook(rotated.secret as string).verify(last?.body ?? '', last?.headers as Record<string, string>),
  ).toThrow('No matching signature found');
});

test('another rotation during the overlap keeps the earlier keys, at most those of the last ten rotations', async ({
  app,
  vendor,
}) => {
  const receiver = await startReceiver();
  const { moduleId, path, secret } = await makeWebhook(app, vendor, receiver.url);
  const secrets = [secret];
  const rotate = async (times: number, overlapSeconds = 3_600) => {
    for (let time = 0; time < times; time += 1)
      secrets.push((await app.as(vendor).post(`${path}/rotate`, { overlapSeconds })).body.secret as string);
  };
  /** The secrets whose holders accept the call that delivers the next change. */
  const accepted = async () => {
    const count = receiver.calls.length + 1;
    await makeChanges(app, moduleId, 1);
    await expect.poll(() => receiver.calls.length).toBe(count);
    const { body, headers } = receiver.calls[count - 1] ?? { body: '', headers: {} };
    return secrets.filter((each) => {
      try {
        return new Webhook(each).verify(body, headers as Record<string, string>) !== null;
      } catch {
        return false;
      }
    });
  };
  await rotate(2);
  expect(await accepted()).toEqual(secrets);
  await rotate(9);
  expect(await accepted()).toEqual(secrets.slice(1));
  await rotate(1, 0);
  expect(await accepted()).toEqual(secrets.slice(-1));
});

test('a webhook whose keys were encrypted with a lost key is disabled, says so, and is called when the key is back', async ({
  app,
  vendor,
}) => {
  const { database } = app.api;
  const receiver = await startReceiver();
  const { moduleId, path, id } = await makeWebhook(app, vendor, receiver.url);
  const paused = await makeWebhook(app, vendor, receiver.url, {}, moduleId);
  const rotated = await makeWebhook(app, vendor, receiver.url, {}, moduleId);
  const ids = [id, paused.id, rotated.id];
  const rows = await database('webhooks').whereIn('id', ids).select<{ id: string; sealedKeys: Buffer }[]>();
  // As a key of another ID, and another key of the same ID.
  const lost = [Buffer.concat([Buffer.from([4]), Buffer.from('lost'), Buffer.alloc(60)])];
  for (const row of rows) {
    const other = Buffer.from(row.sealedKeys);
    other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
    await database('webhooks')
      .where({ id: row.id })
      .update({ sealedKeys: lost.pop() ?? other });
  }
  await makeChanges(app, moduleId, 3);
  for (const each of [path, paused.path, rotated.path])
    await expect
      .poll(() => webhookAt(app, vendor, each))
      .toMatchObject({ status: 'disabled', disabledReason: 'key-missing' });
  const deliveries = () => database('webhook_deliveries').whereIn('webhookId', ids);
  await expect.poll(async () => (await deliveries()).length).toBe(9);
  expect(await deliveries().where({ isDue: false, dueAt: null })).toHaveLength(9);
  const { items } = (await app.as(vendor).get('/auditLog?limit=3')).body;
  for (const entry of items as Members[]) expect(entry).toMatchObject({ details: { reason: 'key-missing' } });
  await app.as(vendor).patch(paused.path, { status: 'paused' });
  await app.as(vendor).post(`${rotated.path}/rotate`, { overlapSeconds: 60 });
  expect((await app.as(vendor).post(`${rotated.path}/rotate`)).status).toBe(200);
  for (const { id: webhookId, sealedKeys } of rows)
    if (webhookId !== rotated.id) await database('webhooks').where({ id: webhookId }).update({ sealedKeys });
  await database('leases').where({ name: 'enable-webhooks' }).update({ dueAt: database.fn.now() });
  await expect.poll(async () => (await deliveries()).length, { timeout: 20_000 }).toBe(3);
  expect(receiver.calls).toHaveLength(6);
  expect(await webhookAt(app, vendor, path)).toMatchObject({ status: 'enabled', disabledReason: null });
  expect(await webhookAt(app, vendor, rotated.path)).toMatchObject({ status: 'enabled' });
  expect(await webhookAt(app, vendor, paused.path)).toMatchObject({ status: 'paused' });
});

test('a test event is delivered and listed', async ({ app, vendor }) => {
  const receiver = await startReceiver();
  const { path } = await makeWebhook(app, vendor, receiver.url, { types: ['rule.created'] });
  const { status, body } = await app.as(vendor).post(`${path}/test`);
  expect(status).toBe(202);
  await expect.poll(() => receiver.calls.map(({ id }) => id)).toEqual([body.eventId]);
  expect(JSON.parse(receiver.calls[0]?.body ?? '')).toMatchObject({
    type: 'webhook.test',
    data: { cursor: null },
  });
  await expect
    .poll(() => attemptsOf(app, vendor, path))
    .toMatchObject([{ eventId: body.eventId, type: 'webhook.test', status: 204, number: 1 }]);
});

test('the change of a call is delivered again with the same ID; another webhook’s call, an unknown one and a test are not', async ({
  app,
  vendor,
}) => {
  const receiver = await startReceiver();
  const { moduleId, path } = await makeWebhook(app, vendor, receiver.url);
  await makeChanges(app, moduleId, 3);
  await expect.poll(() => receiver.calls.length).toBe(3);
  const eventId = receiver.calls[1]?.id ?? '';
  const resend = async (attemptId: string) => app.as(vendor).post(`${path}/attempts/${attemptId}/resend`);
  expect(await resend(await attemptOf(app, vendor, path, eventId))).toMatchObject({ status: 202, text: '' });
  await expect.poll(() => receiver.calls.length).toBe(4);
  expect(receiver.calls[3]?.id).toBe(eventId);
  expect((await resend(randomUUID())).status).toBe(404);
  const other = await makeWebhook(app, vendor, receiver.url, {}, moduleId);
  const foreign = `${other.path}/attempts/${await attemptOf(app, vendor, path, eventId)}/resend`;
  expect((await app.as(vendor).post(foreign)).status).toBe(404);
  await app.as(vendor).delete(other.path);
  await app.as(vendor).post(`${path}/test`);
  await expect.poll(() => receiver.calls.length).toBe(5);
  const ofTest = await attemptOf(app, vendor, path, receiver.calls[4]?.id ?? '');
  expect((await resend(ofTest)).status).toBe(404);
});

test('a change that waits for hours until it is tried again is delivered at once when it is sent again', async ({
  app,
  vendor,
}) => {
  let isWell = false;
  const receiver = await startReceiver((_call, response) => {
    response.writeHead(isWell ? 204 : 503, { 'Retry-After': '36000' }).end();
  });
  const { moduleId, id: webhookId, path } = await makeWebhook(app, vendor, receiver.url);
  await makeChanges(app, moduleId, 1);
  const deliveries = () => app.api.database('webhook_deliveries').where({ webhookId });
  await expect.poll(() => deliveries().whereRaw("due_at > now() + interval '9 hours'")).toHaveLength(1);
  isWell = true;
  const attemptId = await attemptOf(app, vendor, path, receiver.calls[0]?.id ?? '');
  const { status } = await app.as(vendor).post(`${path}/attempts/${attemptId}/resend`);
  expect(status).toBe(202);
  await expect.poll(deliveries).toEqual([]);
});

test('a change of what the farmer no longer shares is not delivered', async ({ app, vendor, farmer }) => {
  const receiver = await startReceiver();
  const { moduleId } = await makeModule(app, vendor);
  const { path } = await makeWebhook(app, vendor, receiver.url, {}, moduleId);
  await install(app, farmer, moduleId, ['FarmOrganization']);
  await app.as(vendor).patch(path, { status: 'paused' });
  const organizationId = farmer.id;
  await makeChanges(app, moduleId, 1, { type: 'structures.changed', organizationId });
  await makeChanges(app, moduleId, 1, { type: 'rule.created', organizationId });
  await app.as(vendor).patch(path, { status: 'enabled' });
  const types = () =>
    receiver.calls.map(({ body }) => (JSON.parse(body) as { type: string }).type).toSorted();
  await expect.poll(types).toEqual(['installation.created', 'structures.changed']);
  await app.as(vendor).patch(path, { status: 'paused' });
  await makeChanges(app, moduleId, 1, { type: 'structures.erased', organizationId });
  await app.as(farmer).delete(`/installations/${moduleId}`);
  await app.as(vendor).patch(path, { status: 'enabled' });
  await expect.poll(types).toEqual(['installation.created', 'installation.removed', 'structures.changed']);
});
