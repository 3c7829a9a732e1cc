import { expect, test } from 'vitest';
import {
  type PackageEntries,
  DOCUMENT_TYPE_ID,
  checkEntries,
  examplePackage,
  jsonText,
  packageDescriptor,
  formatProblems,
  TINY_PNG,
} from '../../support/package-builder.ts';

const DOCUMENT = { countryId: 'DE', languageId: 'de' };

/** The problems of a package of these entries and module files. */
async function problemsOf(moduleFiles: unknown, entries: PackageEntries): Promise<string[]> {
  const descriptor = jsonText({
    ...packageDescriptor(),
    translations: packageDescriptor()['translations'],
    moduleFiles,
  });
  const report = await checkEntries({ 'moduleSchema.json': descriptor, ...entries });
  return formatProblems(report.problems).map((each) => each.replace(/:\d+:\d+/, ''));
}

test('a named file must be in the archive, by its exact path', async () => {
  expect(await problemsOf([{ file: 'ModuleLogo/logo.png' }], { 'ModuleLogo/logo.png': TINY_PNG })).toEqual(
    [],
  );
  expect(await problemsOf([{ file: 'ModuleLogo/Logo.png' }], { 'ModuleLogo/logo.png': TINY_PNG }))
    .toMatchInlineSnapshot(`
    [
      "✗ layout-file-undeclared ModuleLogo/logo.png | No item of moduleFiles names "ModuleLogo/logo.png".",
      "✗ descriptor-file-missing moduleSchema.json /moduleFiles/0/file | The package has no file "ModuleLogo/Logo.png". Is "ModuleLogo/logo.png" meant?",
    ]
  `);
  expect(await problemsOf([{ file: 'logo.png' }], { 'ModuleLogo/logo.png': TINY_PNG }))
    .toMatchInlineSnapshot(`
    [
      "✗ layout-file-undeclared ModuleLogo/logo.png | No item of moduleFiles names "ModuleLogo/logo.png".",
      "✗ descriptor-file-missing moduleSchema.json /moduleFiles/0/file | The package has no file "logo.png". Is "ModuleLogo/logo.png" meant?",
    ]
  `);
  expect(await problemsOf([{ file: 'ModuleLogo/' }], { 'ModuleLogo/': '' })).toMatchInlineSnapshot(`
    [
      "✗ descriptor-file-missing moduleSchema.json /moduleFiles/0/file | The package has no file "ModuleLogo/".",
    ]
  `);
  expect(await problemsOf([{ file: 'ModuleLogo/Thumbs.db' }], { 'ModuleLogo/Thumbs.db': 'x' }))
    .toMatchInlineSnapshot(`
      [
        "! layout-litter-skipped ModuleLogo/Thumbs.db | "ModuleLogo/Thumbs.db" is a file of the operating system and was skipped.",
        "✗ descriptor-file-missing moduleSchema.json /moduleFiles/0/file | The package has no file "ModuleLogo/Thumbs.db".",
      ]
    `);
  expect(await problemsOf([{ file: 'a.js' }], { 'PackageArtifact/build/a.js': 'x' })).toMatchInlineSnapshot(`
    [
      "✗ descriptor-file-missing moduleSchema.json /moduleFiles/0/file | The package has no file "a.js". The path must start with ModuleToS/, ModulePrivacy/, ModuleImage/ or ModuleLogo/.",
    ]
  `);
});

test('a named file must be in one of four folders', async () => {
  expect(
    await problemsOf([{ file: 'PackageArtifact/build/a.png' }], { 'PackageArtifact/build/a.png': TINY_PNG }),
  ).toMatchInlineSnapshot(`
    [
      "✗ descriptor-file-misplaced moduleSchema.json /moduleFiles/0/file | "PackageArtifact/build/a.png" is not in ModuleToS/, ModulePrivacy/, ModuleImage/ or ModuleLogo/.",
    ]
  `);
  expect(await problemsOf([{ file: 'moduleSchema.json' }], {})).toMatchInlineSnapshot(`
    [
      "✗ descriptor-file-misplaced moduleSchema.json /moduleFiles/0/file | "moduleSchema.json" is not in ModuleToS/, ModulePrivacy/, ModuleImage/ or ModuleLogo/.",
    ]
  `);
  for (const folder of ['ModuleToS', 'ModulePrivacy']) {
    expect(
      await problemsOf([{ file: `${folder}/a.pdf`, ...DOCUMENT }], { [`${folder}/a.pdf`]: '%PDF-1.7' }),
    ).toEqual([]);
  }
  for (const folder of ['ModuleImage', 'ModuleLogo']) {
    expect(await problemsOf([{ file: `${folder}/a.png` }], { [`${folder}/a.png`]: TINY_PNG })).toEqual([]);
  }
});

