import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pointersOf } from '../support/problem-pointers.ts';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.ts';
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

const newFarmer = () => app.organization({ kind: 'farmer' });

const locations = (answer: Answer) => pointersOf(answer).toSorted();

test('a body with one issue stores nothing, and every issue is returned with its location', async () => {
  const farmer = await newFarmer();
  const { ids, farm, field, block, station } = sampleStructures();
  await putStructures(app, farmer, {
    farms: [{ id: ids.farm, name: 'Farm', irrigationStations: [station] }],
  });
  const bowTie = [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]; // prettier-ignore
  const badBlocks = [
    { ...block, id: randomUUID(), name: null, plantedAt: '2027-02-30' },
    { id: randomUUID(), geometry: { type: 'Polygon', coordinates: bowTie }, rowSpacingM: -1, colour: 'red' },
    { ...block, id: 'x', irrigationStationIds: [randomUUID()] },
    { ...block, irrigationStationIds: [ids.station, ids.field] },
    { ...block, id: ids.block.toUpperCase() },
  ];
  const answer = await putStructures(app, farmer, {
    farms: [
      {
        ...farm,
        countryCode: 'nl',
        timeZone: 'Mars/Olympus',
        status: null,
        fields: [{ ...field, blocks: badBlocks }],
      },
      {
        id: randomUUID(),
        name: 'B',
        fields: [{ id: ids.station, name: 'C' }],
        irrigationStations: [station],
      },
    ],
    more: 1,
  });
  expect(answer.status).toBe(400);
  const blocks = '/farms/0/fields/0/blocks';
  expect(locations(answer)).toEqual(
    [
      ...['/farms/0/countryCode', '/farms/0/timeZone', '/farms/0/status', '/more'],
      ...[`${blocks}/0/name`, `${blocks}/0/plantedAt`, `${blocks}/1/name`, `${blocks}/1/colour`],
      ...[`${blocks}/1/geometry/coordinates/0/2`, `${blocks}/1/rowSpacingM`, `${blocks}/2/id`],
      ...[`${blocks}/3/irrigationStationIds/1`, `${blocks}/4/id`],
      ...['/farms/1/fields/0/id', '/farms/1/irrigationStations/0/id'],
    ].toSorted(),
  );
  expect(answer.body.errorsTotal).toBe(15);
  expect([...(await storedStructures(app, farmer)).keys()].toSorted()).toEqual(
    [ids.farm, ids.station].toSorted(),
  );
  expect(await structureSetOf(app, farmer)).toEqual({ version: 1, structures: 2 });
});

test('of many issues a hundred are returned and all are counted', async () => {
  const farms = Array.from({ length: 250 }, () => ({ id: randomUUID() }));
  const answer = await putStructures(app, await newFarmer(), { farms });
  expect(answer.body.errors).toHaveLength(100);
  expect(answer.body.errorsTotal).toBe(250);
});

test('a structure never changes its kind, field or farm', async () => {
  const farmer = await newFarmer();
  const [one, two] = [sampleStructures(), sampleStructures()];
  await putStructures(app, farmer, { farms: [one.farm, two.farm] });
  const moved = await putStructures(app, farmer, {
    farms: [{ id: one.ids.farm, fields: [{ id: two.ids.field, blocks: [{ id: one.ids.block }] }] }],
  });
  expect(locations(moved)).toEqual(['/farms/0/fields/0/blocks/0/id', '/farms/0/fields/0/id']);
  const restated = await putStructures(app, farmer, {
    farms: [{ id: one.ids.farm, fields: [{ id: one.ids.field, farmId: two.ids.farm }] }],
  });
  expect(locations(restated)).toEqual(['/farms/0/fields/0/farmId']);
  const other = await putStructures(app, farmer, {
    farms: [{ id: one.ids.field }, { id: randomUUID(), name: 'A', fields: [{ id: one.ids.farm }] }],
  });
  expect(locations(other)).toEqual(['/farms/0/id', '/farms/1/fields/0/id']);
});

