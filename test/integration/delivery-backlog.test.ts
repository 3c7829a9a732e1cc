import { expect } from 'vitest';
import { sequenceChanges } from '../../shared/db/changes/change-sequencer.ts';
import { serviceTest } from '../support/service-test.ts';
import { LOOPBACK_WEBHOOKS, makeChanges, makeWebhook } from '../support/webhook-module.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const test = serviceTest({ settings: LOOPBACK_WEBHOOKS });

const NONE = { waiting: 0, oldestWaitingSeconds: 0, failingWebhooks: 0, longestFailingSeconds: 0 };
const HOUR_MS = 3_600_000;

test('an operator sees the deliveries that fail and wait, until they are held back or have succeeded', async ({
  app,
  vendor,
}) => {
  const { database } = app.api;
  const deliveries = async (): Promise<unknown> =>
    (await app.as('operator').get('/operations/backlog')).body.deliveries;
  const failing = await startReceiver((_call, response) => response.writeHead(500).end());
  const { moduleId, path, id } = await makeWebhook(app, vendor, failing.url);
  expect(await deliveries()).toEqual(NONE);
  await makeChanges(app, moduleId, 1);
  await sequenceChanges(database);
  await expect.poll(deliveries).toMatchObject({ waiting: 1, failingWebhooks: 1 });

  await database('webhooks')
    .where({ id })
    .update({ failingSince: new Date(Date.now() - HOUR_MS) });
  const { longestFailingSeconds } = (await deliveries()) as typeof NONE;
  expect(longestFailingSeconds).toBeGreaterThanOrEqual(HOUR_MS / 1_000);

  await app.as(vendor).patch(path, { status: 'paused' });
  await expect.poll(deliveries).toEqual(NONE);
  await app.as(vendor).patch(path, { status: 'enabled' });
  await expect.poll(deliveries).toMatchObject({ waiting: 1, failingWebhooks: 1 });
  const suspension = `/operations/organizations/${vendor.id}/suspension`;
  await app.as('operator').put(suspension, { reason: 'It is investigated.', farmersKeepAccess: true });
  expect(await deliveries()).toEqual(NONE);
  await app.as('operator').delete(suspension);

  const working = await startReceiver();
  await app.as(vendor).patch(path, { url: working.url });
  await database('webhook_deliveries').update({ isDue: true, dueAt: null });
  await expect.poll(deliveries).toEqual(NONE);
  expect(working.calls).toHaveLength(1);
});
