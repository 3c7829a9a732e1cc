import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp } from '../support/test-app.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: false, settings: { MAX_JSON_BODY_BYTES: '200000' } });
});

afterAll(() => app.stop());

const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [5, 52],
      [5.01, 52],
      [5.01, 52.01],
      [5, 52.01],
      [5, 52],
    ],
  ],
};
const POINT = { type: 'Point', coordinates: [5.005, 52.005] };
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

interface Row {
  readonly kind: string;
  readonly status: string;
  readonly farmId: string;
  readonly fieldId: string | null;
  readonly section: number;
  readonly branchId: string;
  readonly level: number;
  readonly members: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
  readonly geometry: unknown;
}

interface Send {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly raw?: string;
}

async function put(
  farmer: TestOrganization,
  body: unknown,
  { method = 'PUT', headers = {}, raw }: Send = {},
) {
  return app.fetch(`/api/v8.0/${farmer.id}/structures`, {
    method,
    headers: { Authorization: farmer.admin, 'Content-Type': 'application/json', ...headers },
    ...(method === 'PUT' && { body: raw ?? JSON.stringify(body) }),
  });
}

async function newFarmer(): Promise<TestOrganization> {
  return app.organization({ kind: 'farmer' });
}

async function stored(farmer: TestOrganization): Promise<ReadonlyMap<string, Row>> {
  type TextRow = Omit<Row, 'members' | 'names'> & { id: string; members: string; geometry: string | null };
  const rows = await app.api
    .database('structures')
    .where({ organizationId: farmer.id })
    .select<TextRow[]>('*');
  return new Map(
    rows.map((row) => {
      const members = JSON.parse(`{${row.members}}`) as Row['members'];
      const geometry: unknown = row.geometry === null ? null : JSON.parse(row.geometry);
      return [row.id, { ...row, members, names: Object.keys(members), geometry }];
    }),
  );
}

/** The set's counts, after comparing them to the rows. */
async function setOf(farmer: TestOrganization): Promise<{ version: number; structures: number } | undefined> {
  const set = await app.api
    .database('structure_sets')
    .where({ organizationId: farmer.id })
    .first<{ version: number; structures: number; bytes: number } | undefined>();
  const { rows } = await app.api.database.raw<{ rows: [{ structures: number; bytes: number }] }>(
    `select count(*) as structures, coalesce(sum(length(members) + coalesce(length(geometry), 0)), 0)::bigint as bytes
     from structures where organization_id = ?`,
    [farmer.id],
  );
  if (set !== undefined) expect(set).toMatchObject(rows[0]);
  return set && { version: set.version, structures: set.structures };
}

function sample() {
  const ids = { farm: randomUUID(), field: randomUUID(), block: randomUUID(), station: randomUUID() };
  const block = { id: ids.block, name: 'North', geometry: POINT, irrigationStationIds: [ids.station] };
  const field = { id: ids.field, name: 'Hill', boundary: SQUARE, blocks: [block] };
  const station = { id: ids.station, name: 'Pump 1', kind: 'pump', location: POINT, maxFlowM3PerHour: 12.5 };
  const farm = {
    id: ids.farm,
    name: 'Høgård "é 🌾"',
    countryCode: 'NL',
    timeZone: 'Europe/Amsterdam',
    location: POINT,
    externalIds: [{ source: 'erp', id: '1' }],
    fields: [field],
    irrigationStations: [station],
  };
  return { ids, block, field, station, farm, body: { farms: [farm] } };
}

const places = (answer: Answer) =>
  (answer.body.errors as { pointer: string }[]).map(({ pointer }) => pointer).toSorted();

test('a new farm is stored with all that is in it, every member in its order', async () => {
  const farmer = await newFarmer();
  const { ids, body } = sample();
  const answer = await put(farmer, body);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({ created: 4, updated: 0, unchanged: 0 });
  const rows = await stored(farmer);
  const time = expect.stringMatching(MOMENT) as string;
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
  expect(await setOf(farmer)).toEqual({ version: 1, structures: 4 });
});

test('the same body again changes nothing, neither updatedAt nor the version', async () => {
  const farmer = await newFarmer();
  const { body } = sample();
  await put(farmer, body);
  const before = await stored(farmer);
  const answer = await put(farmer, body);
  expect(answer.body).toEqual({ created: 0, updated: 0, unchanged: 4 });
  expect(await stored(farmer)).toEqual(before);
  expect(await setOf(farmer)).toEqual({ version: 1, structures: 4 });
});

test('what is left out stays, null clears, and IDs are the same in any letter case', async () => {
  const farmer = await newFarmer();
  const { ids, body } = sample();
  await put(farmer, body);
  const before = await stored(farmer);
  const farm = {
    id: ids.farm.toUpperCase(),
    code: 'H-1',
    countryCode: null,
    location: null,
    externalIds: null,
  };
  expect((await put(farmer, { farms: [farm] })).body).toEqual({ created: 0, updated: 1, unchanged: 0 });
  const after = await stored(farmer);
  expect(after.size).toBe(4);
  const { members } = after.get(ids.farm)!;
  expect(members).toMatchObject({ code: 'H-1', countryCode: null, location: null, externalIds: [] });
  expect(members).toMatchObject({
    timeZone: 'Europe/Amsterdam',
    createdAt: before.get(ids.farm)!.members['createdAt'],
  });
  expect(after.get(ids.field)).toEqual(before.get(ids.field));
  expect(await setOf(farmer)).toEqual({ version: 2, structures: 4 });
});

