import { expect, test } from 'vitest';
import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import { FoundProblems, listProblems } from '../../../shared/package/problem.ts';
import { validateLayout } from '../../../shared/package/layout/layout.ts';
import { PackageReader } from '../../../shared/package/read-package.ts';
import type { ArchiveEntry, ClosedEntry } from '../../../shared/package/archive/archive.ts';
import { readDirectory } from '../../../shared/package/archive/read-directory.ts';
import { bufferSource } from '../../../shared/package/archive/source.ts';
import {
  checkEntries,
  EXAMPLE_ALERT_RULES,
  examplePackage,
  jsonText,
  packageDescriptor,
  ROLES_PATH,
  RULES_PATH,
  formatProblems,
  testSettings,
  TINY_PNG,
  TINY_SVG,
} from '../../support/package-builder.ts';
import { buildZip } from '../../support/zip-builder.ts';

test('descriptor, roles and alert rules are read up to their limits, even beyond 1 MiB', async () => {
  const limit = 2 * 1024 * 1024;
  const limits = {
    ...DEFAULT_PACKAGE_LIMITS,
    maxDescriptorBytes: limit,
    maxRolesBytes: limit,
    maxAlertRulesBytes: limit,
  };
  const blanks = ' '.repeat(limit - 10_000);
  const entries = examplePackage({
    'moduleSchema.json': jsonText(packageDescriptor()) + blanks,
    [ROLES_PATH]: `{}${blanks}`,
    [RULES_PATH]: `${EXAMPLE_ALERT_RULES}#${blanks}`,
  });
  expect((await checkEntries(entries, { limits })).problems).toEqual([]);
  const refused = await checkEntries(entries);
  expect(refused.problems.map(({ code, entry }) => [code, entry])).toEqual([
    ['layout-file-too-large', RULES_PATH],
    ['layout-file-too-large', ROLES_PATH],
    ['layout-file-too-large', 'moduleSchema.json'],
  ]);
  expect(refused.subject).toBeNull();
});

test('an image over its limit and over 1 MiB is not kept in memory', async () => {
  const limits = { ...DEFAULT_PACKAGE_LIMITS, maxImageBytes: 2 * 1024 * 1024 };
  const image = Buffer.concat([TINY_PNG, Buffer.alloc(2 * 1024 * 1024)]);
  const report = await checkEntries(examplePackage({ 'ModuleImage/field.png': image }), { limits });
  expect(report.problems.map(({ code, entry }) => [code, entry])).toEqual([
    ['layout-file-too-large', 'ModuleImage/field.png'],
  ]);
});

