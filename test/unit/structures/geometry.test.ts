import { expect, test } from 'vitest';
import {
  BLOCK_TYPES,
  checkGeometry,
  LOCATION_TYPES,
  SURFACE_TYPES,
} from '../../../shared/structures/check-geometry.ts';
import { findRingIssue } from '../../../shared/structures/check-rings.ts';
import { IssueList } from '../../../shared/structures/issue-list.ts';
import { surfaceAreaM2 } from '../../../shared/structures/surface-area.ts';
import { type Ring, ring, box, circle } from './rings.ts';
import { seeded, isGoodSlowly } from './slow-geometry.ts';

function issuesOf(value: unknown, types = SURFACE_TYPES): readonly string[] {
  const issues = new IssueList();
  const geometry = checkGeometry(value, types, '/g', issues);
  expect(geometry === null).toBe(issues.total > 0);
  return issues.kept.map(({ pointer, detail }) => `${pointer} ${detail}`);
}

const polygon = (...coordinates: Ring[]) => ({ type: 'Polygon', coordinates });

/** A ring from each of its corners. */
const turned = (...corners: [number, number][]) =>
  corners.map((_, start) => ring(...corners.slice(start), ...corners.slice(0, start)));

test.each<[string, unknown]>([
  ['a square', polygon(box(0, 0, 9))],
  ['a square clockwise', polygon(box(0, 0, 9).toReversed())],
  ['heights', polygon(box(0, 0, 9).map((each) => [...each, 12.5]))],
  [
    'positions listed twice',
    polygon([
      [0, 0],
      [0, 0],
      [1, 0],
      [1, 0],
      [1, 1],
      [0, 0],
      [0, 0],
    ]),
  ],
  ['holes', polygon(box(0, 0, 9), box(1, 1, 2), box(5, 5, 2).toReversed())],
  ['a hole at a corner', polygon(box(0, 0, 9), ring([0, 0], [2, 1], [1, 2]))],
  ['holes with a common corner', polygon(box(0, 0, 9), box(1, 1, 2), box(3, 3, 2))],
  ['two lobes that touch at a corner', polygon(ring([0, 0], [2, 2], [4, 0], [4, 4], [2, 2], [0, 4]))],
  ...turned([0, 0], [2, 0.4], [1, 2], [0, 0], [1, -2], [2, -0.4]).map((each, start): [string, unknown] => [
    `two lobes that touch in the west, from corner ${start}`,
    polygon(each),
  ]),
  [
    'at the limits of longitude and latitude',
    polygon([
      [-180, -90],
      [180, -90],
      [180, 90],
      [-180, 90],
      [-180, -90],
    ]),
  ],
  ['two polygons', { type: 'MultiPolygon', coordinates: [[box(0, 0, 1)], [box(1, 0, 1)]] }],
  ['a bbox, which is dropped', { ...polygon(box(0, 0, 9)), bbox: [0, 0, 9, 9] }],
])('good: %s', (_name, value) => expect(issuesOf(value)).toEqual([]));