test('an area is computed unless it is told, and computed again when the geometry changes', async () => {
  const farmer = await newFarmer();
  const { ids, field, body } = sample();
  const write = async (members: object) => {
    const answer = await put(farmer, { farms: [{ id: ids.farm, fields: [{ id: field.id, ...members }] }] });
    expect(answer.status, answer.text).toBe(200);
    return (await stored(farmer)).get(ids.field)!.members['areaM2'];
  };
  await put(farmer, body);
  const computed = (await stored(farmer)).get(ids.field)!.members['areaM2'] as number;
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

test('a body with one fault stores nothing, and every fault is told with its place', async () => {
  const farmer = await newFarmer();
  const { ids, farm, field, block, station } = sample();
  await put(farmer, { farms: [{ id: ids.farm, name: 'Farm', irrigationStations: [station] }] });
  const bowTie = [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]; // prettier-ignore
  const badBlocks = [
    { ...block, id: randomUUID(), name: null, plantedAt: '2027-02-30' },
    { id: randomUUID(), geometry: { type: 'Polygon', coordinates: bowTie }, rowSpacingM: -1, colour: 'red' },
    { ...block, id: 'x', irrigationStationIds: [randomUUID()] },
    { ...block, irrigationStationIds: [ids.station, ids.field] },
    { ...block, id: ids.block.toUpperCase() },
  ];
  const answer = await put(farmer, {
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
  expect(places(answer)).toEqual(
    [
      ...['/farms/0/countryCode', '/farms/0/timeZone', '/farms/0/status', '/more'],
      ...[`${blocks}/0/name`, `${blocks}/0/plantedAt`, `${blocks}/1/name`, `${blocks}/1/colour`],
      ...[`${blocks}/1/geometry/coordinates/0/2`, `${blocks}/1/rowSpacingM`, `${blocks}/2/id`],
      ...[`${blocks}/3/irrigationStationIds/1`, `${blocks}/4/id`],
      ...['/farms/1/fields/0/id', '/farms/1/irrigationStations/0/id'],
    ].toSorted(),
  );
  expect(answer.body.errorsTotal).toBe(15);
  expect([...(await stored(farmer)).keys()].toSorted()).toEqual([ids.farm, ids.station].toSorted());
  expect(await setOf(farmer)).toEqual({ version: 1, structures: 2 });
});

test('of many faults a hundred are listed and all are counted', async () => {
  const farms = Array.from({ length: 250 }, () => ({ id: randomUUID() }));
  const answer = await put(await newFarmer(), { farms });
  expect(answer.body.errors).toHaveLength(100);
  expect(answer.body.errorsTotal).toBe(250);
});

test('a structure never changes its kind, field or farm', async () => {
  const farmer = await newFarmer();
  const [one, two] = [sample(), sample()];
  await put(farmer, { farms: [one.farm, two.farm] });
  const moved = await put(farmer, {
    farms: [{ id: one.ids.farm, fields: [{ id: two.ids.field, blocks: [{ id: one.ids.block }] }] }],
  });
  expect(places(moved)).toEqual(['/farms/0/fields/0/blocks/0/id', '/farms/0/fields/0/id']);
  const told = await put(farmer, {
    farms: [{ id: one.ids.farm, fields: [{ id: one.ids.field, farmId: two.ids.farm }] }],
  });
  expect(places(told)).toEqual(['/farms/0/fields/0/farmId']);
  const other = await put(farmer, {
    farms: [{ id: one.ids.field }, { id: randomUUID(), name: 'A', fields: [{ id: one.ids.farm }] }],
  });
  expect(places(other)).toEqual(['/farms/0/id', '/farms/1/fields/0/id']);
});

test('an ID belongs to one organization: another may have the same', async () => {
  const { body } = sample();
  for (const farmer of [await newFarmer(), await newFarmer()]) {
    expect((await put(farmer, body)).body).toMatchObject({ created: 4 });
  }
});

function feature(structureType: string, id: string, geometry: unknown, properties: object) {
  return { type: 'Feature', id, geometry, properties: { structureType, ...properties } };
}

test('a FeatureCollection stores the same as the nested form, children before parents as well', async () => {
  const [nested, flat] = [await newFarmer(), await newFarmer()];
  const { ids, farm, body } = sample();
  await put(nested, { farms: [{ ...farm, boundary: SQUARE }] });
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
  const answer = await put(flat, collection, { headers: { 'Content-Type': 'application/geo+json' } });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({ created: 4, updated: 0, unchanged: 0 });
  const timeless = async (farmer: TestOrganization) =>
    [...(await stored(farmer)).values()]
      .map((row) => ({
        ...row,
        organizationId: '',
        members: { ...row.members, createdAt: '', updatedAt: '' },
      }))
      .toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  expect(await timeless(flat)).toEqual(await timeless(nested));
  expect((await put(flat, body)).body).toMatchObject({ unchanged: 4 });
  expect((await put(flat, collection)).body).toMatchObject({ unchanged: 4 });
});

test('a Feature of what is stored needs no parent, and its null geometry clears', async () => {
  const farmer = await newFarmer();
  const { ids, body } = sample();
  await put(farmer, body);
  const features = [feature('block', ids.block, null, {}), feature('farm', ids.farm, null, { code: 'A' })];
  expect((await put(farmer, { type: 'FeatureCollection', features })).body).toMatchObject({ updated: 2 });
  const rows = await stored(farmer);
  expect(rows.get(ids.block)).toMatchObject({ geometry: null, fieldId: ids.field });
  expect(rows.get(ids.farm)?.members).toMatchObject({ code: 'A', location: POINT });
});

test('faults of a FeatureCollection have their places', async () => {
  const farmer = await newFarmer();
  const { ids, body } = sample();
  await put(farmer, body);
  const answer = await put(farmer, {
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
  expect(places(answer)).toEqual([
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

test('only an administrator of a farmer writes and erases', async () => {
  const [farmer, vendor] = [await newFarmer(), await app.organization()];
  const { body } = sample();
  for (const method of ['PUT', 'DELETE']) {
    expect((await put(vendor, body, { method })).status).toBe(403);
    expect((await put(farmer, body, { method, headers: { Authorization: farmer.member } })).status).toBe(403);
    expect((await put(farmer, body, { method, headers: { Authorization: vendor.admin } })).status).toBe(403);
    expect((await put(farmer, body, { method, headers: { Authorization: '' } })).status).toBe(401);
  }
  expect((await put(farmer, body, { method: 'POST' })).headers.get('allow')).toBe('GET, PUT, DELETE');
  expect((await stored(farmer)).size).toBe(0);
});

test('a body that is no JSON, too large or too deep is refused', async () => {
  const farmer = await newFarmer();
  const { body, ids } = sample();
  const text = await put(farmer, body, { headers: { 'Content-Type': 'text/csv' } });
  expect(text.body).toMatchObject({ status: 400, type: '/problems/request-invalid' });
  expect((await put(farmer, null, { raw: '{' })).status).toBe(400);
  for (const raw of ['[]', '{}', '{"farms":{}}', '{"type":"Feature"}', '{"type":"FeatureCollection"}']) {
    expect((await put(farmer, null, { raw })).body.errorsTotal, raw).toBeGreaterThan(0);
  }
  expect((await put(farmer, { farms: ['x'.repeat(200_001)] })).status).toBe(413);
  const deep = '['.repeat(90_000) + ']'.repeat(90_000);
  const raw = `{"farms":[{"id":"${ids.farm}","name":"A","location":{"type":"Point","coordinates":${deep}}}]}`;
  expect((await put(farmer, null, { raw })).body).toMatchObject({ status: 400, errorsTotal: 1 });
  const infinite = `{"farms":[{"id":"${ids.farm}","name":"A","areaM2":1e999,"location":{"type":"Point","coordinates":[1e999,0]}}]}`;
  expect(places(await put(farmer, null, { raw: infinite }))).toEqual([
    '/farms/0/areaM2',
    '/farms/0/location/coordinates',
  ]);
  expect((await stored(farmer)).size).toBe(0);
});

test('ten writers of one organization at once: everything is there and counted', async () => {
  const farmer = await newFarmer();
  const shared = sample();
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => put(farmer, { farms: [shared.farm, sample().farm] })),
  );
  expect(answers.map((each) => each.status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(answers.reduce((sum, each) => sum + (each.body.created as number), 0)).toBe(44);
  expect(await setOf(farmer)).toEqual({ version: 10, structures: 44 });
});

test('erasing removes everything and counts as a change; the IDs are free again', async () => {
  const farmer = await newFarmer();
  const { body } = sample();
  expect((await put(farmer, null, { method: 'DELETE' })).status).toBe(204);
  await put(farmer, body);
  const answer = await put(farmer, null, { method: 'DELETE' });
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect((await stored(farmer)).size).toBe(0);
  expect(await setOf(farmer)).toEqual({ version: 2, structures: 0 });
  expect((await put(farmer, body)).body).toMatchObject({ created: 4 });
  expect(await setOf(farmer)).toEqual({ version: 3, structures: 4 });
});

test('more structures than one statement takes are written as one', async () => {
  const farmer = await newFarmer();
  const farms = Array.from({ length: 2_500 }, (_, index) => ({ id: randomUUID(), name: `Farm ${index}` }));
  expect((await put(farmer, { farms })).body).toEqual({ created: 2_500, updated: 0, unchanged: 0 });
  const renamed = farms.map((farm, index) => (index % 2 === 0 ? farm : { ...farm, name: 'B' }));
  expect((await put(farmer, { farms: renamed })).body).toEqual({
    created: 0,
    updated: 1_250,
    unchanged: 1_250,
  });
  expect(await setOf(farmer)).toEqual({ version: 2, structures: 2_500 });
});
