type Corner = [longitude: number, latitude: number];

/** Where they are does not matter: nobody farms the middle of this bay. */
const FIELDS: readonly Corner[][] = [
  [
    [8.4, 53.86],
    [8.411, 53.859],
    [8.4125, 53.865],
    [8.4015, 53.8655],
  ],
  [
    [8.413, 53.8588],
    [8.422, 53.8574],
    [8.4285, 53.865],
    [8.4145, 53.865],
  ],
  [
    [8.402, 53.867],
    [8.4265, 53.8663],
    [8.4185, 53.8733],
    [8.4025, 53.8708],
  ],
];

/** A farm to try the service with, as the API takes it: nothing but a name and fields. */
export function sampleFarm(name: string, fieldName: (number: number) => string) {
  const fields = FIELDS.map((corners, index) => ({
    id: crypto.randomUUID(),
    name: fieldName(index + 1),
    boundary: { type: 'Polygon' as const, coordinates: [[...corners, ...corners.slice(0, 1)]] },
  }));
  return { id: crypto.randomUUID(), name, fields };
}
