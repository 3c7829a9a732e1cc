import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { serviceTest } from '../support/service-test.ts';
import { makeChanges, makeWebhook } from '../support/webhook-module.ts';

const test = serviceTest({ config: { quotas: { maxWebhooksPerModule: 3 } } });

const URL = 'https://hooks.example.com/modules';

test('the secret is returned once, when the webhook is registered', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const own = app.as(vendor);
  const made = await own.post(`/webhooks/${moduleId}`, { url: URL });
  expect(made.status, made.text).toBe(201);
  expect(made.headers.get('cache-control')).toBe('no-store');
  const { secret, ...webhook } = made.body as Record<string, unknown>;
  expect(secret).toMatch(/^whsec_/);
  expect(webhook).toMatchObject({ url: URL, types: null, status: 'enabled', moduleId });
  expect((await own.get(`/webhooks/${moduleId}/${String(webhook['id'])}`)).body).toEqual(webhook);
  expect((await own.get(`/webhooks/${moduleId}`)).body).toEqual({ items: [webhook], nextCursor: null });
  const { items } = (await own.get('/auditLog')).body;
  expect(JSON.stringify(items)).not.toContain(String(secret));
});

test('a change changes what it names, and nothing else', async ({ app, vendor }) => {
  const settings = { types: ['rule.created'], description: 'first' };
  const { path } = await makeWebhook(app, vendor, URL, settings);
  const own = app.as(vendor);
  expect((await own.patch(path, { status: 'paused' })).body).toMatchObject({ ...settings, status: 'paused' });
  const changed = await own.patch(path, { types: null, description: null, url: `${URL}/2` });
  expect(changed.body).toMatchObject({
    ...{ types: null, description: null, url: `${URL}/2` },
    status: 'paused',
  });
  expect((await own.patch(path, {})).body).toMatchObject({ url: `${URL}/2`, status: 'paused' });
});

test.for<[string, object, string]>([
  ['of plain http', { url: 'http://hooks.example.com/' }, '/url'],
  ['of this machine', { url: 'https://127.0.0.1/' }, '/url'],
  ['of a metadata address', { url: 'https://169.254.169.254/' }, '/url'],
  ['of a mapped address', { url: 'https://[::ffff:10.0.0.1]/' }, '/url'],
  ['of a name of the local network', { url: 'https://postgres/' }, '/url'],
  ['with a password', { url: 'https://me:secret@hooks.example.com/' }, '/url'],
  ['of an unknown type', { types: ['rule.made'] }, '/types/0'],
  ['of no type', { types: [] }, '/types'],
  ['of one type twice', { types: ['rule.created', 'rule.created'] }, '/types'],
  ['with a long description', { description: 'a'.repeat(201) }, '/description'],
  ['that is disabled', { status: 'disabled' }, '/status'],
  ['with a secret of its own', { secret: 'whsec_x' }, '/secret'],
])('a webhook %s is refused', async ([, members, pointer], { app, vendor }) => {
  const { moduleId, path } = await makeWebhook(app, vendor, URL);
  for (const answer of [
    await app.as(vendor).post(`/webhooks/${moduleId}`, { url: URL, ...members }),
    await app.as(vendor).patch(path, members),
  ]) {
    expect(answer.status, answer.text).toBe(400);
    expect((answer.body.errors as { pointer: string }[]).map((each) => each.pointer)).toContain(pointer);
  }
});

test('a module has no more webhooks than the quota allows', async ({ app, vendor }) => {
  const { moduleId, path } = await makeWebhook(app, vendor, URL);
  for (const status of [201, 201, 409])
    expect((await app.as(vendor).post(`/webhooks/${moduleId}`, { url: URL })).status).toBe(status);
  await app.as(vendor).delete(path);
  expect((await app.as(vendor).post(`/webhooks/${moduleId}`, { url: URL })).status).toBe(201);
});

