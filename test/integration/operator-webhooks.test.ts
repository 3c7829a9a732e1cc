import { expect } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { OPERATOR_OWNER } from '../../shared/db/webhooks/operator-owner.ts';
import { importSample } from '../support/import-sample.ts';
import { recordChange } from '../../shared/db/changes/record-changes.ts';
import { sequenceChanges } from '../../shared/db/changes/change-sequencer.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import { LOOPBACK_WEBHOOKS } from '../support/webhook-module.ts';
import {
  dataOf,
  startReceiver,
  type ReceivedCall,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

const test = serviceTest({ settings: LOOPBACK_WEBHOOKS });
const PATH = '/operations/webhooks';

/** The calls of a type about a module, or an import. */
const callsOf = (receiver: WebhookReceiver, type: string, about: object): readonly ReceivedCall[] =>
  receiver.calls.filter((call) => {
    const data = dataOf(call);
    return data['type'] === type && Object.entries(about).every(([name, value]) => data[name] === value);
  });

test('the operator is notified, with a signature, of what happens to the modules of every vendor', async ({
  app,
  vendor,
}) => {
  const receiver = await startReceiver();
  const asOperator = app.as('operator');
  const made = await asOperator.post(PATH, { url: receiver.url });
  expect(made.status, made.text).toBe(201);
  const other = await app.organization();
  for (const organization of [vendor, other]) {
    const moduleId = await importSample(app, organization);
    const about = { moduleId, organizationId: organization.id };
    await asOperator.post(`/operations/modules/${moduleId}/quarantine`, { reason: 'Malware' });
    await asOperator.delete(`/operations/modules/${moduleId}/quarantine`);
    for (const type of ['import.ended', 'module.quarantined', 'module.quarantineEnded'])
      await expect.poll(() => callsOf(receiver, type, about).length, { message: type }).toBe(1);
  }
  for (const { headers, body } of receiver.calls)
    new Webhook(String(made.body.secret)).verify(body, headers as Record<string, string>);
  // Releases and consents are the vendor's and the farmer's.
  expect(receiver.calls.map((call) => dataOf(call)['type'])).not.toContain('revision.released');
});

test('the operator is notified of rejected imports without a module, and of alerts whatever the consent', async ({
  app,
  vendor,
  farmer,
}) => {
  const receiver = await startReceiver();
  const types = ['import.ended', 'alert.acknowledged'];
  await app.as('operator').post(PATH, { url: receiver.url, types });
  const rejected = await app.importPackage(
    vendor,
    samplePackage(app.api.catalogue, { descriptor: { parentId: 'none' } }),
  );
  expect(rejected.status).toBe(400);
  const about = { importId: rejected.body.importId as string, moduleId: null, organizationId: vendor.id };
  await expect.poll(() => callsOf(receiver, 'import.ended', about).length).toBe(1);
  const moduleId = await importSample(app, vendor);
  const change = { moduleId, organizationId: farmer.id, subject: { alertId: moduleId, ruleId: moduleId } };
  await recordChange(app.api.database, { type: 'alert.acknowledged', ...change });
  await recordChange(app.api.database, { type: 'module.withdrawn', moduleId });
  const acknowledged = { moduleId, organizationId: farmer.id };
  await expect.poll(() => callsOf(receiver, 'alert.acknowledged', acknowledged).length).toBe(1);
  expect(callsOf(receiver, 'module.withdrawn', {})).toEqual([]);
});

test('a webhook of the operator is listed, changed, rotated, tested and sent again as those of vendors, and audited', async ({
  app,
  vendor,
}) => {
  const receiver = await startReceiver();
  const asOperator = app.as('operator');
  const settings = { url: receiver.url, types: ['module.offered'] };
  const { body, headers } = await asOperator.post(PATH, settings);
  const path = `${PATH}/${String(body.id)}`;
  expect(headers.get('location')).toBe(`/api/v8.0${path}`);
  const moduleId = await importSample(app, vendor);
  await recordChange(app.api.database, { type: 'module.offered', moduleId });
  const attempts = async () => (await asOperator.get(`${path}/attempts`)).body.items as { id: string }[];
  await expect.poll(attempts).toHaveLength(1);
  const [{ id } = { id: '' }] = await attempts();
  expect((await asOperator.post(`${path}/attempts/${id}/resend`)).status).toBe(202);
  expect((await asOperator.post(`${path}/test`)).status).toBe(202);
  await expect.poll(() => receiver.calls.length).toBe(3);
  expect((await asOperator.post(`${path}/rotate`)).body.secret).not.toBe(body.secret);
  const paused = await asOperator.patch(path, { status: 'paused' });
  expect(paused.body).toEqual((await asOperator.get(path)).body);
  expect((await asOperator.get(PATH)).body.items).toContainEqual(paused.body);
  expect((await asOperator.delete(path)).status).toBe(204);
  const audit = (await asOperator.get('/operations/auditLog?limit=100')).body.items as {
    action: string;
    details: { webhookId?: string } | null;
  }[];
  const actions = audit.filter(({ details }) => details?.webhookId === body.id).map(({ action }) => action);
  expect(actions.toReversed().map((action) => action.replace('webhook.', ''))).toEqual([
    ...['created', 'resent', 'tested', 'rotated', 'changed', 'deleted'],
  ]);
});

test('the operator chooses from the types of the operator, and addresses follow the rules of vendors', async ({
  app,
}) => {
  for (const body of [
    { url: 'https://hooks.example.com/', types: ['revision.released'] },
    { url: 'https://10.0.0.1/' },
  ])
    expect((await app.as('operator').post(PATH, body)).body).toMatchObject({ code: 'request-invalid' });
});

test('nobody is a member of the organization that stands for the operator, and no list has it', async ({
  app,
}) => {
  const { organizationId: id, moduleId } = OPERATOR_OWNER;
  const token = await app.bearer({ organizations: [{ id, roles: ['OrganizationAdmin'] }] });
  const asMember = app.as({ id, tenantId: id, admin: token, member: token });
  for (const path of [`/webhooks/${moduleId}`, `/modules/${moduleId}`, '/auditLog'])
    expect((await asMember.get(path)).status, path).toBe(404);
  const asOperator = app.as('operator');
  for (const path of ['/organizations', '/operations/usage'])
    expect((await asOperator.get(path)).text).not.toContain(id);
  const put = await asOperator.put(`/organizations/${id}`, { name: 'x', kind: 'vendor', tenantId: id });
  expect(put.body).toMatchObject({ status: 409, code: 'organization-fixed' });
  expect((await asOperator.delete(`/organizations/${id}`)).status).toBe(404);
});

test('without a webhook of the operator nothing is recorded for one', async ({ app, vendor }) => {
  const { database } = app.api;
  await database('webhooks').where(OPERATOR_OWNER).delete();
  const moduleId = await importSample(app, vendor);
  await sequenceChanges(database);
  const changes = await database('changes').whereRaw("subject ->> 'moduleId' = :moduleId", { moduleId });
  expect(changes.map(({ moduleId: of }) => of as string)).toEqual([moduleId]);
});