test('paths are compared in NFC and without a leading "./", and a backslash is read as a slash, with a warning', async () => {
  const report = await checkEntries({
    'moduleSchema.json': jsonText(
      packageDescriptor({ moduleFiles: [{ file: '.\\ModuleLogo\\u\u0308.png' }] }),
    ),
    'ModuleLogo/\u00fc.png': TINY_PNG,
  });
  expect(formatProblems(report.problems)).toMatchInlineSnapshot(`
    [
      "! descriptor-file-backslash moduleSchema.json:50:15 /moduleFiles/0/file | The backslash is read as a slash: write "ModuleLogo/ü.png".",
    ]
  `);
  expect(report.content?.descriptor.moduleFiles[0]?.file).toBe('ModuleLogo/\u00fc.png');
});

test('one file may be named more than once', async () => {
  const file = 'ModuleToS/a.pdf';
  expect(
    await problemsOf(
      [
        { file, ...DOCUMENT },
        { file, ...DOCUMENT, countryId: 'AT' },
      ],
      { [file]: '%PDF-1.7' },
    ),
  ).toEqual([]);
});

test('an image or logo that no item names is refused; for a terms or privacy file there is a warning', async () => {
  const entries = {
    'ModuleToS/a.pdf': '%PDF-1.7',
    'ModulePrivacy/a.pdf': '%PDF-1.7',
    'ModuleImage/a.png': TINY_PNG,
    'ModuleLogo/a.png': TINY_PNG,
    'PackageArtifact/build/a.js': 'x',
  };
  expect(await problemsOf([], entries)).toMatchInlineSnapshot(`
    [
      "✗ layout-file-undeclared ModuleImage/a.png | No item of moduleFiles names "ModuleImage/a.png".",
      "✗ layout-file-undeclared ModuleLogo/a.png | No item of moduleFiles names "ModuleLogo/a.png".",
      "! layout-file-unreferenced ModulePrivacy/a.pdf | No item of moduleFiles names "ModulePrivacy/a.pdf".",
      "! layout-file-unreferenced ModuleToS/a.pdf | No item of moduleFiles names "ModuleToS/a.pdf".",
    ]
  `);
  expect(await problemsOf(null, entries)).toHaveLength(4);
  expect(await problemsOf([{ file: 5 }], entries)).toHaveLength(5);
});

test('no unnamed file is reported where moduleFiles cannot be read', async () => {
  expect(await problemsOf({}, { 'ModuleLogo/a.png': TINY_PNG })).toMatchInlineSnapshot(`
    [
      "✗ descriptor-invalid moduleSchema.json /moduleFiles | moduleFiles must be an array or null; it is an object.",
    ]
  `);
  const broken = await checkEntries(examplePackage({ 'moduleSchema.json': '{' }));
  expect(broken.problems.map(({ code }) => code)).toEqual(['descriptor-not-json']);
  const noObject = await checkEntries(examplePackage({ 'moduleSchema.json': '[]' }));
  expect(noObject.problems.map(({ code }) => code)).toEqual(['descriptor-invalid']);
});

test('an item has a file that is not blank, and IDs and codes of their form', async () => {
  expect(
    await problemsOf(
      [{}, { file: ' ' }, 5, { file: 'ModuleLogo/a.png', documentTypeId: 'x', countryId: 5 }],
      {
        'ModuleLogo/a.png': TINY_PNG,
      },
    ),
  ).toMatchInlineSnapshot(`
    [
      "✗ descriptor-invalid moduleSchema.json /moduleFiles/0/file | moduleFiles[0].file is missing.",
      "✗ descriptor-invalid moduleSchema.json /moduleFiles/1/file | moduleFiles[1].file must be text that is not blank, without NUL characters and lone surrogates; it is " ".",
      "✗ descriptor-invalid moduleSchema.json /moduleFiles/2 | moduleFiles[2] must be an object; it is 5.",
      "✗ descriptor-invalid moduleSchema.json /moduleFiles/3/countryId | moduleFiles[3].countryId must be a string or null; it is 5.",
      "! descriptor-document-type-unknown moduleSchema.json /moduleFiles/3/documentTypeId | The document type "x" is not in the catalogue; it is kept as it is.",
    ]
  `);
});

