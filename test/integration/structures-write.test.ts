import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import {
  SQUARE,
  POINT,
  putStructures,
  storedStructures,
  structureSetOf,
  sampleStructures,
  feature,
} from '../support/input-structures.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: false, config: { server: { maxJsonBodyBytes: 200_000 } } });
});

afterAll(() => app.stop());
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

const newFarmer = () => app.organization({ kind: 'farmer' });

test.each(['application/json', 'application/geo+json', 'application/x-ndjson'])(
  'structures are written and deleted only if they are those of If-Match, read as %s',
  async (Accept) => {
    const farmer = await newFarmer();
    const own = app.as(farmer);
    const read = (query = '') => app.as(farmer).get(`/structures${query}`, { Accept });
    const tagOf = async (query?: string) => (await read(query)).headers.get('etag') ?? '';
    const put = (ifMatch: string) => own.put('/structures', sampleStructures().body, { 'If-Match': ifMatch });
    const erase = (ifMatch: string) => own.delete('/structures', { 'If-Match': ifMatch });
    const first = await tagOf();
    expect((await put(first)).status).toBe(200);
    const second = await tagOf();
    for (const refused of [await put(first), await erase(first)])
      expect([refused.status, refused.body.type]).toEqual([412, '/problems/structures-changed']);
    expect(await tagOf()).toBe(second);
    expect((await put('second')).status).toBe(400);
    expect((await put(`"x", ${await tagOf('?includeArchived=true')}`)).status).toBe(200);
    expect((await erase(await tagOf())).status).toBe(204);
    expect((await put('*')).status).toBe(200);
  },
);

test('a new farm is stored with all its structures, every member in its order', async () => {
  const farmer = await newFarmer();
  const { ids, body } = sampleStructures();
  const answer = await putStructures(app, farmer, body);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({ created: 4, updated: 0, unchanged: 0 });
  const rows = await storedStructures(app, farmer);
  const time = expect.stringMatching(DATE_TIME) as string;
  const times = { createdAt: time, updatedAt: time };
  expect(rows.get(ids.farm)).toMatchObject({ kind: 'farm', farmId: ids.farm, fieldId: null, section: 0 });
  expect(rows.get(ids.farm)).toMatchObject({
    branchId: ids.farm,
    level: 0,
    status: 'active',
    geometry: null,
  });
  expect(rows.get(ids.farm)?.members).toEqual({
    ...{ id: ids.farm, name: 'Høgård "é 🌾"', code: null, status: 'active' },
    ...{ externalIds: [{ source: 'erp', id: '1' }], countryCode: 'NL', timeZone: 'Europe/Amsterdam' },
    ...{ location: POINT, areaM2: null, ...times },
  });
  expect(rows.get(ids.field)).toMatchObject({ kind: 'field', farmId: ids.farm, fieldId: ids.field });
  expect(rows.get(ids.field)).toMatchObject({ section: 1, branchId: ids.field, level: 0, geometry: SQUARE });
  expect(rows.get(ids.field)?.names.join()).toBe(
    'id,farmId,name,code,status,externalIds,areaM2,arableAreaM2,soilTextureType,createdAt,updatedAt',
  );
  expect(rows.get(ids.block)).toMatchObject({ kind: 'block', farmId: ids.farm, fieldId: ids.field });
  expect(rows.get(ids.block)).toMatchObject({ section: 1, branchId: ids.field, level: 1, geometry: POINT });
  expect(rows.get(ids.block)?.names.join()).toBe(
    'id,fieldId,farmId,name,code,status,externalIds,areaM2,cropId,plantedAt,rowSpacingM,plantSpacingM,' +
      'irrigationSystemType,irrigationStationIds,createdAt,updatedAt',
  );
  expect(rows.get(ids.station)).toMatchObject({ fieldId: null, section: 2, branchId: ids.station, level: 0 });
  expect(rows.get(ids.station)?.geometry).toEqual(POINT);
  expect(rows.get(ids.station)?.names.join()).toBe(
    'id,farmId,name,code,status,externalIds,kind,waterSource,maxFlowM3PerHour,nominalPressureKPa,createdAt,updatedAt',
  );
  expect(await structureSetOf(app, farmer)).toEqual({ version: 1, structures: 4 });
});

