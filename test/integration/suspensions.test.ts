import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { install, makeModule, putFarms, sampleFarm } from '../support/machine-access.ts';
import { serviceTest } from '../support/service-test.ts';
import { sessionCookie } from '../support/session-cookie.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';
import { LOOPBACK_WEBHOOKS, makeChanges, makeWebhook } from '../support/webhook-module.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const test = serviceTest({ settings: { ...LOOPBACK_WEBHOOKS, PORTAL_CLIENT_ID: 'portal' } });

const REASON = 'Invoices of March are not paid.';
const SUSPENDED = [403, '/problems/organization-suspended'];

const pathOf = ({ id }: TestOrganization) => `/operations/organizations/${id}/suspension`;

const problemOf = ({ status, body }: Answer) => [status, body.type as unknown];

async function suspend(app: TestApp, organization: TestOrganization, farmersKeepAccess = true) {
  const body = { reason: REASON, farmersKeepAccess };
  const answer = await app.as('operator').put(pathOf(organization), body);
  expect(answer.status, answer.text).toBe(200);
}

async function lift(app: TestApp, organization: TestOrganization) {
  expect((await app.as('operator').delete(pathOf(organization))).status).toBe(204);
}

const farmerOf = (app: TestApp, { tenantId }: TestOrganization) =>
  app.organization({ kind: 'farmer', tenantId });

test('tokens, sessions and keys of a suspended organization are refused within a second with the reason, and work after it is lifted', async ({
  app,
}) => {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor);
  const headers = { Cookie: await sessionCookie(app, vendor.admin), Origin: app.url };
  const calls = {
    admin: () => app.as(vendor).get('/modules'),
    member: () => app.as(vendor, vendor.member).get('/modules'),
    session: () => app.fetch(`/portal/api/${vendor.id}/modules`, { headers }),
    key: () => app.as(module).get('/StructuresByModuleId'),
  };
  for (const call of Object.values(calls)) expect((await call()).status).toBe(200);
  await suspend(app, vendor);
  for (const [name, call] of Object.entries(calls)) {
    await expect
      .poll(async () => problemOf(await call()), { message: name, timeout: 1_000 })
      .toEqual(SUSPENDED);
    expect((await call()).body.detail).toContain(REASON);
  }
  // Nobody else reads the reason.
  expect((await app.as(vendor, (await app.organization()).admin).get('/modules')).text).not.toContain(REASON);
  await lift(app, vendor);
  for (const [name, call] of Object.entries(calls))
    await expect.poll(async () => (await call()).status, { message: name }).toBe(200);
});

test('a suspension is shown to operators and audited, a second equal one changes nothing, and lifting one that does not exist is 404', async ({
  app,
}) => {
  const vendor = await app.organization();
  const read = async () => (await app.as('operator').get(`/organizations/${vendor.id}`)).body as unknown;
  expect(await read()).toMatchObject({ suspension: null });
  await suspend(app, vendor);
  await suspend(app, vendor);
  const suspension = { reason: REASON, farmersKeepAccess: true };
  expect(await read()).toMatchObject({ suspension });
  await suspend(app, vendor, false);
  expect(await read()).toMatchObject({ suspension: { ...suspension, farmersKeepAccess: false } });
  await lift(app, vendor);
  expect((await app.as('operator').delete(pathOf(vendor))).status).toBe(404);
  const log = await app.as('operator').get(`/operations/auditLog?organizationId=${vendor.id}`);
  const items = log.body.items as { action: string; details: object | null }[];
  expect(items.filter(({ action }) => action.startsWith('organization.susp')).toReversed()).toMatchObject([
    { action: 'organization.suspended', details: { reason: REASON, farmersKeepAccess: 'true' } },
    { action: 'organization.suspended', details: { farmersKeepAccess: 'false' } },
    { action: 'organization.suspensionEnded' },
  ]);
});

test('an operator administers a suspended organization', async ({ app }) => {
  const vendor = await app.organization();
  await suspend(app, vendor);
  const answer = await app.as('operator').put(`/organizations/${vendor.id}/groups`, {
    items: [{ group: 'agronomists', role: 'OrganizationMember' }],
  });
  expect(answer.status, answer.text).toBe(200);
});