test('the SVG images of a package have at most 32 MiB together', async () => {
  const size = 8 * 1024 * 1024;
  const image = (root: string) => Buffer.alloc(size, ' ').fill(root, 0, root.length);
  // An HTML root ends the validation of an image at once, so that its size costs no time.
  const images = {
    'ModuleImage/0.svg': image('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    'ModuleImage/1.svg': image('<html/>'),
    'ModuleImage/2.svg': image('<html/>'),
    'ModuleImage/3.svg': image('<html/>'),
  };
  const limits = { ...DEFAULT_PACKAGE_LIMITS, expansionGraceBytes: 1024 ** 3 };
  const problemsOf = async (last: Buffer) => {
    const report = await checkEntries(
      { 'moduleSchema.json': '{', ...images, 'ModuleLogo/last': last },
      { limits },
    );
    return formatProblems(report.problems.filter(({ code }) => code !== 'descriptor-not-json'));
  };
  const notSvg = [1, 2, 3].map(
    (name) => expect.stringContaining(`✗ layout-file-type ModuleImage/${name}.svg`) as unknown,
  );
  expect(await problemsOf(TINY_PNG)).toEqual(notSvg);
  expect(await problemsOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toEqual([
    ...notSvg,
    '✗ layout-file-too-large ModuleLogo/last | The SVG images of the package have more than 33554432 bytes together.',
  ]);
});

/** An entry of an archive that has no other. */
async function closedEntry(path: string, content: Buffer): Promise<ClosedEntry> {
  const archive = bufferSource(buildZip([{ path, content }]));
  const { entries, directoryOffset } = await readDirectory(archive, DEFAULT_PACKAGE_LIMITS);
  const [entry] = entries;
  if (entry === undefined) throw new Error('the archive has no entry');
  return { bytes: await archive.read(0, directoryOffset), entry };
}

/** The reader of a package with these images in `ModuleImage/`. */
async function imageReader(names: readonly string[]): Promise<PackageReader> {
  const entries = names.map((name) => entryOf(`ModuleImage/${name}`));
  const layout = await validateLayout(entries, testSettings(), new FoundProblems(100));
  return new PackageReader(layout, testSettings(), new FoundProblems(100));
}

function entryOf(path: string, sizeBytes = 0): ArchiveEntry {
  return {
    path,
    label: path,
    rawName: path,
    isFolder: false,
    method: 0,
    packedBytes: sizeBytes,
    sizeBytes,
    crc32: 0,
    headerOffset: 0,
    recordOffset: 0,
    versionNeeded: 20,
    flags: 0,
    disk: 0,
    externalAttributes: 0,
    extra: { hasEncryption: false, issue: '' },
  };
}

test('SVG images are validated up to 32 MiB together; raster images are neither counted nor affected', async () => {
  const reader = await imageReader(['0', '1', '2', '3', 'a.png', 'b.svg', 'c.svg', 'd.png']);
  const read = async (name: string, content: Buffer) => {
    const before = reader.problems.problems.length;
    const path = `ModuleImage/${name}`;
    await reader.whole(await closedEntry(path, content));
    return reader.problems.problems.slice(before).map(({ code, entry }) => `${code} ${entry ?? ''}`);
  };
  // An HTML root ends the validation at once, so that size costs no time.
  const large = (less: number) => {
    const content = Buffer.alloc(8 * 1024 * 1024 - less, ' ');
    content.write('<html/>');
    return content;
  };
  for (const name of ['0', '1', '2'])
    expect(await read(name, large(0))).toEqual([`layout-file-type ModuleImage/${name}`]);
  expect(await read('3', large(Buffer.byteLength(TINY_SVG)))).toHaveLength(1);
  expect(await read('a.png', TINY_PNG)).toEqual([]);
  expect(await read('b.svg', Buffer.from(TINY_SVG))).toEqual([]);
  expect(await read('c.svg', Buffer.from('<'))).toEqual(['layout-file-too-large ModuleImage/c.svg']);
  expect(await read('d.png', TINY_PNG)).toEqual([]);
  expect(reader.files.map(({ path }) => path)).toEqual(
    ['a.png', 'b.svg', 'd.png'].map((name) => `ModuleImage/${name}`),
  );
});

test('only what is looked at by its whole content is kept whole in memory, within its limit', async () => {
  const mebibyte = 1024 * 1024;
  const limits = { ...DEFAULT_PACKAGE_LIMITS, maxRolesBytes: 12 * mebibyte };
  const areKept = async (paths: readonly string[], sizeBytes: number) => {
    const entries = paths.map((path) => entryOf(path, sizeBytes));
    const problems = new FoundProblems(100);
    return Promise.all(
      entries.map(async (entry) => {
        const layout = await validateLayout([entry], testSettings({ limits }), problems);
        return new PackageReader(layout, testSettings({ limits }), problems).wantsWhole(entry);
      }),
    );
  };
  const validated = [ROLES_PATH, 'ModuleImage/a.png', 'ModuleLogo/a.png'];
  expect(await areKept(validated, 2 * mebibyte)).toEqual([true, true, true]);
  expect(await areKept([ROLES_PATH], 12 * mebibyte)).toEqual([true]);
  const documents = ['ModuleToS/a.b', 'ModulePrivacy/a.b', 'PackageArtifact/build/a.map'];
  expect(await areKept(documents, 10 * mebibyte)).toEqual([true, true, true]);
  expect(await areKept(documents, 10 * mebibyte + 1)).toEqual([false, false, false]);
  const over = [...validated, ...documents, RULES_PATH, 'moduleSchema.json'];
  expect(await areKept(over, 20 * mebibyte)).toEqual(over.map(() => false));
  const rest = ['PackageArtifact/build/a', 'elsewhere', '.DS_Store'];
  expect(await areKept(rest, 1)).toEqual(rest.map(() => false));
});

test('as many errors are listed as the limit allows, however many there are', async () => {
  const limits = { ...DEFAULT_PACKAGE_LIMITS, maxReportedProblems: 10 };
  for (const count of [9, 10, 11, 35, 36, 200]) {
    const files = Array.from({ length: count }, (_, index) => [`file-${index}.txt`, 'x'] as const);
    const { problems, omittedErrors } = await checkEntries(examplePackage(Object.fromEntries(files)), {
      limits,
    });
    const { errors, errorsTotal } = listProblems(problems, limits.maxReportedProblems, omittedErrors);
    expect([count, errors.length, errorsTotal]).toEqual([count, Math.min(count, 10), count]);
  }
});