test('a webhook of another module or organization, a deleted and an unknown one are not found', async ({
  app,
  vendor,
}) => {
  const other = await app.organization();
  const { moduleId, id } = await makeWebhook(app, vendor, URL);
  const theirs = await makeWebhook(app, other, URL);
  const deleted = await makeWebhook(app, vendor, URL);
  expect((await app.as(vendor).delete(deleted.path)).status).toBe(204);
  const paths = [
    `/webhooks/${await importSample(app, vendor)}/${id}`,
    ...[
      `/webhooks/${moduleId}/${theirs.id}`,
      theirs.path,
      deleted.path,
      `/webhooks/${moduleId}/${randomUUID()}`,
    ],
  ];
  for (const path of paths) {
    const own = app.as(vendor);
    const answers = [
      await own.get(path),
      await own.patch(path, { status: 'paused' }),
      await own.delete(path),
      await own.post(`${path}/rotate`),
      await own.post(`${path}/test`),
      await own.post(`${path}/attempts/${randomUUID()}/resend`),
      await own.get(`${path}/attempts`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404]);
  }
  expect((await app.as(vendor).post(`/webhooks/${theirs.moduleId}`, { url: URL })).status).toBe(404);
  expect((await app.as(vendor).get(`/webhooks/${theirs.moduleId}`)).body.items).toEqual([]);
});

test('the webhooks of a module end with it', async ({ app, vendor }) => {
  const { moduleId, id } = await makeWebhook(app, vendor, URL);
  await app.as(vendor).delete(`/modules/${moduleId}`);
  expect(await app.api.database('webhooks').where({ id })).toEqual([]);
});

test('each change of a webhook has an entry in the audit log', async ({ app }) => {
  const vendor = await app.organization();
  const { path, id, moduleId } = await makeWebhook(app, vendor, URL);
  const own = app.as(vendor);
  await own.patch(path, { status: 'paused', types: ['rule.created'] });
  await own.post(`${path}/rotate`, { overlapSeconds: 5 });
  await makeChanges(app, moduleId, 1);
  await app.api.changes.sequence();
  const { id: eventId } = await app.api
    .database('changes')
    .where({ moduleId })
    .orderBy('position', 'desc')
    .first<{
      id: string;
    }>('id');
  const attemptId = randomUUID();
  await app.api
    .database('webhook_attempts')
    .insert({ id: attemptId, webhookId: id, eventId, type: 'rule.created', number: 1, durationMs: 1 });
  await own.post(`${path}/attempts/${attemptId}/resend`);
  await own.delete(path);
  const { items } = (await own.get('/auditLog')).body as {
    items: { action: string; moduleId: string; details: object }[];
  };
  const webhookId = id;
  expect(
    items
      .filter(({ action }) => action.startsWith('webhook.'))
      .map((each) => [each.action, each.moduleId, each.details]),
  ).toEqual([
    ['webhook.deleted', moduleId, { webhookId, url: URL }],
    ['webhook.resent', moduleId, { webhookId, eventId }],
    ['webhook.rotated', moduleId, { webhookId, overlapSeconds: 5 }],
    ['webhook.changed', moduleId, { webhookId, changed: ['status', 'types'], status: 'paused' }],
    ['webhook.created', moduleId, { webhookId, url: URL }],
  ]);
});

test('the audit log has no values of the query of an address, where vendors put secrets', async ({
  app,
  vendor,
}) => {
  const { path } = await makeWebhook(app, vendor, `${URL}?token=s3cret&s4cret`);
  expect((await app.as(vendor).delete(path)).status).toBe(204);
  const { items } = (await app.as(vendor).get('/auditLog?limit=2')).body as {
    items: { action: string; details: { url: string } }[];
  };
  const shown = `${URL}?token=***&***=`;
  expect(items.map(({ action, details }) => [action, details.url])).toEqual([
    ['webhook.deleted', shown],
    ['webhook.created', shown],
  ]);
});
