import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkPackage } from '../../../shared/package/check-package.ts';
import type { PackageSink } from '../../../shared/package/check-package.ts';
import { bufferSource } from '../../../shared/package/source.ts';
import type { PackageEntries } from '../../support/package-builder.ts';
import {
  checkEntries,
  examplePackage,
  jsonText,
  packageDescriptor,
  ROLES_PATH,
  testSettings,
  TINY_PNG,
  zipPackage,
} from '../../support/package-builder.ts';
import { buildZip } from '../../support/zip-builder.ts';
import { KeptFiles, sha256 } from './kept-files.ts';

test('the sink gets every file but the descriptor and litter: whole up to 1 MiB, images whole, the rest in pieces', async () => {
  const large = Buffer.alloc(1024 * 1024 + 1, 'x');
  const exact = large.subarray(1);
  const image = Buffer.concat([TINY_PNG, large]);
  const sink = new KeptFiles();
  const entries = {
    'moduleSchema.json': jsonText(
      packageDescriptor({ moduleFiles: [{ file: 'ModuleImage/a.png' }, { file: 'ModuleLogo/a.png' }] }),
    ),
    'PackageArtifact/build/large.js': large,
    'PackageArtifact/build/exact.js': exact,
    'ModuleToS/large.pdf': large,
    'ModulePrivacy/large.pdf': large,
    'ModuleImage/a.png': image,
    'ModuleLogo/a.png': image,
    '.DS_Store': large,
    '__MACOSX/x': 'x',
  };
  const report = await checkPackage(bufferSource(zipPackage(entries)), testSettings(), sink);
  expect(
    report.problems.map(({ code }) => code).filter((code) => code !== 'layout-file-unreferenced'),
  ).toEqual(['layout-litter-skipped', 'layout-litter-skipped']);
  const digest = sha256(large);
  expect(sink.events).toEqual([
    'pieces PackageArtifact/build/large.js 1048577 text/javascript',
    `end PackageArtifact/build/large.js ${digest}`,
    'whole PackageArtifact/build/exact.js text/javascript',
    'pieces ModuleToS/large.pdf 1048577 application/pdf',
    `end ModuleToS/large.pdf ${digest}`,
    'pieces ModulePrivacy/large.pdf 1048577 application/pdf',
    `end ModulePrivacy/large.pdf ${digest}`,
    'whole ModuleImage/a.png image/png',
    'whole ModuleLogo/a.png image/png',
  ]);
  expect([...sink.contents.keys()].toSorted()).toEqual(report.content?.files.map(({ path }) => path));
  for (const file of report.content?.files ?? []) {
    expect(sha256(sink.contents.get(file.path) ?? '')).toBe(file.sha256);
    expect(sink.contents.get(file.path)).toHaveLength(file.sizeBytes);
  }
});

test('a package is judged without a sink too, large files among them', async () => {
  const large = Buffer.alloc(1024 * 1024 + 1);
  const report = await checkEntries(examplePackage({ 'PackageArtifact/build/large.js': large }));
  expect(report.problems).toEqual([]);
  expect(report.content?.files.find(({ path }) => path.endsWith('large.js'))).toEqual({
    path: 'PackageArtifact/build/large.js',
    sizeBytes: large.length,
    sha256: sha256(large),
    crc32: crc32(large),
    mediaType: 'text/javascript',
  });
});

test('the sink gets nothing where the layout is refused, and no image that is none', async () => {
  const refused = new KeptFiles();
  const unexpected = zipPackage(examplePackage({ 'readme.txt': 'x' }));
  await checkPackage(bufferSource(unexpected), testSettings(), refused);
  expect(refused.events).toEqual([]);
  const sink = new KeptFiles();
  const badImage = zipPackage(examplePackage({ 'ModuleImage/field.png': 'x', '.DS_Store': 'x' }));
  await checkPackage(bufferSource(badImage), testSettings(), sink);
  expect(sink.contents.has('ModuleLogo/logo.svg')).toBe(true);
  expect(sink.contents.has('ModuleImage/field.png')).toBe(false);
});

test('what the sink throws is thrown', async () => {
  const sink: PackageSink = {
    whole: () => Promise.reject(new Error('storage is out of reach')),
    pieces: () => ({ write: () => undefined, end: () => undefined, abort: () => undefined }),
  };
  const zip = zipPackage(examplePackage());
  await expect(checkPackage(bufferSource(zip), testSettings(), sink)).rejects.toThrow(
    'storage is out of reach',
  );
});

/** The package with one byte of an entry's stored content changed, so that its CRC-32 is wrong. */
function corrupt(entries: PackageEntries, path: string): Buffer {
  const specs = Object.entries(entries).flatMap(([each, content]) =>
    content === undefined ? [] : [{ path: each, content, method: 'stored' as const }],
  );
  const zip = buildZip(specs);
  const offset = zip.indexOf(path, 0, 'utf8') + Buffer.byteLength(path);
  zip[offset + 1] = (zip[offset + 1] ?? 0) ^ 0xff;
  return zip;
}

test('a corrupt descriptor adds its problem, and layout and the other files are judged', async () => {
  const entries = examplePackage({ 'readme.txt': 'x', [ROLES_PATH]: '[]' });
  const report = await checkPackage(bufferSource(corrupt(entries, 'moduleSchema.json')), testSettings());
  expect(report.problems.map(({ code, entry }) => [code, entry])).toEqual([
    ['archive-entry-corrupt', 'moduleSchema.json'],
    ['roles-invalid', ROLES_PATH],
    ['layout-entry-unexpected', 'readme.txt'],
  ]);
  expect([report.subject, report.content]).toEqual([null, null]);
});

test('a corrupt file in pieces is aborted, and the package refused', async () => {
  const path = 'PackageArtifact/build/large.js';
  const sink = new KeptFiles();
  const entries = {
    'moduleSchema.json': jsonText(packageDescriptor({ moduleFiles: [] })),
    [path]: Buffer.alloc(3 * 1024 * 1024),
  };
  const report = await checkPackage(bufferSource(corrupt(entries, path)), testSettings(), sink);
  expect(report.problems.map(({ code }) => code)).toEqual(['archive-entry-corrupt']);
  expect(report.content).toBeNull();
  expect(report.subject).not.toBeNull();
  expect(sink.events).toEqual([`pieces ${path} 3145728 text/javascript`, `abort ${path}`]);
});