test('an operator sees and revokes the invitations of a suspended organization, without those of a removed maker', async ({
  app,
}) => {
  const vendor = await app.organization();
  const subject = randomUUID();
  await app.as(vendor).put(`/members/${subject}`, { roles: ['OrganizationAdmin'] });
  const maker = app.as(vendor, await app.bearer({ subject }));
  const [kept, revoked] = [
    (await maker.post('/invitations', { role: 'OrganizationMember' })).body,
    (await maker.post('/invitations', { role: 'OrganizationMember' })).body,
  ];
  await suspend(app, vendor);
  const operator = app.as('operator');
  const idsNow = async () => {
    const { items } = (await operator.get(`/${vendor.id}/invitations`)).body;
    return (items as { id: string }[]).map(({ id }) => id).toSorted();
  };
  expect(await idsNow()).toEqual([kept.id, revoked.id].toSorted());
  expect((await operator.delete(`/${vendor.id}/invitations/${String(revoked.id)}`)).status).toBe(204);
  expect(await idsNow()).toEqual([kept.id]);
  // Nobody can use it any more, also after the suspension.
  expect((await operator.delete(`/${vendor.id}/members/${subject}`)).status).toBe(204);
  expect(await idsNow()).toEqual([]);
});

test.for([
  [true, 200],
  [false, 403],
] as const)(
  'farmers who keep access (%s) get %i for an installed module of a suspended vendor, and nobody installs another',
  async ([keepAccess, status], { app }) => {
    const vendor = await app.organization();
    const farmer = await farmerOf(app, vendor);
    const moduleId = await importSample(app, vendor);
    await install(app, farmer, moduleId);
    const terms = () => app.as(farmer).get(`/availableModules/${moduleId}/files/ModuleToS/terms.md`);
    await suspend(app, vendor, keepAccess);
    expect((await terms()).status).toBe(status);
    const offer = await app.as(farmer).get(`/availableModules/${moduleId}`);
    expect(offer.status).toBe(200);
    expect(offer.body.quarantineReason === null).toBe(status === 200);
    expect(offer.text).not.toContain(REASON);
    const other = await farmerOf(app, vendor);
    const refused = await app.as(other).put(`/installations/${moduleId}`);
    expect(problemOf(refused)).toEqual([
      status === 200 ? 409 : 403,
      `/problems/${keepAccess ? 'module-withdrawn' : 'module-quarantined'}`,
    ]);
    expect((await app.as(other).get('/availableModules')).body.items).toEqual([]);
    await lift(app, vendor);
    expect((await app.as(other).put(`/installations/${moduleId}`)).status).toBe(201);
  },
);

test('back ends read nothing of a suspended farmer, and the feed says so when it starts and ends', async ({
  app,
}) => {
  const vendor = await app.organization();
  const farmer = await farmerOf(app, vendor);
  const module = await makeModule(app, vendor);
  await install(app, farmer, module.moduleId);
  await putFarms(app, farmer, [sampleFarm()]);
  const organizations = async () =>
    ((await app.as(module).get('/StructuresByModuleId')).body.organizations as unknown[]).length;
  const areas = async () => {
    const { items } = (await app.as(module).get('/InstallationsByModuleId')).body;
    return (items as { grantedDataAreaIds: string[] }[]).map((each) => each.grantedDataAreaIds.length);
  };
  const { nextCursor } = (await app.as(module).get('/ChangesByModuleId')).body as { nextCursor: string };
  expect([await organizations(), await areas()]).toEqual([1, [2]]);
  await suspend(app, farmer);
  expect([await organizations(), await areas()]).toEqual([0, [0]]);
  await lift(app, farmer);
  expect([await organizations(), await areas()]).toEqual([1, [2]]);
  const changes = await app.as(module).get(`/ChangesByModuleId?cursor=${nextCursor}`);
  const items = changes.body.items as { type: string; organizationId: string }[];
  expect(items.map(({ type, organizationId }) => [type, organizationId])).toEqual([
    ['installation.changed', farmer.id],
    ['installation.changed', farmer.id],
  ]);
});

test('deliveries of a suspended vendor wait, those of others go on, and it gets them after it is lifted', async ({
  app,
}) => {
  const [suspended, other] = [await app.organization(), await app.organization()];
  const receivers = [await startReceiver(), await startReceiver()] as const;
  const webhook = await makeWebhook(app, suspended, receivers[0].url, { types: ['revision.staged'] });
  const own = await makeWebhook(app, other, receivers[1].url, { types: ['revision.staged'] });
  await suspend(app, suspended);
  await makeChanges(app, webhook.moduleId, 2, { type: 'revision.staged' });
  await makeChanges(app, own.moduleId, 1, { type: 'revision.staged' });
  const waiting = () => app.api.database('webhook_deliveries').where({ webhookId: webhook.id });
  await expect.poll(waiting).toHaveLength(2);
  await expect.poll(() => receivers[1].calls.length).toBe(1);
  expect(receivers[0].calls).toEqual([]);
  await waiting().update({ startedAt: new Date(0) });
  await lift(app, suspended);
  await expect.poll(() => receivers[0].calls.length).toBe(2);
  await expect.poll(waiting).toEqual([]);
});
