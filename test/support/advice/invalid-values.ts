import {
  examplePackage,
  exampleRoles,
  jsonText,
  packageDescriptor,
  ROLES_PATH,
  type PackageEntries,
} from '../package-builder.ts';
import { withValueAt } from './edit-json.ts';

/** Values of every type, most of them wrong wherever they are. */
export const INVALID_VALUES: readonly (readonly [title: string, value: unknown])[] = [
  ['a number', 5],
  ['a negative number with a fraction', -1.5],
  ['a large number', 1e300],
  ['an inexact number', 0.12345678901234567],
  ['a word', 'x'],
  ['blank', ' '],
  ['empty', ''],
  ['too long', 'ä'.repeat(20_001)],
  ['a text with a NUL', 'a\0'],
  ['true', true],
  ['null', null],
  ['a list', []],
  ['a list of a number', [5]],
  ['an object', {}],
  ['an object with a member', { a: 1 }],
  ['missing', undefined],
];

/** A value's place in a file of a package. */
type Place = readonly [entry: string, pointer: string];

/** The pointers to every value in a JSON value, by how far each is from the values that contain no others. */
function pointersIn(value: unknown, pointer = ''): { height: number; pointers: [string, number][] } {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const below = members.map(([name, member]) => pointersIn(member, `${pointer}/${name}`));
  const height = Math.max(-1, ...below.map((each) => each.height)) + 1;
  const pointers = below.flatMap((each) => each.pointers);
  return { height, pointers: pointer === '' ? pointers : [[pointer, height], ...pointers] };
}

const FILES: Readonly<Record<string, unknown>> = {
  'moduleSchema.json': packageDescriptor({
    ...{ moduleId: '99999999-9999-4999-8999-999999999999', categoryId: null, component: 'App' },
    ...{ entryFileUrl: 'index.html', organizationId: null, offlineReason: null },
  }),
  [ROLES_PATH]: exampleRoles(),
};

/** Every place of the descriptor and the roles. Of those of one height none contains another. */
const PLACES: readonly (readonly [...Place, height: number])[] = Object.entries(FILES).flatMap(
  ([entry, file]) => pointersIn(file).pointers.map(([pointer, height]) => [entry, pointer, height] as const),
);

/** The example package with this value in these places. */
function packageWith(value: unknown, places: readonly Place[]): PackageEntries {
  const files = { ...FILES };
  // From the end: removing an item of a list moves those after it.
  for (const [entry, pointer] of places.toReversed())
    files[entry] = withValueAt(files[entry], pointer, value);
  return examplePackage(
    Object.fromEntries(Object.entries(files).map(([entry, file]) => [entry, jsonText(file)])),
  );
}

/** The example package with this value in each place of its descriptor and its roles. */
export function packagesWithInvalidValue(value: unknown): readonly PackageEntries[] {
  return PLACES.map(([entry, pointer]) => packageWith(value, [[entry, pointer]]));
}

/** A few packages with this value in many places each, and in every place in one of them. */
export function packagesWithInvalidValues(value: unknown): readonly PackageEntries[] {
  const heights = new Set(PLACES.map(([, , height]) => height));
  return [...heights].flatMap((height) => {
    const places = PLACES.filter((place) => place[2] === height).map(([entry, pointer]): Place => [
      entry,
      pointer,
    ]);
    // Half of them: a descriptor with a long text in all of its places would be too large.
    return [0, 1].map((half) =>
      packageWith(
        value,
        places.filter((_, index) => index % 2 === half),
      ),
    );
  });
}