test('the same body again changes neither updatedAt nor the version', async () => {
  const farmer = await newFarmer();
  const { body } = sampleStructures();
  await putStructures(app, farmer, body);
  const before = await storedStructures(app, farmer);
  const answer = await putStructures(app, farmer, body);
  expect(answer.body).toEqual({ created: 0, updated: 0, unchanged: 4 });
  expect(await storedStructures(app, farmer)).toEqual(before);
  expect(await structureSetOf(app, farmer)).toEqual({ version: 1, structures: 4 });
});

test('omitted members are kept, null clears, and IDs are the same in any letter case', async () => {
  const farmer = await newFarmer();
  const { ids, body } = sampleStructures();
  await putStructures(app, farmer, body);
  const before = await storedStructures(app, farmer);
  const farm = {
    id: ids.farm.toUpperCase(),
    code: 'H-1',
    countryCode: null,
    location: null,
    externalIds: null,
  };
  expect((await putStructures(app, farmer, { farms: [farm] })).body).toEqual({
    created: 0,
    updated: 1,
    unchanged: 0,
  });
  const after = await storedStructures(app, farmer);
  expect(after.size).toBe(4);
  const { members } = after.get(ids.farm)!;
  expect(members).toMatchObject({ code: 'H-1', countryCode: null, location: null, externalIds: [] });
  expect(members).toMatchObject({
    timeZone: 'Europe/Amsterdam',
    createdAt: before.get(ids.farm)!.members['createdAt'],
  });
  expect(after.get(ids.field)).toEqual(before.get(ids.field));
  expect(await structureSetOf(app, farmer)).toEqual({ version: 2, structures: 4 });
});

test('an area is computed unless it is sent, and computed again when the geometry changes', async () => {
  const farmer = await newFarmer();
  const { ids, field, body } = sampleStructures();
  const write = async (members: object) => {
    const answer = await putStructures(app, farmer, {
      farms: [{ id: ids.farm, fields: [{ id: field.id, ...members }] }],
    });
    expect(answer.status, answer.text).toBe(200);
    return (await storedStructures(app, farmer)).get(ids.field)!.members['areaM2'];
  };
  await putStructures(app, farmer, body);
  const computed = (await storedStructures(app, farmer)).get(ids.field)!.members['areaM2'] as number;
  expect(computed).toBeGreaterThan(760_000);
  expect(computed).toBeLessThan(764_000);
  expect(computed).toBe(Math.round(computed * 100) / 100);
  expect(await write({ areaM2: 5 })).toBe(5);
  expect(await write({ boundary: SQUARE })).toBe(5);
  expect(await write({ areaM2: null })).toBe(computed);
  expect(await write({ boundary: null })).toBe(null);
  expect(await write({ boundary: SQUARE })).toBe(computed);
  expect(await write({ areaM2: 7, boundary: null })).toBe(7);
  expect(await write({ name: 'Hill 2' })).toBe(7);
});

test('an ID is unique only within an organization', async () => {
  const { body } = sampleStructures();
  for (const farmer of [await newFarmer(), await newFarmer()]) {
    expect((await putStructures(app, farmer, body)).body).toMatchObject({ created: 4 });
  }
});

