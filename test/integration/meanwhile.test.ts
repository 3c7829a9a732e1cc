import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { accept, person } from '../support/members.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer } from '../support/test-app.ts';
import { LOOPBACK_WEBHOOKS, makeChanges, makeWebhook } from '../support/webhook-module.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const test = serviceTest({ settings: LOOPBACK_WEBHOOKS });

const done = (answer: Answer) => expect(answer.status, answer.text).toBeLessThan(300);

test('an invitation ends with the role of the group by which its maker was an administrator', async ({
  app,
}) => {
  const vendor = await app.organization();
  const group = `group-${randomUUID()}`;
  const put = async (items: readonly object[]) =>
    done(await app.as('operator').put(`/organizations/${vendor.id}/groups`, { items }));
  await put([{ group, role: 'OrganizationAdmin' }]);
  const { subject, caller } = person(app, vendor, { claims: { groups: [group] } });
  const made = await (await caller()).post('/invitations', { role: 'OrganizationAdmin' });
  done(made);
  await put([]);
  expect((await app.as(vendor).get('/invitations')).body.items).toEqual([]);
  expect((await accept(app, subject, String(made.body.secret))).status).toBe(404);
});

test('a webhook is not disabled by the answer of an address that it no longer has', async ({
  app,
  vendor,
}) => {
  const next = await startReceiver();
  const old = await startReceiver(async (_call, response) => {
    done(await app.as(vendor).patch(webhook.path, { url: next.url }));
    response.writeHead(410).end();
  });
  const webhook = await makeWebhook(app, vendor, old.url);
  await makeChanges(app, webhook.moduleId, 1);
  const attempts = async () => (await app.as(vendor).get(`${webhook.path}/attempts`)).body.items as unknown;
  await expect.poll(attempts).toMatchObject([{ status: 410 }]);
  await makeChanges(app, webhook.moduleId, 1);
  await expect.poll(() => next.calls.length).toBe(1);
  expect((await app.as(vendor).get(webhook.path)).body).toMatchObject({ status: 'enabled' });
});

test('a webhook that has failed at another address for days is not disabled by its first failure at this one', async ({
  app,
  vendor,
}) => {
  const failing = await startReceiver((_call, response) => response.writeHead(500).end());
  const { moduleId, path, id } = await makeWebhook(app, vendor, 'http://127.0.0.1:1/');
  const long = new Date(Date.now() - 6 * 86_400_000);
  await app.api.database('webhooks').where({ id }).update({ failingSince: long, lastFailedAt: new Date() });
  done(await app.as(vendor).patch(path, { url: failing.url }));
  await makeChanges(app, moduleId, 1);
  const attempts = async () => (await app.as(vendor).get(`${path}/attempts`)).body.items as unknown;
  await expect.poll(attempts).toMatchObject([{ status: 500 }]);
  expect((await app.as(vendor).get(path)).body).toMatchObject({ status: 'enabled' });
});
