import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

type Versions = Readonly<Record<string, string>>;

interface PackageJson {
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly overrides?: Versions;
}

interface LockFile {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly resolved?: string;
        readonly integrity?: string;
        readonly license?: string;
        readonly dev?: true;
        readonly devOptional?: true;
      }
    >
  >;
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));

/** The packages of the lock file, by their folder. */
const locked = Object.entries((readJson('package-lock.json') as LockFile).packages).filter(
  ([folder]) => folder !== '',
);

/** Licenses that ask for no more than their own text to be distributed. */
const ALLOWED: ReadonlySet<string | undefined> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

test('every package that runs in production has a license from the list', () => {
  const production = locked.filter(([, each]) => each.dev !== true && each.devOptional !== true);
  expect(production.length).toBeGreaterThan(100);
  const others = production.filter(([, { license }]) => !ALLOWED.has(license));
  expect(others.map(([folder, { license }]) => `${folder}: ${license ?? 'none'}`)).toEqual([]);
});

test.each(['package.json', 'shared/cli/package.json'])('%s pins every version exactly', (file) => {
  const { dependencies, optionalDependencies, devDependencies, overrides } = readJson(file) as PackageJson;
  const versions = { ...dependencies, ...optionalDependencies, ...devDependencies, ...overrides };
  const ranges = Object.entries(versions).filter(
    ([, version]) => !/^(?:npm:[\w./@-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
  );
  expect(ranges).toEqual([]);
});

test('the lock file has the hash of every package, and takes none from an address but the public registry', () => {
  expect(locked.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  const foreign = locked.filter(
    ([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
  );
  expect(foreign.map(([folder, { resolved }]) => `${folder}: ${resolved ?? ''}`)).toEqual([]);
});
