import { expect, test } from 'vitest';
import { PACKAGE_FOLDERS } from '../../../shared/package/package-folders.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import type { PackageEntries } from '../../support/package-builder.ts';
import {
  EXAMPLE_ALERT_RULES,
  checkEntries,
  exampleRoles,
  jsonText,
  packageDescriptor,
  tellProblems,
  TINY_PNG,
} from '../../support/package-builder.ts';

const BARE_DESCRIPTOR = jsonText(packageDescriptor({ moduleFiles: [] }));

/** What is wrong with a package of the descriptor and these entries. */
async function told(entries: PackageEntries): Promise<string[]> {
  return tellProblems((await checkEntries({ 'moduleSchema.json': BARE_DESCRIPTOR, ...entries })).problems);
}

test('a package of the descriptor alone passes', async () => {
  const report = await checkEntries({ 'moduleSchema.json': BARE_DESCRIPTOR });
  expect(report.problems).toEqual([]);
  expect(report.content?.files).toEqual([]);
});

test('moduleSchema.json must be in the root', async () => {
  expect(await told({ 'moduleSchema.json': undefined, 'PackageArtifact/build/a.js': 'x' }))
    .toMatchInlineSnapshot(`
    [
      "✗ layout-descriptor-missing moduleSchema.json | The package has no moduleSchema.json in its root.",
    ]
  `);
});

