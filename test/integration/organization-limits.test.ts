import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest();

/** Sets the limits of one organization. The process of this call follows them at once, workers within a second. */
async function limit(app: TestApp, { id }: TestOrganization, limits: object): Promise<void> {
  const path = `/operations/organizations/${id}/limits`;
  const { status, body } = await app.as('operator').put(path, limits);
  expect([status, body]).toEqual([200, { own: limits, inForce: expect.objectContaining(limits) as unknown }]);
  expect((await app.as('operator').get(path)).body).toEqual(body);
}

const newPackage = (app: TestApp) =>
  samplePackage(app.api.catalogue, { descriptor: { component: randomUUID() } });

async function codesOf(app: TestApp, vendor: TestOrganization): Promise<readonly unknown[]> {
  const { status, body } = await app.importPackage(vendor, newPackage(app));
  return [status, ...((body.errors ?? []) as { code: string }[]).map(({ code }) => code)];
}

test('each limit of one organization is its own, until it has those of the deployment again', async ({
  app,
}) => {
  const [vendor, other] = [await app.organization(), await app.organization()];
  const moduleOf = async (owner: TestOrganization) =>
    (await app.importPackage(owner, newPackage(app))).body.moduleId as string;
  const [own, others] = [await moduleOf(vendor), await moduleOf(other)];
  const addKey = async (owner: TestOrganization, moduleId: string) =>
    (await app.as(owner).post(`/registerApiClient/${moduleId}`)).status;
  await limit(app, vendor, { maxApiKeysPerModule: 1, maxModulesPerOrganization: 1 });
  expect([await addKey(vendor, own), await addKey(vendor, own)]).toEqual([200, 409]);
  expect([await addKey(other, others), await addKey(other, others)]).toEqual([200, 200]);
  await expect.poll(() => codesOf(app, vendor)).toEqual([400, 'registry-quota-exceeded']);
  expect((await app.as(vendor).get('/usage')).body.maxModules).toBe(1);
  expect(await codesOf(app, other)).toEqual([200]);
  await limit(app, vendor, {});
  expect(await addKey(vendor, own)).toBe(200);
  await expect.poll(() => codesOf(app, vendor)).toEqual([200]);
});

test('an organization is slowed down: its imports of a minute, its requests of a second and its bytes', async ({
  app,
}) => {
  const [vendor, other] = [await app.organization(), await app.organization()];
  await limit(app, vendor, { maxImportsPerMinute: 1 });
  expect([await codesOf(app, vendor), await codesOf(app, vendor)]).toEqual([[200], [429]]);
  await limit(app, vendor, { maxStoredBytesPerOrganization: 10 });
  expect((await app.importPackage(vendor, newPackage(app))).body.code).toBe('quota-exceeded');
  await limit(app, vendor, { maxRequestsPerSecondPerOrganization: 1 });
  const statuses: number[] = [];
  for (let count = 0; count < 40; count += 1) statuses.push((await app.as(vendor).get('/modules')).status);
  expect(statuses).toContain(429);
  expect((await app.as(other).get('/modules')).status).toBe(200);
});

test('the audit log has each change of the limits, once', async ({ app }) => {
  const vendor = await app.organization();
  for (const limits of [{}, { maxImportsPerMinute: 5 }, { maxImportsPerMinute: 5 }, {}])
    await app.as('operator').put(`/operations/organizations/${vendor.id}/limits`, limits);
  const { items } = (await app.as(vendor).get('/auditLog')).body;
  const details = (items as { action: string; details: unknown }[])
    .filter(({ action }) => action === 'organization.limitsChanged')
    .map((each) => each.details);
  expect(details).toEqual([{}, { maxImportsPerMinute: '5' }]);
});

test('a limit is a positive whole number with a known name, of an organization that exists', async ({
  app,
  vendor,
}) => {
  const put = async (id: string, body: object) =>
    (await app.as('operator').put(`/operations/organizations/${id}/limits`, body)).status;
  for (const limits of [{ maxImportsPerMinute: 0 }, { maxImportsPerMinute: 1.5 }, { maxModules: 1 }])
    expect(await put(vendor.id, limits)).toBe(400);
  expect(await put(randomUUID(), {})).toBe(404);
  expect((await app.as('operator').get(`/operations/organizations/${randomUUID()}/limits`)).status).toBe(404);
});