test('a FeatureCollection stores the same as the nested form, even with children before parents', async () => {
  const [nested, flat] = [await newFarmer(), await newFarmer()];
  const { ids, farm, body } = sampleStructures();
  await putStructures(app, nested, { farms: [{ ...farm, boundary: SQUARE }] });
  const { name, countryCode, timeZone, location, externalIds } = farm;
  const members = { name, countryCode, timeZone, location, externalIds };
  const features = [
    feature('block', ids.block, POINT, {
      fieldId: ids.field,
      name: 'North',
      irrigationStationIds: [ids.station],
    }),
    feature('field', ids.field, SQUARE, { farmId: ids.farm, name: 'Hill' }),
    feature('irrigationStation', ids.station, POINT, {
      farmId: ids.farm,
      name: 'Pump 1',
      kind: 'pump',
      maxFlowM3PerHour: 12.5,
    }),
    feature('farm', ids.farm, SQUARE, members),
  ];
  const collection = { type: 'FeatureCollection', name: 'layer', features };
  const answer = await putStructures(app, flat, collection, {
    headers: { 'Content-Type': 'application/geo+json' },
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({ created: 4, updated: 0, unchanged: 0 });
  const timeless = async (farmer: TestOrganization) =>
    [...(await storedStructures(app, farmer)).values()]
      .map((row) => ({
        ...row,
        organizationId: '',
        members: { ...row.members, createdAt: '', updatedAt: '' },
      }))
      .toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  expect(await timeless(flat)).toEqual(await timeless(nested));
  expect((await putStructures(app, flat, body)).body).toMatchObject({ unchanged: 4 });
  expect((await putStructures(app, flat, collection)).body).toMatchObject({ unchanged: 4 });
});

test('a Feature of a stored structure needs no parent, and its null geometry clears', async () => {
  const farmer = await newFarmer();
  const { ids, body } = sampleStructures();
  await putStructures(app, farmer, body);
  const features = [feature('block', ids.block, null, {}), feature('farm', ids.farm, null, { code: 'A' })];
  expect((await putStructures(app, farmer, { type: 'FeatureCollection', features })).body).toMatchObject({
    updated: 2,
  });
  const rows = await storedStructures(app, farmer);
  expect(rows.get(ids.block)).toMatchObject({ geometry: null, fieldId: ids.field });
  expect(rows.get(ids.farm)?.members).toMatchObject({ code: 'A', location: POINT });
});

test('ten concurrent writers of one organization: all structures are stored and counted', async () => {
  const farmer = await newFarmer();
  const shared = sampleStructures();
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () =>
      putStructures(app, farmer, { farms: [shared.farm, sampleStructures().farm] }),
    ),
  );
  expect(answers.map((each) => each.status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(answers.reduce((sum, each) => sum + (each.body.created as number), 0)).toBe(44);
  expect(await structureSetOf(app, farmer)).toEqual({ version: 10, structures: 44 });
});

test('deleting removes everything and counts as a change; the IDs can be used again', async () => {
  const farmer = await newFarmer();
  const { body } = sampleStructures();
  expect((await putStructures(app, farmer, null, { method: 'DELETE' })).status).toBe(204);
  await putStructures(app, farmer, body);
  const answer = await putStructures(app, farmer, null, { method: 'DELETE' });
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect((await storedStructures(app, farmer)).size).toBe(0);
  expect(await structureSetOf(app, farmer)).toEqual({ version: 2, structures: 0 });
  expect((await putStructures(app, farmer, body)).body).toMatchObject({ created: 4 });
  expect(await structureSetOf(app, farmer)).toEqual({ version: 3, structures: 4 });
});

test('more structures than fit into one statement are stored as one change', async () => {
  const farmer = await newFarmer();
  const farms = Array.from({ length: 2_500 }, (_, index) => ({ id: randomUUID(), name: `Farm ${index}` }));
  expect((await putStructures(app, farmer, { farms })).body).toEqual({
    created: 2_500,
    updated: 0,
    unchanged: 0,
  });
  const renamed = farms.map((farm, index) => (index % 2 === 0 ? farm : { ...farm, name: 'B' }));
  expect((await putStructures(app, farmer, { farms: renamed })).body).toEqual({
    created: 0,
    updated: 1_250,
    unchanged: 1_250,
  });
  expect(await structureSetOf(app, farmer)).toEqual({ version: 2, structures: 2_500 });
});