test('the name of the descriptor and of the folders is exact', async () => {
  expect(
    await told({
      'moduleSchema.json': undefined,
      'ModuleSchema.json': BARE_DESCRIPTOR,
      'moduletos/terms.pdf': 'x',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-entry-unexpected ModuleSchema.json | "ModuleSchema.json" does not belong into the root of a package, which holds moduleSchema.json and folders. If it is meant to be moduleSchema.json, its name must be exactly that.",
      "✗ layout-descriptor-missing moduleSchema.json | The package has no moduleSchema.json in its root.",
      "✗ layout-entry-unexpected moduletos/terms.pdf | "moduletos/terms.pdf" does not belong into a package. If it is meant to be ModuleToS, its name must be exactly that.",
    ]
  `);
});

test('what lies outside the folders of a package is refused, each entry', async () => {
  expect(
    await told({
      'readme.txt': 'x',
      'Other/': undefined,
      'Other/deep/file.txt': 'x',
      'Other/deep/': '',
      'Empty/inner/': '',
      ModuleToS: 'a file, not a folder',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-entry-unexpected Empty/inner/ | "Empty/inner/" does not belong into a package.",
      "✗ layout-entry-unexpected ModuleToS | "ModuleToS" does not belong into the root of a package, which holds moduleSchema.json and folders. A folder of this name is expected.",
      "✗ layout-entry-unexpected Other/deep/file.txt | "Other/deep/file.txt" does not belong into a package.",
      "✗ layout-entry-unexpected readme.txt | "readme.txt" does not belong into the root of a package, which holds moduleSchema.json and folders.",
    ]
  `);
});

test('each folder may be absent unless REQUIRED_FOLDERS names it', async () => {
  const report = await checkEntries(
    { 'moduleSchema.json': BARE_DESCRIPTOR, 'ModuleLogo/': '' },
    { requiredFolders: ['ModuleToS', 'ModuleLogo'] },
  );
  expect(tellProblems(report.problems)).toMatchInlineSnapshot(`
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
  expect(report.problems.map(({ code }) => code)).toEqual([
    'layout-folder-missing',
    'layout-entry-unexpected',
  ]);
});

test.each(PACKAGE_FOLDERS)('%s/ can be required', async (folder) => {
  const report = await checkEntries({ 'moduleSchema.json': BARE_DESCRIPTOR }, { requiredFolders: [folder] });
  expect(report.problems.map(({ code, entry }) => [code, entry])).toEqual([
    ['layout-folder-missing', `${folder}/`],
  ]);
  expect(report.content).toBeNull();
});

test('a package wrapped in a folder is told so, and nothing else', async () => {
  expect(
    await told({
      'moduleSchema.json': undefined,
      'my-module/': '',
      'my-module/moduleSchema.json': BARE_DESCRIPTOR,
      'my-module/ModuleToS/terms.pdf': 'x',
      '__MACOSX/._my-module': 'x',
    }),
  ).toMatchInlineSnapshot(`
    [
      "! layout-litter-skipped __MACOSX/ | "__MACOSX/" is litter of the operating system and was skipped.",
      "✗ layout-wrapped-in-folder my-module/ | The package lies in the folder "my-module/": zip the folder's contents, not the folder.",
    ]
  `);
});

test('a folder beside other things in the root is not a wrapping', async () => {
  const codes = async (entries: PackageEntries) =>
    (await checkEntries(entries)).problems.map(({ code }) => code);
  const missing = ['layout-entry-unexpected', 'layout-entry-unexpected', 'layout-descriptor-missing'];
  expect(await codes({ 'a/moduleSchema.json': '{}', 'readme.txt': 'x' })).toEqual(
    expect.arrayContaining(missing),
  );
  expect(await codes({ 'a/moduleSchema.json': '{}', 'b/x': 'x' })).toEqual(expect.arrayContaining(missing));
  expect(await codes({ 'a/b/moduleSchema.json': '{}' })).toEqual([
    'layout-entry-unexpected',
    'layout-descriptor-missing',
  ]);
});

test('litter of operating systems is skipped with a warning each, and one for __MACOSX/', async () => {
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
  expect(tellProblems(report.problems)).toMatchInlineSnapshot(`
    [
      "! layout-litter-skipped .DS_Store | ".DS_Store" is litter of the operating system and was skipped.",
      "! layout-litter-skipped ModuleImage/desktop.ini | "ModuleImage/desktop.ini" is litter of the operating system and was skipped.",
      "! layout-litter-skipped ModuleLogo/Desktop.ini | "ModuleLogo/Desktop.ini" is litter of the operating system and was skipped.",
      "! layout-litter-skipped PackageArtifact/build/Thumbs.db | "PackageArtifact/build/Thumbs.db" is litter of the operating system and was skipped.",
      "! layout-litter-skipped PackageArtifact/build/__MACOSX/ | "PackageArtifact/build/__MACOSX/" is litter of the operating system and was skipped.",
      "! layout-litter-skipped __MACOSX/ | "__MACOSX/" is litter of the operating system and was skipped.",
    ]
  `);
  expect(report.content?.files.map(({ path }) => path)).toEqual(['PackageArtifact/build/index.html']);
});

test('a file named like a folder of litter is none', async () => {
  const report = await checkEntries({
    'moduleSchema.json': BARE_DESCRIPTOR,
    'PackageArtifact/build/__MACOSX': 'x',
  });
  expect(report.problems).toEqual([]);
  expect(report.content?.files.map(({ path }) => path)).toEqual(['PackageArtifact/build/__MACOSX']);
});

test('a folder of litter alone is absent', async () => {
  expect(await told({ 'AlertRuleDefinitionFile/.DS_Store': 'x' })).toMatchInlineSnapshot(`
    [
      "! layout-litter-skipped AlertRuleDefinitionFile/.DS_Store | "AlertRuleDefinitionFile/.DS_Store" is litter of the operating system and was skipped.",
    ]
  `);
});

test('PackageArtifact/build/ takes files at any depth and of any name', async () => {
  const report = await checkEntries({
    'moduleSchema.json': BARE_DESCRIPTOR,
    'PackageArtifact/': '',
    'PackageArtifact/build/': '',
    'PackageArtifact/build/a/b/c': 'x',
  });
  expect(report.problems).toEqual([]);
  expect(report.content?.files.map(({ path }) => path)).toEqual(['PackageArtifact/build/a/b/c']);
});

test('PackageArtifact/ without a file in build/ is refused', async () => {
  expect(await told({ 'PackageArtifact/': '' })).toMatchInlineSnapshot(`
    [
      "✗ layout-artifact-folder PackageArtifact/build/ | PackageArtifact/build/ must be there and hold at least one file.",
    ]
  `);
  expect(await told({ 'PackageArtifact/build/': '', 'PackageArtifact/build/empty/': '' })).toEqual(
    await told({ 'PackageArtifact/': '' }),
  );
});

test('PackageArtifact/ holds no other folder than build/, and no file', async () => {
  expect(
    await told({
      'PackageArtifact/build/a.js': 'x',
      'PackageArtifact/dist/a.js': 'x',
      'PackageArtifact/dist/b.js': 'x',
      'PackageArtifact/old/': '',
      'PackageArtifact/readme.txt': 'x',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-artifact-folder PackageArtifact/dist/ | "PackageArtifact/dist/" is not allowed: the one folder in PackageArtifact/ is named build.",
      "✗ layout-artifact-folder PackageArtifact/old/ | "PackageArtifact/old/" is not allowed: the one folder in PackageArtifact/ is named build.",
      "✗ layout-artifact-folder PackageArtifact/readme.txt | "PackageArtifact/readme.txt" must lie in PackageArtifact/build/, not beside it.",
    ]
  `);
});

test('a build under another name is told once', async () => {
  expect((await told({ 'PackageArtifact/dist/a.js': 'x' })).length).toBe(1);
  expect(await told({ 'PackageArtifact/a.js': 'x' })).toMatchInlineSnapshot(`
    [
      "✗ layout-artifact-folder PackageArtifact/a.js | "PackageArtifact/a.js" must lie in PackageArtifact/build/, not beside it.",
      "✗ layout-artifact-folder PackageArtifact/build/ | PackageArtifact/build/ must be there and hold at least one file.",
    ]
  `);
});

test('terms and privacy files have a name and an extension, and lie in no sub-folder', async () => {
  expect(
    await told({
      'ModuleToS/terms': 'x',
      'ModuleToS/.gitkeep': 'x',
      'ModuleToS/a.b.pdf': 'x',
      'ModuleToS/en/': '',
      'ModuleToS/en/terms.pdf': 'x',
      'ModulePrivacy/empty/': '',
      'ModulePrivacy/privacy.md': 'x',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-folder-nested ModulePrivacy/empty/ | "ModulePrivacy/empty/" lies in a sub-folder; ModulePrivacy/ has none.",
      "! layout-file-unreferenced ModulePrivacy/privacy.md | No item of moduleFiles names "ModulePrivacy/privacy.md".",
      "✗ layout-file-type ModuleToS/.gitkeep | "ModuleToS/.gitkeep" must have a name and an extension, such as terms.pdf.",
      "! layout-file-unreferenced ModuleToS/a.b.pdf | No item of moduleFiles names "ModuleToS/a.b.pdf".",
      "✗ layout-folder-nested ModuleToS/en/terms.pdf | "ModuleToS/en/terms.pdf" lies in a sub-folder; ModuleToS/ has none.",
      "✗ layout-file-type ModuleToS/terms | "ModuleToS/terms" must have a name and an extension, such as terms.pdf.",
    ]
  `);
});

test('images and logos lie in no sub-folder', async () => {
  expect(await told({ 'ModuleImage/a/b.png': TINY_PNG, 'ModuleLogo/a/b.png': TINY_PNG }))
    .toMatchInlineSnapshot(`
    [
      "✗ layout-folder-nested ModuleImage/a/b.png | "ModuleImage/a/b.png" lies in a sub-folder; ModuleImage/ has none.",
      "✗ layout-folder-nested ModuleLogo/a/b.png | "ModuleLogo/a/b.png" lies in a sub-folder; ModuleLogo/ has none.",
    ]
  `);
});

test('AlertRuleDefinitionFile/ holds exactly one .yaml and nothing else', async () => {
  const file = (name: string) => ({ [`AlertRuleDefinitionFile/${name}`]: EXAMPLE_ALERT_RULES });
  expect(await told(file('rules.yaml'))).toEqual([]);
  expect(await told({ 'AlertRuleDefinitionFile/': '' })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-count AlertRuleDefinitionFile/ | AlertRuleDefinitionFile/ must hold exactly one file and holds 0.",
    ]
  `);
  expect(await told({ ...file('a.yaml'), ...file('b.yaml') })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-count AlertRuleDefinitionFile/ | AlertRuleDefinitionFile/ must hold exactly one file and holds 2.",
    ]
  `);
  expect(await told({ ...file('a.yaml'), ...file('b.yaml'), ...file('notes.txt') })).toHaveLength(2);
  expect(await told({ ...file('a.yaml'), ...file('notes.txt') })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type AlertRuleDefinitionFile/notes.txt | "AlertRuleDefinitionFile/notes.txt" must have the extension .yaml.",
    ]
  `);
  expect(await told(file('rules.yml'))).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type AlertRuleDefinitionFile/rules.yml | "AlertRuleDefinitionFile/rules.yml" must have the extension .yaml.",
    ]
  `);
  expect(await told({ ...file('.yaml') })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type AlertRuleDefinitionFile/.yaml | "AlertRuleDefinitionFile/.yaml" must have the extension .yaml.",
    ]
  `);
  expect(await told({ ...file('rules.yaml'), ...file('old/rules.yaml') })).toMatchInlineSnapshot(`
    [
      "✗ layout-folder-nested AlertRuleDefinitionFile/old/rules.yaml | "AlertRuleDefinitionFile/old/rules.yaml" lies in a sub-folder; AlertRuleDefinitionFile/ has none.",
    ]
  `);
  expect(await told({ ...file('old/rules.yaml') })).toMatchInlineSnapshot(`
    [
      "✗ layout-folder-nested AlertRuleDefinitionFile/old/rules.yaml | "AlertRuleDefinitionFile/old/rules.yaml" lies in a sub-folder; AlertRuleDefinitionFile/ has none.",
    ]
  `);
});

