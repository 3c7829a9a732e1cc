import { buildZip } from '../zip-builder.ts';

/** An archive whose directory is within the limits and expensive to check, by what it repeats. */
export type HostileDirectory = readonly [title: string, archive: () => Buffer];

/** The limit of entries. */
const ENTRIES = 50_000;
/** The limit of a path, in bytes. */
const PATH_BYTES = 512;

const numbered = (index: number) => index.toString(36).padStart(4, '0');
const ofPaths = (path: (index: number) => string) => () =>
  buildZip(Array.from({ length: ENTRIES }, (_, index) => ({ path: path(index) })));

const build = 'PackageArtifact/build/';
const filled = (unit: string, index: number) => {
  const start = build + numbered(index);
  return start + unit.repeat(Math.floor((PATH_BYTES - start.length) / Buffer.byteLength(unit)));
};

/** Upper and lower case by the bits of a number, so that all names are one to a file system that ignores case. */
function inSomeCase(index: number): string {
  const letters = Array.from({ length: 16 }, (_, bit) => ((index >> bit) & 1 ? 'A' : 'a'));
  return build + letters.join('');
}

/** Directories of as many entries as are allowed. */
export const HOSTILE_DIRECTORIES: readonly HostileDirectory[] = [
  ['long names', ofPaths((index) => filled('x', index))],
  ['names to be composed', ofPaths((index) => filled('e\u0301', index))],
  ['marks to be reordered', ofPaths((index) => filled('\u0301\u0323\u0316', index))],
  ['syllables to be composed', ofPaths((index) => filled('\u1112\u1161\u11ab', index))],
  ['names that differ in their case', ofPaths(inSomeCase)],
  ['one name', ofPaths(() => `${build}a`)],
  ['deep folders', ofPaths((index) => `${build}${'d/'.repeat(28)}${numbered(index)}`)],
  ['as many folders', ofPaths((index) => `${build}${numbered(index)}/a`)],
  ['names that leave the archive', ofPaths((index) => `../${numbered(index)}`)],
  ['files that do not belong in a package', ofPaths((index) => `other/${numbered(index)}`)],
  ['files below a file', ofPaths((index) => (index === 0 ? `${build}a` : `${build}a/${numbered(index)}`))],
  ['reserved names', ofPaths((index) => `${build}${numbered(index)}/CON.txt`)],
  ['litter', ofPaths((index) => `__MACOSX/${numbered(index)}`)],
  [
    'entries at one offset',
    () =>
      buildZip(
        Array.from({ length: ENTRIES }, (_, index) => ({
          path: build + numbered(index),
          central: { offset: 0 },
        })),
      ),
  ],
  [
    'extra fields',
    () =>
      buildZip(
        Array.from({ length: 400 }, (_, index) => ({
          path: build + numbered(index),
          centralExtra: Buffer.from('feca0000'.repeat(15_000), 'hex'),
        })),
      ),
  ],
];

/** The most empty files, with the longest names, that are allowed beside those of another package. */
export function mostFiles(others: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: ENTRIES - others }, (_, index) => [filled('x', index), '']));
}
