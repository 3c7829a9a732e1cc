import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { validatePackage } from '../../../shared/package/validate-package.ts';
import { PACKAGE_PROBLEMS } from '../../../shared/package/problem-codes.ts';
import { bufferSource } from '../../../shared/package/archive/source.ts';
import { INVALID_PACKAGES } from '../../support/invalid-packages.ts';
import {
  checkEntries,
  EMPTY_ID,
  ENGLISH_ID,
  EXAMPLE_ALERT_RULES,
  examplePackage,
  GERMAN_ID,
  jsonText,
  OTHER_ID,
  packageDescriptor,
  ROLES_PATH,
  RULES_PATH,
  formatProblems,
  testSettings,
  TINY_PNG,
  zipPackage,
} from '../../support/package-builder.ts';
import { buildZip } from '../../support/zip-builder.ts';

const ID = '99999999-9999-4999-8999-999999999999';

test('a good package has no problems, and a result with descriptor, roles, alert rules and files by path', async () => {
  const report = await checkEntries(examplePackage());
  expect(report.problems).toEqual([]);
  expect(report.subject).toMatchObject({ moduleId: null, scope: 'irrigation-advisor' });
  expect(report.content?.roles?.roles[0]?.name).toBe('Agronomist');
  expect(Object.keys(report.content?.alertRules?.criterias ?? {})).toEqual(['temperature']);
  expect(report.content?.descriptor.translations.map(({ languageId }) => languageId)).toEqual([
    ENGLISH_ID,
    GERMAN_ID,
  ]);
  expect(report.content?.files.map(({ path, mediaType }) => `${path} ${mediaType}`)).toMatchInlineSnapshot(`
    [
      "AlertRuleDefinitionFile/alert-rules.yaml application/yaml",
      "ModuleImage/field.png image/png",
      "ModuleLogo/logo.svg image/svg+xml",
      "ModulePrivacy/privacy.pdf application/pdf",
      "ModuleSpecificRolesEntitiesDefinition/roles.json application/json",
      "ModuleToS/terms.pdf application/pdf",
      "PackageArtifact/build/assets/app.js text/javascript",
      "PackageArtifact/build/index.html text/html",
    ]
  `);
  expect(report.content?.files[1]).toMatchObject({
    path: 'ModuleImage/field.png',
    sizeBytes: TINY_PNG.length,
    sha256: hash('sha256', TINY_PNG, 'hex'),
    crc32: crc32(TINY_PNG),
    mediaType: 'image/png',
  });
});

test('roles and alert rules are null where the package has none', async () => {
  const report = await checkEntries(examplePackage({ [ROLES_PATH]: undefined, [RULES_PATH]: undefined }));
  expect([report.content?.roles, report.content?.alertRules]).toEqual([null, null]);
});

test('an image with the wrong extension has the type of its content', async () => {
  const entries = examplePackage({ 'ModuleImage/field.png': '<svg xmlns="http://www.w3.org/2000/svg"/>' });
  const report = await checkEntries(entries);
  expect(report.content?.files[1]?.mediaType).toBe('image/svg+xml');
});

test('progress ends at the total bytes of the entries', async () => {
  const seen: [number, number][] = [];
  const zip = zipPackage(examplePackage());
  await validatePackage(bufferSource(zip), testSettings(), (done, total) => seen.push([done, total]));
  const directoryOffset = zip.indexOf('PK\x01\x02', 0, 'latin1');
  expect(seen.at(-1)).toEqual([directoryOffset, directoryOffset]);
});

test('problems of the directory are reported alone, and no entry is read', async () => {
  const seen: number[] = [];
  const zip = buildZip([
    { path: '../a', content: 'x' },
    { path: 'readme.txt', content: 'x' },
    { path: '/b', content: 'x' },
  ]);
  const report = await validatePackage(bufferSource(zip), testSettings(), (done) => seen.push(done));
  expect(report.problems.map(({ code }) => code)).toEqual([
    'archive-entry-name-unsafe',
    'archive-entry-name-unsafe',
  ]);
  expect([report.subject, report.content, seen]).toEqual([null, null, []]);
});

