import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { textsOf } from '../support/exported-package.ts';
import { install, putFarms, sampleFarm } from '../support/machine-access.ts';
import { storeBlocks } from '../support/many-structures.ts';
import { MEMBER } from '../support/members.ts';
import { startReading } from '../support/open-answer.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest();

const address = (app: TestApp, farmer: TestOrganization) => new URL(`/api/v8.0/${farmer.id}/export`, app.url);

async function download(app: TestApp, farmer: TestOrganization, authorization = farmer.admin) {
  const response = await fetch(address(app, farmer), { headers: { Authorization: authorization } });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function exportsInLog(app: TestApp, farmer: TestOrganization) {
  const { body } = await app.as(farmer).get('/auditLog?limit=200');
  const items = body.items as { action: string; organizationName: string }[];
  return items.filter(({ action }) => action === 'organization.exported');
}

/** Inserts alerts as a module's back end would have raised them. */
async function insertAlerts(app: TestApp, { id }: TestOrganization, moduleId: string, count: number) {
  const alert = { organizationId: id, moduleId, targetType: 'field', severity: 'warning', title: 'Dry' };
  const rows = Array.from({ length: count }, (_, index) => ({
    ...{ ...alert, id: randomUUID(), ruleId: randomUUID(), targetId: randomUUID(), message: '' },
    ...{ fingerprint: randomBytes(32), startsAt: '2027-03-01T06:00:00Z' },
    ...{ status: index % 2 === 0 ? 'firing' : 'resolved', createdAt: new Date(1_800_000_000_000 + index) },
  }));
  await app.api.database('alerts').insert(rows);
}

test('an export has all that the API returns of the organization, archived structures too', async ({
  app,
  vendor,
  module,
}) => {
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, module.moduleId);
  await putFarms(app, farmer, [sampleFarm(), { id: randomUUID(), name: 'Old farm', status: 'archived' }]);
  // More than one batch.
  await insertAlerts(app, farmer, module.moduleId, 501);
  const { response, bytes } = await download(app, farmer);
  const headers = Object.fromEntries(response.headers);
  expect(headers).toMatchObject({ 'content-type': 'application/zip', 'cache-control': 'private, no-store' });
  expect(headers['content-disposition']).toMatch(/^attachment; filename="[^"]+ \d{4}-\d\d-\d\d\.zip"/);
  const files = Object.entries(await textsOf(bytes)).map(([name, text]) => [
    name,
    JSON.parse(text) as unknown,
  ]);
  const structures = '/structures?includeArchived=true';
  const read = (form: string) => app.as(farmer).get(structures, { Accept: form });
  expect(Object.fromEntries(files)).toEqual({
    'structures.json': (await read('application/json')).body,
    'fields.geojson': (await read('application/geo+json')).body,
    'alert-rules.json': [],
    'alerts.json': await app.as(farmer).pages('/alerts'),
    'installations.json': await app.as(farmer).pages('/installations'),
    'consents.json': await app.as(farmer).pages('/consents'),
    'data-reads.json': [],
  });
});

test('an organization without data exports empty files', async ({ app }) => {
  const { bytes } = await download(app, await app.organization({ kind: 'farmer' }));
  expect(await textsOf(bytes)).toEqual({
    'structures.json': '{"farms":[]}',
    'fields.geojson': '{"type":"FeatureCollection","features":[]}',
    ...{ 'alert-rules.json': '[]\n', 'alerts.json': '[]\n' },
    ...{ 'installations.json': '[]\n', 'consents.json': '[]\n' },
    'data-reads.json': '[]\n',
  });
});

test('a member exports, and the audit log records it; HEAD is not recorded', async ({ app }) => {
  const farmer = await app.organization({ kind: 'farmer' });
  const head = await app.as(farmer, farmer.member).call('HEAD /export');
  expect([head.status, await exportsInLog(app, farmer)]).toEqual([200, []]);
  expect((await download(app, farmer, farmer.member)).response.status).toBe(200);
  expect(await exportsInLog(app, farmer)).toHaveLength(1);
});

/** Stores structures that remain longer than the socket buffers of both ends when they are deflated. */
async function storeLong(app: TestApp, farmer: TestOrganization): Promise<void> {
  // Names of the same length as these: the recorded sizes stay true.
  await storeBlocks(app, farmer, 2_500, 9_000);
  // The same one comes again after more than deflate remembers.
  const names = Array.from({ length: 10 }, () => randomBytes(6_750).toString('base64'));
  await app.api.database.raw(
    `update structures set members = '"id":"' || id || '","name":"' || (:names::text[])[1 + number % 10] || '"'
     from (select id as of_id, row_number() over (order by id) as number from structures where organization_id = :id) numbered
     where organization_id = :id and id = of_id`,
    { names, id: farmer.id },
  );
}

const slotsTaken = (app: TestApp) => app.api.structures.streamSlots.taken();

const MEANWHILE: Record<
  string,
  (app: TestApp, farmer: TestOrganization, subject: string) => Promise<Answer>
> = {
  'its reader is removed': (app, farmer, subject) => app.as(farmer).delete(`/members/${subject}`),
  'the organization is deleted': (app, farmer) => app.as('operator').delete(`/organizations/${farmer.id}`),
  'the organization is suspended': (app, farmer) =>
    app.as('operator').put(`/operations/organizations/${farmer.id}/suspension`, {
      reason: 'Unpaid.',
      farmersKeepAccess: true,
    }),
};

test.for(Object.entries(MEANWHILE))('an export is cut off when %s', async ([, change], { app }) => {
  const farmer = await app.organization({ kind: 'farmer' });
  await storeLong(app, farmer);
  const subject = randomUUID();
  await app.as(farmer).put(`/members/${subject}`, MEMBER);
  const answer = await startReading(address(app, farmer), { Authorization: await app.bearer({ subject }) });
  expect(answer.status).toBe(200);
  const changed = await change(app, farmer, subject);
  expect(changed.status, changed.text).toBeLessThan(300);
  // Its client reads nothing, so it does not notice.
  await expect.poll(() => slotsTaken(app), { timeout: 30_000 }).toBe(0);
  expect((await answer.readRest()).isWhole).toBe(false);
});

test('an export whose structures are changed meanwhile is cut off: its files would be of two states', async ({
  app,
}) => {
  const farmer = await app.organization({ kind: 'farmer' });
  await storeLong(app, farmer);
  const answer = await startReading(address(app, farmer), { Authorization: farmer.admin });
  await putFarms(app, farmer, [sampleFarm()]);
  expect((await answer.readRest()).isWhole).toBe(false);
  expect(slotsTaken(app)).toBe(0);
});

test('an organization exports twice at once; a third is refused with 429, and not recorded', async ({
  app,
}) => {
  const farmer = await app.organization({ kind: 'farmer' });
  await storeLong(app, farmer);
  const start = () => startReading(address(app, farmer), { Authorization: farmer.admin });
  const open = [await start(), await start()];
  const third = await app.as(farmer).get('/export');
  expect([third.status, third.headers.get('content-disposition')]).toEqual([429, null]);
  expect(await exportsInLog(app, farmer)).toHaveLength(2);
  for (const each of open) each.hangUp();
  await expect.poll(() => slotsTaken(app), { timeout: 30_000 }).toBe(0);
});
