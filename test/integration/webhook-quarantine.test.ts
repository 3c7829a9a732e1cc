import { expect } from 'vitest';
import { serviceTest } from '../support/service-test.ts';
import { LOOPBACK_WEBHOOKS, makeChanges, makeWebhook } from '../support/webhook-module.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const test = serviceTest({ settings: LOOPBACK_WEBHOOKS });

const typesOf = ({ calls }: WebhookReceiver) =>
  calls.map(({ body }) => (JSON.parse(body) as { type: string }).type);

test('a quarantine and tests are delivered at once, and the rest when it ends', async ({ app, vendor }) => {
  let isWell = false;
  const receiver = await startReceiver(({ body }, response) => {
    const isFailing = !isWell && body.startsWith('{"type":"installation.');
    response.writeHead(isFailing ? 503 : 204).end();
  });
  const { moduleId, id: webhookId, path } = await makeWebhook(app, vendor, receiver.url);
  const quarantine = `/operations/modules/${moduleId}/quarantine`;
  // One that has failed waits for its next attempt when the quarantine starts.
  await makeChanges(app, moduleId, 1);
  await expect.poll(() => receiver.calls.length).toBeGreaterThan(0);
  await app.as('operator').post(quarantine, { reason: 'It mines coins.' });
  await expect.poll(() => typesOf(receiver)).toContain('module.quarantined');
  await makeChanges(app, moduleId, 3, { type: 'revision.staged' });
  await app.as(vendor).post(`${path}/test`);
  await expect.poll(() => typesOf(receiver)).toContain('webhook.test');
  const waiting = () => app.api.database('webhook_deliveries').where({ webhookId });
  await expect.poll(waiting).toHaveLength(4);
  expect(typesOf(receiver)).not.toContain('revision.staged');
  await waiting().update({ startedAt: new Date(0), dueAt: new Date(0) });
  isWell = true;
  await app.as('operator').delete(quarantine);
  await expect.poll(waiting).toEqual([]);
  expect(typesOf(receiver).filter((type) => type === 'revision.staged')).toHaveLength(3);
  expect(typesOf(receiver).filter((type) => type === 'module.quarantined')).toHaveLength(1);
});

test('what a quarantine has held back for days is tried for as long as any other delivery when it ends', async ({
  app,
  vendor,
}) => {
  const receiver = await startReceiver((_call, response) => response.writeHead(503).end());
  const { moduleId, id: webhookId } = await makeWebhook(app, vendor, receiver.url, {
    types: ['revision.staged'],
  });
  const quarantine = `/operations/modules/${moduleId}/quarantine`;
  await app.as('operator').post(quarantine, { reason: 'It mines coins.' });
  await makeChanges(app, moduleId, 1, { type: 'revision.staged' });
  const waiting = () => app.api.database('webhook_deliveries').where({ webhookId });
  await expect.poll(waiting).toHaveLength(1);
  await waiting().update({ startedAt: new Date(0) });
  await app.as('operator').delete(quarantine);
  await expect.poll(() => app.api.database('webhook_attempts').where({ webhookId })).not.toEqual([]);
  expect(await waiting()).toHaveLength(1);
});