test('one package with ten different mistakes has ten problems, each with entry, pointer, line and column', async () => {
  const report = await checkEntries(
    examplePackage({
      'moduleSchema.json': jsonText(
        packageDescriptor({
          schema: '2.0',
          scope: ' ',
          slogan: 'x',
          cropIds: [ID, ID],
          dataAreaIds: [OTHER_ID],
          translations: [
            { languageId: GERMAN_ID, moduleName: 'A' },
            { languageId: GERMAN_ID, moduleName: 'B' },
            { languageId: OTHER_ID, moduleName: 'C' },
          ],
          moduleFiles: [
            ...(packageDescriptor()['moduleFiles'] as object[]),
            { file: 'ModuleLogo/other.png' },
          ],
        }),
      ),
      [ROLES_PATH]: jsonText({ roles: 5 }),
      [RULES_PATH]: EXAMPLE_ALERT_RULES.replace('field: number', 'field: color'),
    }),
  );
  expect(formatProblems(report.problems)).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/alert-rules.yaml:11:23 /criterias/temperature/parts/value/field | criterias.temperature.parts.value.field must be one of select, number, text, boolean, date; it is "color".",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:2:12 /roles | roles must be an array; it is 5.",
      "! descriptor-value-repeated moduleSchema.json:13:5 /cropIds/1 | cropIds contains 99999999-9999-4999-8999-999999999999 more than once; the duplicate is ignored.",
      "✗ descriptor-data-area-unknown moduleSchema.json:16:5 /dataAreaIds/0 | dataAreaIds[0] is not an ID of dataAreas. The IDs are at /api/v8.0/CommonData/dataAreas; modulectl catalogue dataAreas lists them.",
      "✗ descriptor-file-missing moduleSchema.json:71:15 /moduleFiles/4/file | The package has no file "ModuleLogo/other.png".",
      "✗ descriptor-schema-unsupported moduleSchema.json:2:13 /schema | schema must be "1.0"; it is "2.0".",
      "✗ descriptor-invalid moduleSchema.json:8:12 /scope | scope must be text that is not blank, without NUL characters and lone surrogates; it is " ".",
      "! descriptor-property-unknown moduleSchema.json:74:3 /slogan | The property "slogan" is not known and was ignored.",
      "✗ descriptor-english-missing moduleSchema.json:18:19 /translations | No translation has the languageId of English, 11111111-1111-4111-8111-111111111111.",
      "✗ descriptor-translation-duplicate moduleSchema.json:24:21 /translations/1/languageId | The language 22222222-2222-4222-8222-222222222222 has two translations; only one is allowed.",
      "✗ descriptor-language-unknown moduleSchema.json:28:21 /translations/2/languageId | translations[2].languageId is not an ID of languages. The IDs are at /api/v8.0/CommonData/languages; modulectl catalogue languages lists them.",
    ]
  `);
  expect(new Set(report.problems.map(({ code }) => code)).size).toBeGreaterThanOrEqual(10);
  for (const { entry, pointer, line, column } of report.problems) {
    expect([typeof entry, typeof pointer, typeof line, typeof column]).toEqual([
      'string',
      'string',
      'number',
      'number',
    ]);
  }
  expect(report.content).toBeNull();
});

/** Codes that are raised where the archive is read or the registry is queried. */
const ELSEWHERE = /^(?:archive|registry|auth|check)-|^layout-part-removed$/;

test.each(Object.keys(PACKAGE_PROBLEMS).filter((code) => !ELSEWHERE.test(code)))(
  '%s is raised by an invalid package',
  async (code) => {
    const missing = `test/support/invalid-packages.ts has a package with ${code}, and its rule is registered`;
    const report = await checkEntries(INVALID_PACKAGES[code] ?? {}, { requiredFolders: ['ModuleToS'] });
    const found = report.problems.find((each) => each.code === code);
    expect(found?.entry, missing).toBeTypeOf('string');
    const passes = report.problems.every(({ severity }) => severity === 'warning');
    expect(report.content !== null).toBe(passes);
  },
);

test('problems are in the order of entry, pointer and position', async () => {
  const report = await checkEntries(
    examplePackage({
      'a.txt': 'x',
      'z.txt': 'x',
      'moduleSchema.json': jsonText(packageDescriptor({ scope: ' ', moduleId: 'x', parentId: EMPTY_ID })),
    }),
  );
  expect(report.problems.map(({ entry, pointer }) => `${entry ?? ''} ${pointer ?? ''}`)).toEqual([
    'a.txt ',
    'moduleSchema.json /moduleId',
    'moduleSchema.json /scope',
    'z.txt ',
  ]);
});
