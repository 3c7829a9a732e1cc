/** IDs of the demonstration: the same everywhere, so that writing them again changes nothing. */
const idOf = (number: number) => `a1c0ffee-0000-4000-9000-${String(number).padStart(12, '0')}`;

type Corner = readonly [longitude: number, latitude: number];

/** An area with these corners, without the first one again at the end. */
function area(...corners: readonly Corner[]) {
  return { type: 'Polygon', coordinates: [[...corners, corners[0]]] };
}

/** The fields that alerts are about. */
export const DRY_FIELD = idOf(11);
export const COLD_FIELD = idOf(13);
export const WATERED_FIELD = idOf(21);

/** The farms of the demonstration: two, with fields, a block and irrigation stations. */
export const DEMONSTRATION_FARMS = [
  {
    id: idOf(1),
    name: 'Home farm',
    countryCode: 'DE',
    timeZone: 'Europe/Berlin',
    location: { type: 'Point', coordinates: [10.416, 53.243] },
    boundary: area([10.4, 53.236], [10.424, 53.233], [10.433, 53.244], [10.421, 53.252], [10.403, 53.249]),
    fields: [
      {
        id: DRY_FIELD,
        name: 'Potato field',
        boundary: area([10.402, 53.2375], [10.413, 53.2362], [10.4145, 53.2425], [10.4035, 53.243]),
        blocks: [
          {
            id: idOf(31),
            name: 'South rows',
            geometry: area([10.403, 53.238], [10.412, 53.237], [10.4125, 53.239], [10.4035, 53.24]),
          },
        ],
      },
      {
        id: idOf(12),
        name: 'Brook field',
        boundary: area([10.415, 53.236], [10.424, 53.2345], [10.4305, 53.2425], [10.4165, 53.2425]),
      },
      {
        id: COLD_FIELD,
        name: 'Long acre',
        boundary: area([10.404, 53.2445], [10.4285, 53.2438], [10.4205, 53.2508], [10.4045, 53.2483]),
      },
    ],
    irrigationStations: [
      {
        id: idOf(41),
        name: 'Brook pump',
        kind: 'pump',
        waterSource: 'brook',
        location: { type: 'Point', coordinates: [10.4155, 53.2395] },
      },
    ],
  },
  {
    id: idOf(2),
    name: 'Hill farm',
    countryCode: 'DE',
    timeZone: 'Europe/Berlin',
    boundary: area([10.452, 53.262], [10.468, 53.26], [10.474, 53.27], [10.458, 53.273]),
    fields: [
      {
        id: WATERED_FIELD,
        name: 'Upper field',
        boundary: area([10.459, 53.2675], [10.4715, 53.2665], [10.4725, 53.2693], [10.459, 53.272]),
      },
      {
        id: idOf(22),
        name: 'Orchard',
        boundary: area([10.4535, 53.2628], [10.4672, 53.261], [10.4705, 53.2655], [10.4565, 53.2665]),
      },
    ],
  },
];
