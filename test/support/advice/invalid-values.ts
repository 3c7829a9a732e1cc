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

/** Pointers to every value in a JSON value. */
function pointersIn(value: unknown, pointer = ''): string[] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const below = members.flatMap(([name, member]) => pointersIn(member, `${pointer}/${name}`));
  return pointer === '' ? below : [pointer, ...below];
}

const FILES = {
  'moduleSchema.json': packageDescriptor({
    ...{ moduleId: '99999999-9999-4999-8999-999999999999', categoryId: null, component: 'App' },
    ...{ entryFileUrl: 'index.html', organizationId: null, offlineReason: null },
  }),
  [ROLES_PATH]: exampleRoles(),
};

/** The example package with this value in each place of its descriptor and its roles. */
export function packagesWithInvalidValues(value: unknown): readonly PackageEntries[] {
  return Object.entries(FILES).flatMap(([entry, file]) =>
    pointersIn(file).map((pointer) =>
      examplePackage({ [entry]: jsonText(withValueAt(file, pointer, value)) }),
    ),
  );
}