test('issues of a FeatureCollection have their locations', async () => {
  const farmer = await newFarmer();
  const { ids, body } = sampleStructures();
  await putStructures(app, farmer, body);
  const answer = await putStructures(app, farmer, {
    type: 'FeatureCollection',
    crs: {},
    features: [
      feature('field', randomUUID(), SQUARE, { name: 'A', farmId: randomUUID() }),
      feature('field', randomUUID(), SQUARE, { name: 'A' }),
      feature('barn', randomUUID(), null, {}),
      feature('block', randomUUID(), POINT, { name: 'A', fieldId: ids.field, farmId: randomUUID() }),
      feature('block', ids.block, { type: 'Point', coordinates: [52, 181] }, { fieldId: randomUUID() }),
      feature('farm', ids.farm, POINT, {
        location: { ...POINT, coordinates: [1, 1] },
        boundary: SQUARE,
        fieldId: ids.field,
      }),
      { ...feature('farm', 'x', POINT, { name: 'A', id: randomUUID() }), more: 1 },
      { type: 'Feature', id: randomUUID(), geometry: POINT },
    ],
  });
  expect(answer.status).toBe(400);
  expect(locations(answer)).toEqual([
    '/crs',
    '/features/0/properties/farmId',
    '/features/1/properties/farmId',
    '/features/2/properties/structureType',
    '/features/3/properties/farmId',
    '/features/4/geometry/coordinates',
    '/features/4/properties/fieldId',
    '/features/5/geometry',
    '/features/5/properties/boundary',
    '/features/5/properties/fieldId',
    '/features/6/id',
    '/features/6/more',
    '/features/7/properties',
  ]);
});

test('only an administrator of a farmer stores and deletes structures', async () => {
  const [farmer, vendor] = [await newFarmer(), await app.organization()];
  const { body } = sampleStructures();
  for (const method of ['PUT', 'DELETE']) {
    expect((await putStructures(app, vendor, body, { method })).status).toBe(403);
    expect(
      (await putStructures(app, farmer, body, { method, headers: { Authorization: farmer.member } })).status,
    ).toBe(403);
    expect(
      (await putStructures(app, farmer, body, { method, headers: { Authorization: vendor.admin } })).status,
    ).toBe(403);
    expect((await putStructures(app, farmer, body, { method, headers: { Authorization: '' } })).status).toBe(
      401,
    );
  }
  expect((await putStructures(app, farmer, body, { method: 'POST' })).headers.get('allow')).toBe(
    'GET, PUT, DELETE',
  );
  expect((await storedStructures(app, farmer)).size).toBe(0);
});

test('a body that is not JSON, too large or too deep is refused', async () => {
  const farmer = await newFarmer();
  const { body, ids } = sampleStructures();
  const text = await putStructures(app, farmer, body, { headers: { 'Content-Type': 'text/csv' } });
  expect(text.body).toMatchObject({ status: 400, type: '/problems/request-invalid' });
  expect((await putStructures(app, farmer, null, { raw: '{' })).status).toBe(400);
  for (const raw of ['[]', '{}', '{"farms":{}}', '{"type":"Feature"}', '{"type":"FeatureCollection"}']) {
    expect((await putStructures(app, farmer, null, { raw })).body.errorsTotal, raw).toBeGreaterThan(0);
  }
  expect((await putStructures(app, farmer, { farms: ['x'.repeat(200_001)] })).status).toBe(413);
  const deep = '['.repeat(90_000) + ']'.repeat(90_000);
  const raw = `{"farms":[{"id":"${ids.farm}","name":"A","location":{"type":"Point","coordinates":${deep}}}]}`;
  expect((await putStructures(app, farmer, null, { raw })).body).toMatchObject({
    status: 400,
    errorsTotal: 1,
  });
  const infinite = `{"farms":[{"id":"${ids.farm}","name":"A","areaM2":1e999,"location":{"type":"Point","coordinates":[1e999,0]}}]}`;
  expect(locations(await putStructures(app, farmer, null, { raw: infinite }))).toEqual([
    '/farms/0/areaM2',
    '/farms/0/location/coordinates',
  ]);
  expect((await storedStructures(app, farmer)).size).toBe(0);
});
