import { randomUUID } from 'node:crypto';

/** A JSON body that is within the limit of bytes and expensive to read, by what it repeats. */
export type HostileBody = readonly [title: string, body: (bytes: number) => string];

/** Repeats what `item` makes until the text has about this many bytes. */
export function repeated(
  bytes: number,
  item: (index: number) => string,
  start = '[',
  end = ']',
  separator = ',',
): string {
  const items: string[] = [];
  let length = start.length + end.length;
  for (let index = 0; ; index += 1) {
    const text = item(index);
    length += text.length + separator.length;
    if (length > bytes) break;
    items.push(text);
  }
  return start + items.join(separator) + end;
}

const nested = (levels: number, inner: string) => '['.repeat(levels) + inner + ']'.repeat(levels);

/** A ring whose edges are all cut by one line: the sweep has to keep thousands of them in order. */
export function combRing(teeth: number): string {
  const positions: string[] = [];
  for (let tooth = 0; tooth < teeth; tooth += 1) {
    const y = (tooth * 80) / teeth;
    positions.push(`[${tooth % 2 === 0 ? 1 : 170},${y}]`, `[${tooth % 2 === 0 ? 170 : 1},${y + 0.001}]`);
  }
  return `[${positions.join(',')},[180,81],[180,-1],[0,-1],[1,0]]`;
}

function fieldOf(index: number, ring: string): string {
  const id = (prefix: string) => `${prefix}-0000-4000-8000-${String(index).padStart(12, '0')}`;
  return `{"type":"Feature","id":"${id('ffffffff')}","geometry":{"type":"Polygon","coordinates":[${ring}]},"properties":{"structureType":"field","farmId":"${id('eeeeeeee')}","name":"f"}}`;
}

const farm = (members: string) => `{"id":"${randomUUID()}","name":"a",${members}}`;
const farms = (bytes: number, item: (index: number) => string) => repeated(bytes, item, '{"farms":[', ']}');
const features = (bytes: number, item: (index: number) => string) =>
  repeated(bytes, item, '{"type":"FeatureCollection","features":[', ']}');

/** Bodies for `PUT structures`; several are refused only after the last byte has been looked at. */
export const HOSTILE_BODIES: readonly HostileBody[] = [
  [
    'refused strings, 62 levels deep',
    (bytes) =>
      `{"farms":${nested(
        61,
        repeated(bytes - 200, () => String.raw`"\u0000"`),
      )}}`,
  ],
  ['distinct keys', (bytes) => repeated(bytes, (index) => `"k${index}":0`, '{', '}')],
  ['refused keys', (bytes) => repeated(bytes, (index) => String.raw`"\u0000${index}":0`, '{', '}')],
  ['empty arrays', (bytes) => farms(bytes, () => '[]')],
  ['empty objects', (bytes) => farms(bytes, () => '{}')],
  ['numbers', (bytes) => farms(bytes, () => '0')],
  ['a million levels', (bytes) => `{"farms":${nested(Math.floor(bytes / 2) - 10, '')}}`],
  ['farms without a name', (bytes) => farms(bytes, () => `{"id":"${randomUUID()}"}`)],
  [
    'one ID again and again',
    (bytes) => farms(bytes, () => '{"id":"11111111-1111-4111-8111-111111111111","name":"a"}'),
  ],
  ['time zones that do not exist', (bytes) => farms(bytes, (index) => farm(`"timeZone":"Europe/Z${index}"`))],
  [
    'unknown irrigation stations',
    (bytes) =>
      farms(bytes, () =>
        farm(
          `"fields":[{"id":"${randomUUID()}","name":"b","blocks":[{"id":"${randomUUID()}","name":"c","irrigationStationIds":[${Array.from({ length: 1_000 }, () => `"${randomUUID()}"`).join(',')}]}]}]`,
        ),
      ),
  ],
  [
    'rings of which a line cuts every edge',
    (bytes) => features(bytes, (index) => fieldOf(index, combRing(4_990))),
  ],
  [
    'positions that are none',
    (bytes) =>
      features(bytes, (index) =>
        fieldOf(
          index,
          repeated(100_000, () => '[]'),
        ),
      ),
  ],
  ['text that is not JSON after the last comma', (bytes) => `${farms(bytes, () => '[[]]').slice(0, -2)},`],
];
