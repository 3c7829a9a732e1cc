import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { parkDeliveries } from '../../shared/db/webhooks/deliveries.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import { LOOPBACK_WEBHOOKS, makeChanges, makeWebhook } from '../support/webhook-module.ts';
import { dataOf, numbersOf, startReceiver } from '../support/webhook-receiver.ts';

const test = serviceTest({ settings: LOOPBACK_WEBHOOKS });

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

test('an ordered webhook gets the changes of one farmer in order, and a farmer whose change fails holds back no other', async ({
  app,
  vendor,
}) => {
  const [stuck, free] = [randomUUID(), randomUUID()];
  let isWell = false;
  const receiver = await startReceiver((call, response) => {
    const isStuck = dataOf(call)['organizationId'] === stuck && !isWell;
    setTimeout(() => response.writeHead(isStuck ? 503 : 204).end(), Math.random() * 20);
  });
  const { moduleId, id: webhookId, path } = await makeWebhook(app, vendor, receiver.url, { ordered: true });
  for (const number of upTo(20))
    for (const organizationId of [stuck, free])
      await makeChanges(app, moduleId, 1, { organizationId, subject: { revision: number } });
  const of = (organizationId: string) =>
    receiver.calls.filter((call) => dataOf(call)['organizationId'] === organizationId);
  await expect.poll(() => of(free).length).toBe(20);
  expect(numbersOf(of(free))).toEqual(upTo(20));
  expect(new Set(numbersOf(of(stuck)))).toEqual(new Set([0]));
  isWell = true;
  await app.as(vendor).patch(path, { status: 'paused' });
  await app.as(vendor).patch(path, { status: 'enabled' });
  await expect.poll(() => app.api.database('webhook_deliveries').where({ webhookId })).toEqual([]);
  expect([...new Set(numbersOf(of(stuck)))]).toEqual(upTo(20));
});

test('what waits behind a call of an ordered webhook is due when the call has ended, whichever worker makes it', async ({
  app,
  vendor,
}) => {
  const answers: (() => void)[] = [];
  const receiver = await startReceiver((_call, response) => {
    answers.push(() => response.writeHead(204).end());
  });
  const { moduleId, id } = await makeWebhook(app, vendor, receiver.url, { ordered: true });
  await makeChanges(app, moduleId, 2, { organizationId: randomUUID() });
  await expect.poll(() => answers.length).toBe(1);
  const waiting = () => app.api.database('webhook_deliveries').where({ webhookId: id, attempts: 0 });
  await expect.poll(waiting).toHaveLength(1);
  await parkDeliveries(app.api.database, [id]);
  expect(await waiting().whereRaw('due_at <= now()')).toHaveLength(1);
  answers[0]?.();
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.();
});

test('an ordered webhook that has recovered gets at once what waited for hours, with what waited behind it', async ({
  app,
  vendor,
}) => {
  const [stuck, free] = [randomUUID(), randomUUID()];
  let isWell = false;
  const receiver = await startReceiver((_call, response) => {
    response.writeHead(isWell ? 204 : 503).end();
  });
  const { moduleId, id } = await makeWebhook(app, vendor, receiver.url, { ordered: true });
  await makeChanges(app, moduleId, 3, { organizationId: stuck });
  const { database } = app.api;
  const failing = () => database('webhooks').where({ id }).whereNotNull('failingSince');
  await expect.poll(failing).toHaveLength(1);
  const inHours = database.raw("now() + interval '10 hours'");
  await database('webhook_deliveries').where({ webhookId: id }).update({ dueAt: inHours });
  await failing().update({ failingSince: database.raw("now() - interval '10 hours'") });
  isWell = true;
  await makeChanges(app, moduleId, 1, { organizationId: free });
  await expect.poll(() => database('webhook_deliveries').where({ webhookId: id })).toEqual([]);
});

/** A farmer's change that an ordered webhook tries again in hours, with two more that wait behind it. */
async function blockedWebhook(app: TestApp, vendor: TestOrganization) {
  const organizationId = randomUUID();
  let isWell = false;
  const receiver = await startReceiver((_call, response) => {
    response.writeHead(isWell ? 204 : 503, { 'Retry-After': '36000' }).end();
  });
  const { moduleId, id, path } = await makeWebhook(app, vendor, receiver.url, { ordered: true });
  const { database } = app.api;
  const deliveries = () => database('webhook_deliveries').where({ webhookId: id });
  await makeChanges(app, moduleId, 3, { organizationId });
  await expect.poll(() => deliveries().whereRaw("due_at > now() + interval '9 hours'")).toHaveLength(3);
  // As if it had delivered other farmers' changes meanwhile.
  await database('webhooks').where({ id }).update({ failingSince: null });
  isWell = true;
  return { path, deliveries, eventId: receiver.calls[0]?.id };
}

test('what waits behind a failed call of an ordered webhook is delivered when the change is replayed', async ({
  app,
  vendor,
}) => {
  const { path, deliveries, eventId } = await blockedWebhook(app, vendor);
  expect((await app.as(vendor).post(`${path}/replay`, { eventId })).body).toEqual({ events: 1 });
  await expect.poll(deliveries).toEqual([]);
});

test('a webhook that is ordered no more delivers at once what waited behind a failed call', async ({
  app,
  vendor,
}) => {
  const { path, deliveries, eventId } = await blockedWebhook(app, vendor);
  expect((await app.as(vendor).patch(path, { ordered: false })).status).toBe(200);
  await expect.poll(deliveries).toEqual([expect.objectContaining({ eventId })]);
});