test('a file without country and language is for every country and in no particular language', async () => {
  for (const absent of [undefined, null, '']) {
    const item = { file: 'ModuleToS/a.pdf', countryId: absent, languageId: absent, documentTypeId: absent };
    const report = await checkEntries({
      'moduleSchema.json': jsonText(packageDescriptor({ moduleFiles: [item] })),
      'ModuleToS/a.pdf': '%PDF-1.7',
    });
    expect(formatProblems(report.problems)).toEqual([]);
    expect(report.content?.descriptor.moduleFiles).toEqual([
      { file: 'ModuleToS/a.pdf', countryId: null, languageId: null, documentTypeId: null },
    ]);
  }
});

test('a document type is any text, with a warning if the catalogue knows it neither by ID nor by key', async () => {
  const problems = async (documentTypeId: string) =>
    problemsOf([{ file: 'ModuleToS/a.pdf', documentTypeId }], { 'ModuleToS/a.pdf': '%PDF-1.7' });
  expect(await problems('termsOfService')).toEqual([]);
  expect(await problems(DOCUMENT_TYPE_ID.toUpperCase())).toEqual([]);
  expect(await problems('AGB (2026)')).toMatchInlineSnapshot(`
    [
      "! descriptor-document-type-unknown moduleSchema.json /moduleFiles/0/documentTypeId | The document type "AGB (2026)" is not in the catalogue; it is kept as it is.",
    ]
  `);
});

test('countries are letters or digits of ISO 3166-1, languages are registered; an underscore is a hyphen, UK is hinted to be GB and deu to be de', async () => {
  const codes = async (countryId: string, languageId: string) => {
    const report = await checkEntries({
      'moduleSchema.json': jsonText(
        packageDescriptor({ moduleFiles: [{ file: 'ModuleToS/a.pdf', countryId, languageId }] }),
      ),
      'ModuleToS/a.pdf': '%PDF-1.7',
    });
    const [file] = report.content?.descriptor.moduleFiles ?? [];
    return file === undefined ? formatProblems(report.problems) : [file.countryId, file.languageId];
  };
  expect(await codes('276', 'pt_br')).toEqual(['276', 'pt-BR']);
  expect(await codes('de', 'gsw')).toEqual(['DE', 'gsw']);
  expect(await codes('uk', 'deu')).toMatchInlineSnapshot(`
    [
      "✗ descriptor-invalid moduleSchema.json:51:20 /moduleFiles/0/countryId | moduleFiles[0].countryId must be a country code of ISO 3166-1 such as "DE", "DEU" or "276"; it is "uk". Did you mean "GB"?",
      "✗ descriptor-invalid moduleSchema.json:52:21 /moduleFiles/0/languageId | moduleFiles[0].languageId must be a language tag of BCP 47 such as "en" or "pt-BR"; it is "deu". Did you mean "de"?",
    ]
  `);
  expect(await codes('999', 'German')).toMatchInlineSnapshot(`
    [
      "✗ descriptor-invalid moduleSchema.json:51:20 /moduleFiles/0/countryId | moduleFiles[0].countryId must be a country code of ISO 3166-1 such as "DE", "DEU" or "276"; it is "999".",
      "✗ descriptor-invalid moduleSchema.json:52:21 /moduleFiles/0/languageId | moduleFiles[0].languageId must be a language tag of BCP 47 such as "en" or "pt-BR"; it is "German".",
    ]
  `);
});

test('countries are of ISO 3166-1, languages of BCP 47', async () => {
  expect(
    await problemsOf([{ file: 'ModuleToS/a.pdf', countryId: 'XX', languageId: 'en_US' }], {
      'ModuleToS/a.pdf': '%PDF-1.7',
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ descriptor-invalid moduleSchema.json /moduleFiles/0/countryId | moduleFiles[0].countryId must be a country code of ISO 3166-1 such as "DE", "DEU" or "276"; it is "XX".",
    ]
  `);
});

test('codes and IDs are returned in their usual letter case', async () => {
  const item = {
    file: 'ModuleToS/a.pdf',
    countryId: 'deu',
    languageId: 'ZH-hant-tw',
    documentTypeId: 'ABCDEF00-0000-4000-8000-000000000000',
  };
  const report = await checkEntries({
    'moduleSchema.json': jsonText(packageDescriptor({ moduleFiles: [item] })),
    'ModuleToS/a.pdf': '%PDF-1.7',
  });
  expect(report.content?.descriptor.moduleFiles).toEqual([
    {
      file: 'ModuleToS/a.pdf',
      countryId: 'DEU',
      languageId: 'zh-Hant-TW',
      documentTypeId: 'abcdef00-0000-4000-8000-000000000000',
    },
  ]);
});
