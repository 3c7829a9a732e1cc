import { expect, test } from 'vitest';
import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import {
  besidesMissingParts,
  EXAMPLE_ALERT_RULES,
  checkEntries,
  examplePackage,
  exampleRoles,
  jsonText,
  formatProblems,
  TINY_PNG,
} from '../../support/package-builder.ts';
import { BARE_DESCRIPTOR, problemsOf } from './bare-package.ts';

test('PackageArtifact/build/ accepts files at any depth and of any name', async () => {
  const report = await checkEntries({
    'moduleSchema.json': BARE_DESCRIPTOR,
    'PackageArtifact/': '',
    'PackageArtifact/build/': '',
    'PackageArtifact/build/a/b/c': 'x',
  });
  expect(besidesMissingParts(report.problems)).toEqual([]);
  expect(report.content?.files.map(({ path }) => path)).toEqual(['PackageArtifact/build/a/b/c']);
});

test('PackageArtifact/ without a file in build/ is refused', async () => {
  expect(await problemsOf({ 'PackageArtifact/': '' })).toMatchInlineSnapshot(`
    [
      "✗ layout-artifact-folder PackageArtifact/build/ | PackageArtifact/build/ must exist and contain at least one file.",
    ]
  `);
  expect(await problemsOf({ 'PackageArtifact/build/': '', 'PackageArtifact/build/empty/': '' })).toEqual(
    await problemsOf({ 'PackageArtifact/': '' }),
  );
});

