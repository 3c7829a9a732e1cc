import { afterAll, beforeAll, expect, test } from 'vitest';
import { putFarms, sampleFarm } from '../support/machine-access.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let farmer: TestOrganization;
const farm = sampleFarm();

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  farmer = await app.organization({ kind: 'farmer' });
  await putFarms(app, farmer, [
    farm,
    { ...sampleFarm(), status: 'archived', location: { type: 'Point', coordinates: [9, 48] } },
  ]);
});

afterAll(() => app.stop());

async function read(accept = 'application/json', query = '', authorization = farmer.member): Promise<Answer> {
  return app.as(farmer, authorization).get(`/structures${query}`, { Accept: accept });
}

test('a farmer reads its farms back, nested, as JSON', async () => {
  const answer = await read();
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({
    farms: [
      {
        id: farm.id,
        name: 'Home farm',
        status: 'active',
        fields: [{ id: farm.fields[0]?.id, farmId: farm.id, blocks: [{ fieldId: farm.fields[0]?.id }] }],
        irrigationStations: [{ kind: 'pump' }],
      },
    ],
  });
  expect(Object.keys(answer.body as object)).toEqual(['farms']);
});

test.each(['application/json', 'application/geo+json'])(
  'structures read as %s and stored again are unchanged',
  async (type) => {
    const answer = await read(type, '?includeArchived=true');
    const written = await app.fetch(`/api/v8.0/${farmer.id}/structures`, {
      method: 'PUT',
      headers: { Authorization: farmer.admin, 'Content-Type': type },
      body: answer.text,
    });
    expect(written.text).toBe(JSON.stringify({ created: 0, updated: 0, unchanged: 8 }));
  },
);

test('NDJSON is one line for the organization', async () => {
  const answer = await read('application/x-ndjson');
  expect(JSON.parse(answer.text)).toMatchObject({ organizationId: farmer.id, farms: [{ id: farm.id }] });
});

test('the farms have an ETag', async () => {
  const etag = (await read()).headers.get('etag') ?? '';
  const again = await app.as(farmer, farmer.member).get('/structures', { 'If-None-Match': etag });
  expect(again.status).toBe(304);
});

test('an organization without structures has no farms', async () => {
  const other = await app.organization({ kind: 'farmer' });
  expect((await app.as(other).get('/structures')).body).toEqual({ farms: [] });
});

test("strangers and vendors cannot read a farmer's structures", async () => {
  const other = await app.organization({ kind: 'farmer' });
  expect((await read('application/json', '', other.admin)).status).toBe(403);
  const vendor = await app.organization();
  expect((await app.as(vendor).get('/structures')).status).toBe(403);
});