test.each<[string, unknown, RegExp]>([
  ['a bow tie', polygon(ring([0, 0], [1, 1], [1, 0], [0, 1])), /\/g\/coordinates\/0\/\d .*meets the edge/],
  [
    'a bow tie with a corner at its crossing',
    polygon(ring([0, 0], [2, 2], [4, 4], [4, 0], [2, 2], [0, 4])),
    /crosses itself/,
  ],
  ['rings that cross', polygon(box(0, 0, 5), box(3, 3, 5)), /\/g\/coordinates\/\d\/\d .*meets the edge/],
  ['a hole outside', polygon(box(0, 0, 5), box(6, 6, 1)), /\/g\/coordinates\/1\/\d .*within the outer ring/],
  ['a hole around', polygon(box(1, 1, 1), box(0, 0, 5)), /\/g\/coordinates\/1\/\d .*within the outer ring/],
  [
    'a hole in a hole',
    polygon(box(0, 0, 9), box(1, 1, 7), box(2, 2, 2)),
    /\/g\/coordinates\/2\/\d .*other hole/,
  ],
  ['the same ring twice', polygon(box(0, 0, 9), box(0, 0, 9)), /meets the edge/],
  ['a spike', polygon(ring([0, 0], [4, 0], [9, 0], [4, 0], [4, 4])), /meets the edge/],
  ['a corner on an edge', polygon(box(0, 0, 9), ring([0, 4], [3, 3], [3, 5])), /meets the edge/],
  ['a line there and back', polygon(ring([0, 0], [1, 1], [2, 2])), /meets the edge/],
  [
    'one point many times',
    polygon([
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ]),
    /encloses nothing/,
  ],
  [
    'an open ring',
    polygon([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ]),
    /\/g\/coordinates\/0 .*not closed/,
  ],
  [
    'three positions',
    polygon([
      [0, 0],
      [1, 0],
      [0, 0],
    ]),
    /four positions/,
  ],
  [
    'a height that differs at the end',
    polygon([
      [0, 0, 1],
      [1, 0, 1],
      [1, 1, 1],
      [0, 0, 2],
    ]),
    /not closed/,
  ],
  ['no rings', polygon(), /\/g\/coordinates .*at least one/],
  ['an empty ring', polygon([]), /\/g\/coordinates\/0 .*at least one/],
  ['no coordinates', { type: 'Polygon' }, /\/g\/coordinates/],
  [
    'a missing level of nesting',
    { type: 'Polygon', coordinates: box(0, 0, 1) },
    /\/g\/coordinates\/0\/0 .*array/,
  ],
  [
    'an extra level of nesting',
    { type: 'Polygon', coordinates: [[box(0, 0, 1)]] },
    /\/g\/coordinates\/0\/0 A position/,
  ],
  ['infinity', polygon([[JSON.parse('1e999') as number, 0]]), /\/g\/coordinates\/0\/0 .*finite/],
  ['text', { type: 'Polygon', coordinates: [[['1', '2']]] }, /finite/],
  ['four numbers', polygon([[0, 0, 0, 0]]), /two or three/],
  ['latitude first', polygon([[52, 100]]), /longitude comes first/],
  ['a longitude out of range', polygon([[181, 5]]), /within -180 and 180/],
  ['a crs', { ...polygon(box(0, 0, 1)), crs: null }, /\/g\/crs .*WGS 84/],
  ['a foreign member', { ...polygon(box(0, 0, 1)), 'a/b': 1 }, /\/g\/a~1b/],
  ['a point', { type: 'Point', coordinates: [0, 0] }, /\/g\/type .*Polygon or MultiPolygon/],
  ['a collection', { type: 'GeometryCollection', geometries: [] }, /\/g\/type/],
  ['an array', [], /\/g .*GeoJSON object/],
  ['text alone', 'POINT(0 0)', /\/g .*GeoJSON object/],
])('bad: %s', (_name, value, expected) => expect(issuesOf(value).join('\n')).toMatch(expected));

test('a location is a point; a block may also be a row', () => {
  const line = (...coordinates: Ring) => ({ type: 'LineString', coordinates });
  expect(issuesOf({ type: 'Point', coordinates: [5, 52] }, LOCATION_TYPES)).toEqual([]);
  expect(issuesOf(line([0, 0], [1, 1]), LOCATION_TYPES)).toHaveLength(1);
  expect(issuesOf(line([0, 0], [1, 1]), BLOCK_TYPES)).toEqual([]);
  expect(issuesOf(line([0, 0]), BLOCK_TYPES)).toEqual(['/g/coordinates A line has two positions or more.']);
});

test('ten issues of one geometry are reported, and no more is read', () => {
  const coordinates = Array.from({ length: 1_000_000 }, () => []);
  expect(issuesOf({ type: 'Polygon', coordinates })).toHaveLength(10);
  let deep: unknown = [];
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(issuesOf({ type: 'MultiPolygon', coordinates: deep })).toHaveLength(1);
});

