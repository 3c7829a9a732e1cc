import { hash } from 'node:crypto';
import { crc32, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { validatePackage } from '../../../shared/package/validate-package.ts';
import { bufferSource } from '../../../shared/package/archive/source.ts';
import {
  type PackageEntries,
  besidesMissingParts,
  checkEntries,
  examplePackage,
  jsonText,
  packageDescriptor,
  ROLES_PATH,
  testSettings,
  TINY_PNG,
} from '../../support/package-builder.ts';
import { buildZip } from '../../support/zip-builder.ts';

test('the content lists every file but the descriptor and litter, and its location in the archive', async () => {
  const large = Buffer.alloc(1024 * 1024 + 1, 'x');
  const image = Buffer.concat([TINY_PNG, large]);
  const entries = {
    'moduleSchema.json': jsonText(
      packageDescriptor({ moduleFiles: [{ file: 'ModuleImage/a.png' }, { file: 'ModuleLogo/a.png' }] }),
    ),
    'PackageArtifact/build/large.js': large,
    'PackageArtifact/build/small.js': 'x',
    'ModuleToS/large.pdf': Buffer.concat([Buffer.from('%PDF-1.7\n'), large]),
    'ModulePrivacy/small.pdf': '%PDF-1.7',
    'ModuleImage/a.png': image,
    'ModuleLogo/a.png': image,
    '.DS_Store': large,
    '__MACOSX/x': 'x',
  };
  const zip = buildZip(
    Object.entries(entries).map(([path, content]) => {
      return { path, content, method: path.endsWith('.png') ? 'stored' : 'deflate' };
    }),
  );
  const report = await validatePackage(bufferSource(zip), testSettings());
  expect(
    besidesMissingParts(report.problems)
      .map(({ code }) => code)
      .filter((code) => code !== 'layout-file-unreferenced'),
  ).toEqual(['layout-litter-skipped', 'layout-litter-skipped']);
  expect(report.content?.files.map(({ path, mediaType }) => `${path} ${mediaType}`)).toEqual([
    'ModuleImage/a.png image/png',
    'ModuleLogo/a.png image/png',
    'ModulePrivacy/small.pdf application/pdf',
    'ModuleToS/large.pdf application/pdf',
    'PackageArtifact/build/large.js text/javascript',
    'PackageArtifact/build/small.js text/javascript',
  ]);
  const contents: Readonly<Record<string, string | Buffer>> = entries;
  for (const file of report.content?.files ?? []) {
    const content = Buffer.from(contents[file.path] ?? '');
    expect(file.method).toBe(file.path.endsWith('.png') ? 'stored' : 'deflate');
    const packed = zip.subarray(file.dataOffset, file.dataOffset + file.packedBytes);
    const unpacked = file.method === 'stored' ? packed : inflateRawSync(packed);
    expect(unpacked.equals(content)).toBe(true);
    expect(file).toMatchObject({
      sizeBytes: content.length,
      sha256: hash('sha256', content, 'hex'),
      crc32: crc32(content),
      packedCrc32: crc32(packed),
    });
  }
});

test('a file that is not an image in an image folder is refused, and is in no list', async () => {
  const report = await checkEntries(examplePackage({ 'ModuleImage/field.png': 'x' }));
  expect(report.problems.map(({ code, entry }) => [code, entry])).toEqual([
    ['layout-file-type', 'ModuleImage/field.png'],
  ]);
  expect(report.content).toBeNull();
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

test('a corrupt descriptor adds its problem, and layout and the other files are validated', async () => {
  const entries = examplePackage({ 'readme.txt': 'x', [ROLES_PATH]: '[]' });
  const report = await validatePackage(bufferSource(corrupt(entries, 'moduleSchema.json')), testSettings());
  expect(report.problems.map(({ code, entry }) => [code, entry])).toEqual([
    ['archive-entry-corrupt', 'moduleSchema.json'],
    ['roles-invalid', ROLES_PATH],
    ['layout-entry-unexpected', 'readme.txt'],
  ]);
  expect([report.subject, report.content]).toEqual([null, null]);
});

test('a package with a large corrupt file is refused', async () => {
  const path = 'PackageArtifact/build/large.js';
  const entries = {
    'moduleSchema.json': jsonText(packageDescriptor({ moduleFiles: [] })),
    [path]: Buffer.alloc(3 * 1024 * 1024),
  };
  const report = await validatePackage(bufferSource(corrupt(entries, path)), testSettings());
  expect(besidesMissingParts(report.problems).map(({ code }) => code)).toEqual(['archive-entry-corrupt']);
  expect(report.content).toBeNull();
  expect(report.subject).not.toBeNull();
});
