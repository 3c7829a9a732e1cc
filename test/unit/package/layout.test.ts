import { expect, test } from 'vitest';
import { PACKAGE_FOLDERS } from '../../../shared/package/layout/package-folders.ts';
import {
  type PackageEntries,
  besidesMissingParts,
  checkEntries,
  formatProblems,
} from '../../support/package-builder.ts';
import { BARE_DESCRIPTOR, problemsOf } from './bare-package.ts';

test('a package with only the descriptor passes, with a warning for each folder that it lacks', async () => {
  const report = await checkEntries({ 'moduleSchema.json': BARE_DESCRIPTOR });
  expect(report.problems.map(({ code, severity, entry }) => `${severity} ${code} ${entry ?? ''}`)).toEqual(
    PACKAGE_FOLDERS.toSorted().map((folder) => `warning layout-part-missing ${folder}/`),
  );
  expect(report.content?.files).toEqual([]);
});

test('moduleSchema.json must be in the root', async () => {
  expect(await problemsOf({ 'moduleSchema.json': undefined, 'PackageArtifact/build/a.js': 'x' }))
    .toMatchInlineSnapshot(`
    [
      "✗ layout-descriptor-missing moduleSchema.json | The package has no moduleSchema.json in its root.",
    ]
  `);
});

test('the name of the descriptor and of the folders is exact', async () => {
  expect(
    await problemsOf({
      'moduleSchema.json': undefined,
      'ModuleSchema.json': BARE_DESCRIPTOR,
      'moduletos/terms.pdf': 'x',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-descriptor-missing moduleSchema.json | The package has no moduleSchema.json in its root.",
      "✗ layout-entry-unexpected moduletos/ | "moduletos/" does not belong in a package. If it is meant to be ModuleToS, its name must be exactly that.",
      "✗ layout-entry-unexpected ModuleSchema.json | "ModuleSchema.json" does not belong in the root of a package, which contains moduleSchema.json and folders. If it is meant to be moduleSchema.json, its name must be exactly that.",
    ]
  `);
});

test('each entry outside the folders of a package is refused', async () => {
  expect(
    await problemsOf({
      'readme.txt': 'x',
      'Other/': undefined,
      'Other/deep/file.txt': 'x',
      'Other/deep/': '',
      'Empty/inner/': '',
      ModuleToS: 'a file, not a folder',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-entry-unexpected Empty/ | "Empty/" does not belong in a package.",
      "✗ layout-entry-unexpected Other/ | "Other/" does not belong in a package.",
      "✗ layout-entry-unexpected ModuleToS | "ModuleToS" does not belong in the root of a package, which contains moduleSchema.json and folders. A folder of this name is expected.",
      "✗ layout-entry-unexpected readme.txt | "readme.txt" does not belong in the root of a package, which contains moduleSchema.json and folders.",
    ]
  `);
});

test('each folder may be absent unless REQUIRED_FOLDERS names it', async () => {
  const report = await checkEntries(
    { 'moduleSchema.json': BARE_DESCRIPTOR, 'ModuleLogo/': '' },
    { requiredFolders: ['ModuleToS', 'ModuleLogo'] },
  );
  expect(formatProblems(report.problems)).toMatchInlineSnapshot(`
    [
      "✗ layout-folder-missing ModuleToS/ | The folder ModuleToS/ is required here.",
    ]
  `);
});

test('a file whose name starts like a required folder is not that folder', async () => {
  const report = await checkEntries(
    { 'moduleSchema.json': BARE_DESCRIPTOR, ModuleToSx: 'x' },
    { requiredFolders: ['ModuleToS'] },
  );
  expect(besidesMissingParts(report.problems).map(({ code }) => code)).toEqual([
    'layout-folder-missing',
    'layout-entry-unexpected',
  ]);
});

test.each(PACKAGE_FOLDERS)('%s/ can be required', async (folder) => {
  const report = await checkEntries({ 'moduleSchema.json': BARE_DESCRIPTOR }, { requiredFolders: [folder] });
  expect(besidesMissingParts(report.problems).map(({ code, entry }) => [code, entry])).toEqual([
    ['layout-folder-missing', `${folder}/`],
  ]);
  expect(report.content).toBeNull();
});

test('a package wrapped in a folder has only that problem', async () => {
  expect(
    await problemsOf({
      'moduleSchema.json': undefined,
      'my-module/': '',
      'my-module/moduleSchema.json': BARE_DESCRIPTOR,
      'my-module/ModuleToS/terms.pdf': 'x',
      '__MACOSX/._my-module': 'x',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-wrapped-in-folder my-module/ | The package is in the folder "my-module/": zip the folder's contents, not the folder.",
      "! layout-litter-skipped __MACOSX/ | "__MACOSX/" is a file of the operating system and was skipped.",
    ]
  `);
});

test('a package wrapped in several folders has only that problem, whatever macOS adds to it', async () => {
  expect(
    await problemsOf({
      'moduleSchema.json': undefined,
      'my-module/my-module/moduleSchema.json': BARE_DESCRIPTOR,
      'my-module/my-module/ModuleToS/terms.pdf': 'x',
      'my-module/my-module/ModuleToS/._terms.pdf': 'x',
      'my-module/.DS_Store': 'x',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-wrapped-in-folder my-module/my-module/ | The package is in the folder "my-module/my-module/": zip the folder's contents, not the folder.",
      "! layout-litter-skipped my-module/.DS_Store | "my-module/.DS_Store" is a file of the operating system and was skipped.",
      "! layout-litter-skipped my-module/my-module/ModuleToS/._terms.pdf | "my-module/my-module/ModuleToS/._terms.pdf" is a file of the operating system and was skipped.",
    ]
  `);
});

test('of a package whose files are elsewhere the cause is reported first, once, however many files there are', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`dist/file-${index}.js`, 'x'] as const),
  );
  expect(
    await problemsOf({
      'moduleSchema.json': undefined,
      'config/moduleSchema.json': BARE_DESCRIPTOR,
      'AlertRuleDefinitionFile/a.txt': 'x',
      ...files,
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-descriptor-missing moduleSchema.json | The package has no moduleSchema.json in its root. Is "config/moduleSchema.json" meant? Move it to the root.",
      "✗ layout-entry-unexpected config/ | "config/" does not belong in a package.",
      "✗ layout-entry-unexpected dist/ | "dist/" does not belong in a package, nor do the 300 entries in it.",
      "✗ layout-file-type AlertRuleDefinitionFile/a.txt | "AlertRuleDefinitionFile/a.txt" must have the extension .yaml.",
    ]
  `);
});

test('a folder that has everything but the descriptor is no wrapper', async () => {
  const entries = {
    'moduleSchema.json': undefined,
    'my-module/readme.md': 'x',
    'my-module/config/moduleSchema.json': BARE_DESCRIPTOR,
  };
  expect(await problemsOf(entries)).toMatchInlineSnapshot(`
    [
      "✗ layout-descriptor-missing moduleSchema.json | The package has no moduleSchema.json in its root. Is "my-module/config/moduleSchema.json" meant? Move it to the root.",
      "✗ layout-entry-unexpected my-module/ | "my-module/" does not belong in a package, nor do the 2 entries in it.",
    ]
  `);
});

test('neither a folder of a package nor a folder in it is a wrapper; a folder around one is', async () => {
  const codesOf = async (folder: string) => {
    const entries = { 'moduleSchema.json': undefined, [`${folder}/moduleSchema.json`]: BARE_DESCRIPTOR };
    return (await problemsOf(entries)).map((each) => each.split(' ')[1]);
  };
  expect(await codesOf('ModuleToS/en')).toEqual(['layout-descriptor-missing', 'layout-folder-nested']);
  expect(await codesOf('dist/ModuleToS')).toEqual(['layout-wrapped-in-folder']);
  expect(await problemsOf({ 'moduleSchema.json': undefined, 'ModuleToS/moduleSchema.json': BARE_DESCRIPTOR }))
    .toMatchInlineSnapshot(`
    [
      "✗ layout-descriptor-missing moduleSchema.json | The package has no moduleSchema.json in its root. Is "ModuleToS/moduleSchema.json" meant? Move it to the root.",
    ]
  `);
});

test('the root may be an entry, and names may start with it', async () => {
  const report = await checkEntries({
    './': '',
    './moduleSchema.json': BARE_DESCRIPTOR,
    './PackageArtifact/': '',
    './PackageArtifact/build/index.html': 'x',
  });
  expect(besidesMissingParts(report.problems)).toEqual([]);
  expect(report.content?.files.map(({ path }) => path)).toEqual(['PackageArtifact/build/index.html']);
});

test('a folder next to other entries in the root is not a wrapper', async () => {
  const codes = async (entries: PackageEntries) =>
    besidesMissingParts((await checkEntries(entries)).problems).map(({ code }) => code);
  const missing = ['layout-entry-unexpected', 'layout-entry-unexpected', 'layout-descriptor-missing'];
  expect(await codes({ 'a/moduleSchema.json': '{}', 'readme.txt': 'x' })).toEqual(
    expect.arrayContaining(missing),
  );
  expect(await codes({ 'a/moduleSchema.json': '{}', 'b/x': 'x' })).toEqual(expect.arrayContaining(missing));
});

test('files of operating systems are skipped with one warning for each kind', async () => {
  const report = await checkEntries({
    'moduleSchema.json': BARE_DESCRIPTOR,
    '.DS_Store': 'x',
    '__MACOSX/': '',
    '__MACOSX/._moduleSchema.json': 'x',
    '__MACOSX/ModuleToS/._terms.pdf': 'x',
    'PackageArtifact/build/index.html': 'x',
    'PackageArtifact/build/Thumbs.db': 'x',
    'PackageArtifact/build/__MACOSX/x': 'x',
    'ModuleImage/desktop.ini': 'x',
    'ModuleLogo/Desktop.ini': 'x',
  });
  expect(formatProblems(report.problems)).toMatchInlineSnapshot(`
    [
      "! layout-litter-skipped .DS_Store | ".DS_Store" is a file of the operating system and was skipped.",
      "! layout-litter-skipped ModuleImage/desktop.ini | 2 entries of the operating system (desktop.ini) were skipped, such as "ModuleImage/desktop.ini".",
      "! layout-litter-skipped PackageArtifact/build/Thumbs.db | "PackageArtifact/build/Thumbs.db" is a file of the operating system and was skipped.",
      "! layout-litter-skipped PackageArtifact/build/__MACOSX/ | 4 entries of the operating system (__MACOSX/) were skipped, such as "PackageArtifact/build/__MACOSX/".",
    ]
  `);
  expect(report.content?.files.map(({ path }) => path)).toEqual(['PackageArtifact/build/index.html']);
});

test('AppleDouble files anywhere are skipped with one warning together', async () => {
  const report = await checkEntries({
    'moduleSchema.json': BARE_DESCRIPTOR,
    '._moduleSchema.json': 'x',
    'ModuleLogo/._logo.png': 'x',
    'PackageArtifact/._build': 'x',
    'PackageArtifact/build/index.html': 'x',
    'PackageArtifact/build/._index.html': 'x',
  });
  expect(formatProblems(report.problems)).toMatchInlineSnapshot(`
    [
      "! layout-litter-skipped ._moduleSchema.json | 4 entries of the operating system (AppleDouble, ._*) were skipped, such as "._moduleSchema.json".",
    ]
  `);
  expect(report.content?.files.map(({ path }) => path)).toEqual(['PackageArtifact/build/index.html']);
});

test('a file named like a folder of an operating system is not skipped', async () => {
  const report = await checkEntries({
    'moduleSchema.json': BARE_DESCRIPTOR,
    'PackageArtifact/build/__MACOSX': 'x',
  });
  expect(besidesMissingParts(report.problems)).toEqual([]);
  expect(report.content?.files.map(({ path }) => path)).toEqual(['PackageArtifact/build/__MACOSX']);
});

test('a folder with only operating system files is treated as absent', async () => {
  expect(await problemsOf({ 'AlertRuleDefinitionFile/.DS_Store': 'x' })).toMatchInlineSnapshot(`
    [
      "! layout-litter-skipped AlertRuleDefinitionFile/.DS_Store | "AlertRuleDefinitionFile/.DS_Store" is a file of the operating system and was skipped.",
    ]
  `);
});