test('ModuleSpecificRolesEntitiesDefinition/ holds exactly one .json and no folders', async () => {
  const file = (name: string) => ({
    [`ModuleSpecificRolesEntitiesDefinition/${name}`]: jsonText(exampleRoles()),
  });
  expect(await told(file('roles.json'))).toEqual([]);
  expect(await told({ 'ModuleSpecificRolesEntitiesDefinition/': '' })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-count ModuleSpecificRolesEntitiesDefinition/ | ModuleSpecificRolesEntitiesDefinition/ must hold exactly one file and holds 0.",
    ]
  `);
  expect(await told({ ...file('a.json'), ...file('b.json') })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-count ModuleSpecificRolesEntitiesDefinition/ | ModuleSpecificRolesEntitiesDefinition/ must hold exactly one file and holds 2.",
    ]
  `);
  expect(await told(file('roles.json5'))).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type ModuleSpecificRolesEntitiesDefinition/roles.json5 | "ModuleSpecificRolesEntitiesDefinition/roles.json5" must have the extension .json.",
    ]
  `);
  expect(await told({ ...file('roles.json'), ...file('x/roles.json') })).toMatchInlineSnapshot(`
    [
      "✗ layout-folder-nested ModuleSpecificRolesEntitiesDefinition/x/roles.json | "ModuleSpecificRolesEntitiesDefinition/x/roles.json" lies in a sub-folder; ModuleSpecificRolesEntitiesDefinition/ has none.",
    ]
  `);
});

test('of two files where one belongs, neither is judged', async () => {
  const problems = await told({
    'ModuleSpecificRolesEntitiesDefinition/a.json': 'not JSON',
    'ModuleSpecificRolesEntitiesDefinition/b.json': 'not JSON',
  });
  expect(problems.length).toBe(1);
});

test('each kind of file has its limit, and the limit itself is allowed', async () => {
  const entries = {
    'moduleSchema.json': BARE_DESCRIPTOR,
    'ModuleSpecificRolesEntitiesDefinition/roles.json': jsonText(exampleRoles()),
    'AlertRuleDefinitionFile/rules.yaml': EXAMPLE_ALERT_RULES,
    'ModuleImage/a.png': TINY_PNG,
    'ModuleLogo/a.png': TINY_PNG,
  };
  const judged = async (less: number) => {
    const limits = {
      ...DEFAULT_PACKAGE_LIMITS,
      maxDescriptorBytes: Buffer.byteLength(BARE_DESCRIPTOR) - less,
      maxRolesBytes: Buffer.byteLength(jsonText(exampleRoles())) - less,
      maxAlertRulesBytes: Buffer.byteLength(EXAMPLE_ALERT_RULES) - less,
      maxImageBytes: TINY_PNG.length - less,
    };
    return checkEntries(entries, { limits });
  };
  const atLimit = await judged(0);
  expect(atLimit.problems.map(({ code }) => code)).toEqual([
    'layout-file-undeclared',
    'layout-file-undeclared',
  ]);
  const over = await judged(1);
  expect(tellProblems(over.problems)).toMatchInlineSnapshot(`
    [
      "✗ layout-file-too-large AlertRuleDefinitionFile/rules.yaml | "AlertRuleDefinitionFile/rules.yaml" has 399 bytes; at most 398 are allowed.",
      "✗ layout-file-too-large ModuleImage/a.png | "ModuleImage/a.png" has 70 bytes; at most 69 are allowed.",
      "✗ layout-file-too-large ModuleLogo/a.png | "ModuleLogo/a.png" has 70 bytes; at most 69 are allowed.",
      "✗ layout-file-too-large ModuleSpecificRolesEntitiesDefinition/roles.json | "ModuleSpecificRolesEntitiesDefinition/roles.json" has 330 bytes; at most 329 are allowed.",
      "✗ layout-file-too-large moduleSchema.json | "moduleSchema.json" has 1367 bytes; at most 1366 are allowed.",
    ]
  `);
  expect(over.subject).toBeNull();
});
