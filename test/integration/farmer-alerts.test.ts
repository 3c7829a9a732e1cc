import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;
let farmer: TestOrganization;
let moduleId: string;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
  farmer = await makeFarmer();
  moduleId = await importSample(app, vendor);
});

afterAll(() => app.stop());

const makeFarmer = () => app.organization({ kind: 'farmer', tenantId: vendor.tenantId });

/** Each alert is raised shortly after the one before. */
let raisedAt = Date.now();

/** Inserts an alert as a module's back end would have raised it; returns its ID. */
async function insertAlert(organization: TestOrganization, columns: object = {}): Promise<string> {
  const id = randomUUID();
  raisedAt += 1;
  await app.api.database('alerts').insert({
    id,
    createdAt: new Date(raisedAt),
    organizationId: organization.id,
    moduleId,
    ruleId: randomUUID(),
    fingerprint: randomBytes(32),
    targetType: 'field',
    targetId: randomUUID(),
    status: 'firing',
    severity: 'warning',
    startsAt: '2027-03-01T06:00:00Z',
    title: 'Dry',
    message: 'The soil is dry.',
    ...columns,
  });
  return id;
}

const acknowledge = (alertId: string, token = farmer.admin, organization = farmer) =>
  app.as(organization, token).post(`/alerts/${alertId}/acknowledge`);

test('an alert is returned as it was raised', async () => {
  const own = await makeFarmer();
  const columns = {
    ruleId: randomUUID(),
    targetId: randomUUID(),
    fingerprint: randomBytes(32),
    value: 12.5,
    labels: JSON.stringify({ depth_cm: '30', some_label: 'x' }),
    endsAt: '2027-03-02T06:00:00Z',
    status: 'resolved',
  };
  const id = await insertAlert(own, columns);
  const { status, body } = await app.as(own, own.member).get('/alerts');
  expect(status).toBe(200);
  expect(body).toEqual({
    items: [
      {
        id,
        organizationId: own.id,
        moduleId,
        ruleId: columns.ruleId,
        target: { type: 'field', id: columns.targetId },
        status: 'resolved',
        severity: 'warning',
        startsAt: '2027-03-01T06:00:00.000+00:00',
        endsAt: '2027-03-02T06:00:00.000+00:00',
        title: 'Dry',
        message: 'The soil is dry.',
        value: 12.5,
        labels: { depth_cm: '30', some_label: 'x' },
        fingerprint: columns.fingerprint.toString('hex'),
        acknowledgedAt: null,
        acknowledgedBy: null,
        createdAt: expect.stringMatching(/\+00:00$/) as string,
        updatedAt: expect.stringMatching(/\+00:00$/) as string,
      },
    ],
    nextCursor: null,
  });
});

test('alerts are listed newest first, in pages, only for the own organization', async () => {
  const own = await makeFarmer();
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    ids.unshift(await insertAlert(own));
    await insertAlert(farmer);
  }
  const items = await app.as(own).pages<{ id: string }>('/alerts');
  expect(items.map(({ id }) => id)).toEqual(ids);
});

test('alerts that were raised at the same time are each listed once', async () => {
  const own = await makeFarmer();
  const createdAt = new Date();
  const ids = await Promise.all(Array.from({ length: 5 }, () => insertAlert(own, { createdAt })));
  const items = await app.as(own).pages<{ id: string }>('/alerts');
  expect(items.map(({ id }) => id)).toEqual(ids.toSorted().toReversed());
});