test('ten thousand positions are accepted, one more is not', () => {
  expect(issuesOf(polygon(circle(10_000, 5, 52, 0.1)))).toEqual([]);
  expect(issuesOf(polygon(circle(10_001, 5, 52, 0.1))).join()).toMatch(/at most 10000 positions/);
  const halves = [[circle(5_001, 5, 52, 0.1)], [circle(5_000, 6, 52, 0.1)]];
  expect(issuesOf({ type: 'MultiPolygon', coordinates: halves }).join()).toMatch(/at most 10000 positions/);
});

/** Rings that make a comparison of pairs slow: every edge is next to every other. */
const hostile: readonly (readonly [string, () => Ring[]])[] = [
  ['a comb', () => [comb(9_990)]],
  [
    'a star',
    () => [
      ring(
        ...circle(9_999, 0, 0, 1)
          .map(([x = 0, y = 0], i) => (i % 2 ? [x, y] : [x * 80, y * 80]))
          .slice(0, -1),
      ),
    ],
  ],
  ['stripes', () => [box(-80, -80, 160), ...Array.from({ length: 2_490 }, (_, i) => stripe(i * 0.01))]],
  ['petals', () => [ring(...Array.from({ length: 3_300 }, (_, i) => petal(i)).flat())]],
];

function comb(positions: number): Ring {
  const teeth = Array.from({ length: positions / 2 - 2 }, (_, i) =>
    i % 2
      ? [
          [0.001, i * 1e-3],
          [0.001, i * 1e-3 + 5e-4],
        ]
      : [
          [50, i * 1e-3],
          [50, i * 1e-3 + 5e-4],
        ],
  ).flat();
  return ring([0, 0], ...teeth, [-1, teeth.at(-1)![1]!], [-1, 0]);
}

const stripe = (y: number): Ring => ring([-50, y], [50, y], [50, y + 0.005]);

function petal(index: number): Ring {
  const angle = (index / 3_300 - 0.5) * 3;
  return [
    [0, 0],
    [Math.cos(angle), Math.sin(angle)],
    [Math.cos(angle + 4e-4), Math.sin(angle + 4e-4)],
  ];
}

// `npm run bench -- stalls` measures the time.
test.each(hostile)('%s of ten thousand positions is valid', (_name, rings) =>
  expect(issuesOf(polygon(...rings()))).toEqual([]),
);

test('the sweep agrees with a comparison of all pairs and a test of every point', () => {
  const random = seeded(11);
  const corners = (count: number, reach: number, from: number) =>
    ring(
      ...Array.from({ length: count }, () => [
        from + Math.floor(random() * reach),
        from + Math.floor(random() * reach),
      ]),
    );
  let good = 0;
  for (let round = 0; round < 400; round += 1) {
    const outer =
      round % 3 === 0 ? box(0, 0, 7) : corners(3 + Math.floor(random() * 5), 3 + Math.floor(random() * 5), 0);
    const holes = Array.from({ length: Math.floor(random() * 3) }, () =>
      corners(3, 3, Math.floor(random() * 4)),
    );
    const rings = [outer, ...holes];
    const isGood = isGoodSlowly(rings);
    good += isGood ? 1 : 0;
    expect(findRingIssue(rings) === null, JSON.stringify(rings)).toBe(isGood);
  }
  expect(good).toBeGreaterThan(40);
});

test('an area is in square metres on the globe, without its holes; a point has none', () => {
  const field = (...coordinates: Ring[]) => surfaceAreaM2({ type: 'Polygon', coordinates });
  // One degree of latitude is 111.2 km; at the equator so is one of longitude.
  expect(field(box(0, 0, 0.01))).toBeCloseTo(1_239_000, -4);
  expect(field(box(0, 60, 0.01))! / field(box(0, 0, 0.01))!).toBeCloseTo(0.5, 2);
  expect(field(box(0, 0, 0.03), box(0.01, 0.01, 0.01))! / field(box(0, 0, 0.01))!).toBeCloseTo(8, 3);
  expect(surfaceAreaM2({ type: 'Point', coordinates: [0, 0] })).toBeNull();
});