test('PackageArtifact/ contains only the folder build/, and no file', async () => {
  expect(
    await problemsOf({
      'PackageArtifact/build/a.js': 'x',
      'PackageArtifact/dist/a.js': 'x',
      'PackageArtifact/dist/b.js': 'x',
      'PackageArtifact/old/': '',
      'PackageArtifact/readme.txt': 'x',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-artifact-folder PackageArtifact/dist/ | "PackageArtifact/dist/" is not allowed: the only folder in PackageArtifact/ must be named build.",
      "✗ layout-artifact-folder PackageArtifact/old/ | "PackageArtifact/old/" is not allowed: the only folder in PackageArtifact/ must be named build.",
      "✗ layout-artifact-folder PackageArtifact/readme.txt | "PackageArtifact/readme.txt" must be in PackageArtifact/build/, not next to it.",
    ]
  `);
});

test('a build under another name is reported once', async () => {
  expect((await problemsOf({ 'PackageArtifact/dist/a.js': 'x' })).length).toBe(1);
  expect(await problemsOf({ 'PackageArtifact/a.js': 'x' })).toMatchInlineSnapshot(`
    [
      "✗ layout-artifact-folder PackageArtifact/a.js | "PackageArtifact/a.js" must be in PackageArtifact/build/, not next to it.",
      "✗ layout-artifact-folder PackageArtifact/build/ | PackageArtifact/build/ must exist and contain at least one file.",
    ]
  `);
});

test('terms and privacy files have a name and an extension, and are not in a sub-folder', async () => {
  expect(
    await problemsOf({
      'ModuleToS/terms': 'x',
      'ModuleToS/.gitkeep': 'x',
      'ModuleToS/a.b.pdf': '%PDF-1.7',
      'ModuleToS/en/': '',
      'ModuleToS/en/terms.pdf': '%PDF-1.7',
      'ModulePrivacy/empty/': '',
      'ModulePrivacy/privacy.md': 'x',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ layout-folder-nested ModulePrivacy/empty/ | "ModulePrivacy/empty/" is in a sub-folder; ModulePrivacy/ must not have any.",
      "! layout-file-unreferenced ModulePrivacy/privacy.md | No item of moduleFiles names "ModulePrivacy/privacy.md".",
      "✗ layout-file-type ModuleToS/.gitkeep | "ModuleToS/.gitkeep" must have a name and an extension, such as terms.pdf.",
      "! layout-file-unreferenced ModuleToS/a.b.pdf | No item of moduleFiles names "ModuleToS/a.b.pdf".",
      "✗ layout-folder-nested ModuleToS/en/terms.pdf | "ModuleToS/en/terms.pdf" is in a sub-folder; ModuleToS/ must not have any.",
      "✗ layout-file-type ModuleToS/terms | "ModuleToS/terms" must have a name and an extension, such as terms.pdf.",
    ]
  `);
});

test('images and logos are not in a sub-folder', async () => {
  expect(await problemsOf({ 'ModuleImage/a/b.png': TINY_PNG, 'ModuleLogo/a/b.png': TINY_PNG }))
    .toMatchInlineSnapshot(`
      [
        "✗ layout-folder-nested ModuleImage/a/b.png | "ModuleImage/a/b.png" is in a sub-folder; ModuleImage/ must not have any.",
        "✗ layout-folder-nested ModuleLogo/a/b.png | "ModuleLogo/a/b.png" is in a sub-folder; ModuleLogo/ must not have any.",
      ]
    `);
});

test('AlertRuleDefinitionFile/ contains exactly one .yaml and nothing else', async () => {
  const file = (name: string) => ({ [`AlertRuleDefinitionFile/${name}`]: EXAMPLE_ALERT_RULES });
  expect(await problemsOf(file('rules.yaml'))).toEqual([]);
  expect(await problemsOf({ 'AlertRuleDefinitionFile/': '' })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-count AlertRuleDefinitionFile/ | AlertRuleDefinitionFile/ must contain exactly one file, not 0.",
    ]
  `);
  expect(await problemsOf({ ...file('a.yaml'), ...file('b.yaml') })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-count AlertRuleDefinitionFile/ | AlertRuleDefinitionFile/ must contain exactly one file, not 2.",
    ]
  `);
  expect(await problemsOf({ ...file('a.yaml'), ...file('b.yaml'), ...file('notes.txt') })).toHaveLength(2);
  expect(await problemsOf({ ...file('a.yaml'), ...file('notes.txt') })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type AlertRuleDefinitionFile/notes.txt | "AlertRuleDefinitionFile/notes.txt" must have the extension .yaml.",
    ]
  `);
  expect(await problemsOf(file('rules.yml'))).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type AlertRuleDefinitionFile/rules.yml | "AlertRuleDefinitionFile/rules.yml" must have the extension .yaml.",
    ]
  `);
  expect(await problemsOf({ ...file('.yaml') })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type AlertRuleDefinitionFile/.yaml | "AlertRuleDefinitionFile/.yaml" must have the extension .yaml.",
    ]
  `);
  expect(await problemsOf({ ...file('rules.yaml'), ...file('old/rules.yaml') })).toMatchInlineSnapshot(`
    [
      "✗ layout-folder-nested AlertRuleDefinitionFile/old/rules.yaml | "AlertRuleDefinitionFile/old/rules.yaml" is in a sub-folder; AlertRuleDefinitionFile/ must not have any.",
    ]
  `);
  expect(await problemsOf({ ...file('old/rules.yaml') })).toMatchInlineSnapshot(`
    [
      "✗ layout-folder-nested AlertRuleDefinitionFile/old/rules.yaml | "AlertRuleDefinitionFile/old/rules.yaml" is in a sub-folder; AlertRuleDefinitionFile/ must not have any.",
    ]
  `);
});

test('the build has no private keys and no history; files that may be private are a warning', async () => {
  const names = [
    ...[
      '.git/config',
      '.git/objects/ab/cd',
      '.gitignore',
      'keys/ID_RSA',
      'id_rsa.pub',
      'store.p12',
      '.env',
      '.ENV.local',
    ],
    // A file of this name only says where the history of a submodule is.
    ...['env.js', '.npmrc', 'app.js', 'keyboard.js', 'id_ed25519', 'parts/.git'],
  ];
  const files = names.map((name) => [`PackageArtifact/build/${name}`, 'x']);
  const { problems } = await checkEntries(examplePackage(Object.fromEntries(files)));
  expect(problems.map(({ code, entry }) => `${code} ${entry?.replace('PackageArtifact/build/', '')}`))
    .toMatchInlineSnapshot(`
    [
      "layout-file-suspicious .ENV.local",
      "layout-file-suspicious .env",
      "layout-file-secret .git/",
      "layout-file-suspicious .npmrc",
      "layout-file-secret id_ed25519",
      "layout-file-secret keys/ID_RSA",
      "layout-file-secret store.p12",
    ]
  `);
});

test('a key in a text file is an error by its content, a source map with the source code a warning', async () => {
  const pem = (kind: string) => `-----BEGIN ${kind}-----\nMIIB\n-----END ${kind}-----\n`;
  const contents = {
    'chain.pem': pem('CERTIFICATE'),
    'server.key': pem('RSA PRIVATE KEY'),
    'both.PEM': pem('CERTIFICATE') + pem('PRIVATE KEY'),
    'notes.txt': pem('PRIVATE KEY'),
    'app.js.map': '{"version":3,"sources":["a.ts"],"sourcesContent":[null, "let a;"],"mappings":""}',
    'lib.js.map': '{"version":3,"sources":["a.ts"],"sourcesContent":[null],"mappings":""}',
    'field.map': 'not JSON',
  };
  const files = Object.entries(contents).map(([name, text]) => [`PackageArtifact/build/${name}`, text]);
  const { problems } = await checkEntries(examplePackage(Object.fromEntries(files)));
  expect(formatProblems(problems)).toMatchInlineSnapshot(`
    [
      "! layout-file-suspicious PackageArtifact/build/app.js.map | "PackageArtifact/build/app.js.map" is a source map with the source code, and everybody can read the build. Remove it.",
      "✗ layout-file-secret PackageArtifact/build/both.PEM | "PackageArtifact/build/both.PEM" is a private key, and everybody can read the build. Remove it.",
      "✗ layout-file-secret PackageArtifact/build/server.key | "PackageArtifact/build/server.key" is a private key, and everybody can read the build. Remove it.",
    ]
  `);
});

test('ModuleSpecificRolesEntitiesDefinition/ contains exactly one .json and no folders', async () => {
  const file = (name: string) => ({
    [`ModuleSpecificRolesEntitiesDefinition/${name}`]: jsonText(exampleRoles()),
  });
  expect(await problemsOf(file('roles.json'))).toEqual([]);
  expect(await problemsOf({ 'ModuleSpecificRolesEntitiesDefinition/': '' })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-count ModuleSpecificRolesEntitiesDefinition/ | ModuleSpecificRolesEntitiesDefinition/ must contain exactly one file, not 0.",
    ]
  `);
  expect(await problemsOf({ ...file('a.json'), ...file('b.json') })).toMatchInlineSnapshot(`
    [
      "✗ layout-file-count ModuleSpecificRolesEntitiesDefinition/ | ModuleSpecificRolesEntitiesDefinition/ must contain exactly one file, not 2.",
    ]
  `);
  expect(await problemsOf(file('roles.json5'))).toMatchInlineSnapshot(`
    [
      "✗ layout-file-type ModuleSpecificRolesEntitiesDefinition/roles.json5 | "ModuleSpecificRolesEntitiesDefinition/roles.json5" must have the extension .json.",
    ]
  `);
  expect(await problemsOf({ ...file('roles.json'), ...file('x/roles.json') })).toMatchInlineSnapshot(`
    [
      "✗ layout-folder-nested ModuleSpecificRolesEntitiesDefinition/x/roles.json | "ModuleSpecificRolesEntitiesDefinition/x/roles.json" is in a sub-folder; ModuleSpecificRolesEntitiesDefinition/ must not have any.",
    ]
  `);
});

test('of two files where one is allowed, neither is validated', async () => {
  const problems = await problemsOf({
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
  const check = async (less: number) => {
    const limits = {
      ...DEFAULT_PACKAGE_LIMITS,
      maxDescriptorBytes: Buffer.byteLength(BARE_DESCRIPTOR) - less,
      maxRolesBytes: Buffer.byteLength(jsonText(exampleRoles())) - less,
      maxAlertRulesBytes: Buffer.byteLength(EXAMPLE_ALERT_RULES) - less,
      maxImageBytes: TINY_PNG.length - less,
    };
    return checkEntries(entries, { limits });
  };
  const atLimit = await check(0);
  expect(besidesMissingParts(atLimit.problems).map(({ code }) => code)).toEqual([
    'layout-file-undeclared',
    'layout-file-undeclared',
  ]);
  const over = await check(1);
  expect(formatProblems(over.problems)).toMatchInlineSnapshot(`
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