test('the list can be limited to one status, one severity or one module', async () => {
  const own = await makeFarmer();
  const otherModule = await importSample(app, vendor);
  const firing = await insertAlert(own);
  const resolved = await insertAlert(own, { status: 'resolved' });
  const other = await insertAlert(own, { moduleId: otherModule, severity: 'critical' });
  const ids = async (query: string) =>
    (await app.as(own).pages<{ id: string }>(`/alerts?${query}`)).map(({ id }) => id);
  expect(await ids('status=firing')).toEqual([other, firing]);
  expect(await ids('status=resolved')).toEqual([resolved]);
  expect(await ids('severity=critical')).toEqual([other]);
  expect(await ids('status=resolved&severity=critical')).toEqual([]);
  expect(await ids(`moduleId=${moduleId.toUpperCase()}`)).toEqual([resolved, firing]);
  expect(await ids(`moduleId=${moduleId}&status=firing`)).toEqual([firing]);
  expect(await ids(`moduleId=${randomUUID()}`)).toEqual([]);
});

test.each(['status=open', 'status=', 'status=firing&status=resolved', 'moduleId=x', 'limit=0', 'cursor=x'])(
  'the list refuses %s',
  async (query) => {
    const answer = await app.as(farmer).get(`/alerts?${query}`);
    expect([answer.status, answer.body.type]).toEqual([400, '/problems/request-invalid']);
  },
);

test('acknowledging stores the time and the user; a second time changes nothing', async () => {
  const id = await insertAlert(farmer);
  const organizations = [{ id: farmer.id, roles: ['OrganizationAdmin'] }];
  const [anna, ben] = [
    await app.bearer({ organizations, subject: 'anna' }),
    await app.bearer({ organizations, subject: 'ben' }),
  ];
  const first = await acknowledge(id, anna);
  expect(first.status, first.text).toBe(200);
  expect(first.body).toMatchObject({
    id,
    status: 'firing',
    acknowledgedAt: expect.stringMatching(/\+00:00$/) as string,
    acknowledgedBy: 'anna',
  });
  const second = await acknowledge(id, ben);
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect((await app.as(farmer).get('/alerts?limit=1')).body.items[0]).toEqual(first.body);
});

test('of many concurrent acknowledgements one is stored, and all get the same answer', async () => {
  const id = await insertAlert(farmer);
  const organizations = [{ id: farmer.id, roles: ['OrganizationAdmin'] }];
  const tokens = await Promise.all(
    Array.from({ length: 8 }, (_, index) => app.bearer({ organizations, subject: `admin ${index}` })),
  );
  const answers = await Promise.all(tokens.map((token) => acknowledge(id, token)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

test('a resolved alert can still be acknowledged', async () => {
  const id = await insertAlert(farmer, { status: 'resolved' });
  expect((await acknowledge(id)).body).toMatchObject({ status: 'resolved', acknowledgedBy: 'tester' });
});

test('an alert of another organization and an unknown one are not found and not acknowledged', async () => {
  const other = await makeFarmer();
  const id = await insertAlert(farmer);
  expect((await acknowledge(id, other.admin, other)).status).toBe(404);
  expect((await acknowledge(randomUUID())).status).toBe(404);
  expect((await acknowledge('x')).status).toBe(400);
  const row = await app.api.database('alerts').where({ id }).first<{ acknowledgedAt: Date | null }>();
  expect(row.acknowledgedAt).toBeNull();
});

test.each(['GET /alerts', `POST /alerts/${randomUUID()}/acknowledge`])(
  '%s needs a token, a membership, and a farmer',
  async (call) => {
    expect((await app.as(farmer, null).call(call)).status).toBe(401);
    expect((await app.as(farmer, vendor.admin).call(call)).status).toBe(403);
    expect((await app.as(vendor).call(call)).status).toBe(403);
  },
);

test('a member reads alerts, and only an administrator acknowledges them', async () => {
  const id = await insertAlert(farmer);
  expect((await app.as(farmer, farmer.member).get('/alerts')).status).toBe(200);
  expect((await acknowledge(id, farmer.member)).status).toBe(403);
});

test('other methods are answered with the allowed ones', async () => {
  expect((await app.as(farmer).post('/alerts')).headers.get('allow')).toBe('GET');
  const answer = await app.as(farmer).get(`/alerts/${randomUUID()}/acknowledge`);
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
});
