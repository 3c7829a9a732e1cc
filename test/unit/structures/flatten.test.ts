import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { IssueList } from '../../../shared/structures/issue-list.ts';
import { flattenFarms } from '../../../shared/structures/flatten-farms.ts';
import { flattenFeatures } from '../../../shared/structures/flatten-features.ts';
import type { Members } from '../../../shared/package/schema/read-members.ts';
import { isPlantingTime, isTimeZone, plantingTimeText } from '../../../shared/structures/text-rules.ts';

const [farm, field, block, station] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];

function read(body: Members) {
  const issues = new IssueList();
  const flatten = body['type'] === 'FeatureCollection' ? flattenFeatures : flattenFarms;
  const structures = [...flatten(body, issues)];
  return { structures, issues: issues.kept.map((each) => each.pointer), total: issues.total };
}

test('the nested form becomes a list, with the parents and the pointer of each', () => {
  const { structures, issues } = read({
    farms: [
      {
        id: farm.toUpperCase(),
        fields: [{ id: field, farmId: farm, blocks: [{ id: block, code: 'B', createdAt: 'any' }] }],
        irrigationStations: [{ id: station, location: null }],
      },
    ],
  });
  expect(issues).toEqual([]);
  const rows = structures.map((each) => [each?.kind, each?.id, each?.farmId, each?.fieldId, each?.pointer]);
  expect(rows).toEqual([
    ['farm', farm, undefined, undefined, '/farms/0'],
    ['field', field, farm, undefined, '/farms/0/fields/0'],
    ['block', block, farm, field, '/farms/0/fields/0/blocks/0'],
    ['irrigationStation', station, farm, undefined, '/farms/0/irrigationStations/0'],
  ]);
  expect(structures.map((each) => each?.geometry)).toEqual([undefined, undefined, undefined, null]);
  expect(structures[2]?.members).toEqual({ code: 'B' });
});

test('structures inside an invalid structure are read all the same', () => {
  const { structures, issues } = read({
    farms: [{ fields: [{ id: 1, blocks: [{ id: block, name: '' }, 2] }, []] }],
  });
  expect(structures.map((each) => each?.id)).toEqual([undefined, undefined, block, undefined, undefined]);
  expect(structures[2]).toMatchObject({ farmId: null, fieldId: null });
  const blocks = '/farms/0/fields/0/blocks';
  expect(issues).toEqual([
    '/farms/0/id',
    '/farms/0/fields/0/id',
    `${blocks}/0/name`,
    `${blocks}/1`,
    '/farms/0/fields/1',
  ]);
});

test('issues beyond the hundredth are only counted', () => {
  const { issues, total } = read({ farms: Array.from({ length: 5_000 }, () => null) });
  expect([issues.length, total]).toEqual([100, 5_000]);
});

test.each([
  ['name', null],
  ['name', ' '],
  ['name', 'x'.repeat(201)],
  ['code', 1],
  ['status', 'gone'],
  ['externalIds', [{ source: 'a' }]],
  ['externalIds', [{ source: 'a', id: 'b', c: 1 }]],
  ['externalIds', Array.from({ length: 51 }, () => ({ source: 'a', id: 'b' }))],
  ['countryCode', 'NLD'],
  ['countryCode', 'XX'],
  ['timeZone', '+01:00'],
  ['areaM2', -1],
  ['areaM2', Infinity],
  ['location', { type: 'Polygon', coordinates: [] }],
  ['boundary', 1],
  ['fields', null],
  ['__proto__', 1],
  ['crop', 1],
])('a farm whose %s is %j has an issue there', (name, value) => {
  const source = Object.fromEntries([
    ['id', farm],
    [name, value],
  ]);
  const { issues } = read({ farms: [source] });
  expect(issues).toHaveLength(1);
  expect(issues[0]).toMatch(`/farms/0/${name}`);
});

test('each value has one normal form', () => {
  const blocks = [
    {
      id: block,
      plantedAt: '2027-03-01T02:00+02:00',
      irrigationStationIds: [station, station.toUpperCase()],
    },
  ];
  const { structures } = read({ farms: [{ id: farm, externalIds: null, fields: [{ id: field, blocks }] }] });
  expect(structures[0]?.members).toEqual({ externalIds: [] });
  expect(structures[2]?.members).toEqual({
    plantedAt: '2027-03-01T00:00:00.000+00:00',
    irrigationStationIds: [station],
  });
});

test.each(['2027-02-28', '2028-02-29', '2027-02-28T23:59:59.5Z', '2027-02-28T00:00-03:30'])(
  '%s is a time of planting',
  (text) => {
    expect(isPlantingTime(text)).toBe(true);
    expect(plantingTimeText(plantingTimeText(text))).toBe(plantingTimeText(text));
  },
);

test.each([
  '2027-02-29',
  '2027-2-1',
  '2027-02-28T24:00Z',
  '2027-02-28T10:00',
  '0027-02-28',
  '2027-13-01',
  '1000-01-01T00:00+01:00',
  '2999-12-31T23:30-01:00',
  'today',
])('%s is not a time of planting', (text) => expect(isPlantingTime(text)).toBe(false));

test.each([
  ['Europe/Amsterdam', true],
  ['America/Argentina/Buenos_Aires', true],
  ['UTC', true],
  ['Etc/GMT+5', true],
  ['Europe/Nowhere', false],
  ['', false],
])('whether %s is a time zone: %s', (text, expected) => expect(isTimeZone(text)).toBe(expected));
