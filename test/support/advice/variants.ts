import type { PackageProblemCode } from '../../../shared/package/problem-codes.ts';
import {
  ENGLISH_ID,
  EXAMPLE_ALERT_RULES,
  examplePackage,
  FARM_AREA_ID,
  jsonText,
  packageDescriptor,
  packageWithDescriptor,
  ROLES_PATH,
  RULES_PATH,
  TINY_PNG,
  TINY_SVG,
  type PackageEntries,
} from '../package-builder.ts';

type Variant = readonly [code: PackageProblemCode, title: string, entries: PackageEntries];

const FILES = packageDescriptor()['moduleFiles'] as readonly object[];
const TEXT = jsonText(packageDescriptor());

const descriptorText = (title: string, from: string | RegExp, to: string): Variant => [
  'descriptor-not-json',
  title,
  examplePackage({ 'moduleSchema.json': TEXT.replace(from, to) }),
];

const withFile = (code: PackageProblemCode, title: string, file: string): Variant => [
  code,
  title,
  packageWithDescriptor({ moduleFiles: [...FILES, { file }] }),
];

const rules = (code: PackageProblemCode, title: string, text: string | Buffer): Variant => [
  code,
  title,
  examplePackage({ [RULES_PATH]: text }),
];

const replaced = (code: PackageProblemCode, title: string, from: string, to: string): Variant =>
  rules(code, title, EXAMPLE_ALERT_RULES.replace(from, to));

const layout: readonly Variant[] = [
  [
    'layout-wrapped-in-folder',
    'a whole package',
    Object.fromEntries(
      Object.entries(examplePackage()).map(([path, content]) => [`module/${path}`, content]),
    ),
  ],
  [
    'layout-entry-unexpected',
    'a folder in another letter case',
    examplePackage({ 'ModuleToS/terms.pdf': undefined, 'moduletos/terms.pdf': '%PDF-1.7\n' }),
  ],
  [
    'layout-entry-unexpected',
    'the descriptor in another letter case',
    examplePackage({ 'moduleSchema.json': undefined, 'moduleschema.json': TEXT }),
  ],
  ['layout-artifact-folder', 'a file next to build', examplePackage({ 'PackageArtifact/a.js': 'x' })],
  [
    'layout-artifact-folder',
    'dist only',
    {
      ...examplePackage({
        'PackageArtifact/build/index.html': undefined,
        'PackageArtifact/build/assets/app.js': undefined,
      }),
      'PackageArtifact/dist/index.html': 'x',
    },
  ],
  [
    'layout-artifact-folder',
    'no file in build',
    examplePackage({
      'PackageArtifact/build/index.html': undefined,
      'PackageArtifact/build/assets/app.js': undefined,
      'PackageArtifact/build/': '',
    }),
  ],
  [
    'layout-file-count',
    'an empty folder',
    examplePackage({ [RULES_PATH]: undefined, 'AlertRuleDefinitionFile/': '' }),
  ],
  [
    'layout-file-type',
    'rules in .yml',
    examplePackage({ [RULES_PATH]: undefined, 'AlertRuleDefinitionFile/rules.yml': EXAMPLE_ALERT_RULES }),
  ],
  [
    'layout-file-type',
    'terms without an extension',
    examplePackage({ 'ModuleToS/terms.pdf': undefined, 'ModuleToS/terms': '%PDF-1.7\n' }),
  ],
  ['layout-folder-nested', 'an image', examplePackage({ 'ModuleImage/a/b/c.png': TINY_PNG })],
  [
    'layout-file-type',
    'a logo whose DOCTYPE an editor wrote',
    examplePackage({ 'ModuleLogo/logo.svg': `<?xml version="1.0"?>\n<!DOCTYPE svg>\n${TINY_SVG}` }),
  ],
];

const descriptor: readonly Variant[] = [
  descriptorText('a comma before a brace', /\n\}$/, ',\n}'),
  descriptorText('a comment', '"schema"', '// the schema\n"schema"'),
  descriptorText('a comment in the way of C', '"schema"', '/* the schema */ "schema"'),
  descriptorText('a missing comma', '"1.0",', '"1.0"'),
  descriptorText('a missing colon', '"schema":', '"schema"'),
  descriptorText('a missing brace', /\n\}$/, ''),
  descriptorText('a text that does not end', /"moduleFiles"[^]*/, ''),
  descriptorText('cut in a text', /igation-advisor[^]*/, ''),
  descriptorText('a no-break space after the last bracket', /$/, '\u00a0\n'),
  descriptorText('a backslash before a u', 'ModuleToS/terms.pdf', String.raw`ModuleToS\users.pdf`),
  descriptorText('a backslash', 'ModuleToS/terms.pdf', String.raw`ModuleToS\terms.pdf`.replace('\\t', '\\q')),
  descriptorText('a leading zero', '9.95', '09.95'),
  descriptorText('a plus sign', '9.95', '+9.95'),
  descriptorText('no digit before the point', '9.95', '.95'),
  descriptorText('no digit after the point', '9.95', '9.'),
  descriptorText('single quotes', '"schema"', "'schema'"),
  descriptorText('a name without quotes', '"schema"', 'schema'),
  descriptorText('a line break in a text', 'Says when', 'Says\nwhen'),
  [
    'descriptor-not-json',
    'bytes that are not UTF-8',
    examplePackage({ 'moduleSchema.json': Buffer.from(TEXT, 'latin1') }),
  ],
  [
    'descriptor-duplicate-key',
    'on a line of its own',
    examplePackage({ 'moduleSchema.json': TEXT.replace('{', '{\n  "schema": "1.0",') }),
  ],
  [
    'descriptor-duplicate-key',
    'an ID in another letter case',
    packageWithDescriptor({
      translations: [
        {
          languageId: ENGLISH_ID,
          moduleName: 'A',
          dataAreaReasons: { [FARM_AREA_ID]: 'To help.', [FARM_AREA_ID.toUpperCase()]: 'To see.' },
        },
      ],
    }),
  ],
  withFile('descriptor-file-missing', 'in another letter case', 'ModuleToS/Terms.pdf'),
  withFile('descriptor-file-missing', 'in another folder', 'ModulePrivacy/terms.pdf'),
  withFile('descriptor-file-missing', 'outside the folders', 'files/guide.txt'),
  withFile('descriptor-file-missing', 'an image', 'ModuleImage/none.png'),
  [
    'descriptor-property-unknown',
    'in another letter case',
    packageWithDescriptor({ scope: undefined, Scope: 'irrigation-advisor' }),
  ],
  ['descriptor-schema-unsupported', 'a number', packageWithDescriptor({ schema: 1 })],
  ['descriptor-schema-unsupported', 'missing', packageWithDescriptor({ schema: undefined })],
  [
    'descriptor-invalid',
    'a key twice in an environment',
    packageWithDescriptor({
      environmentVariables: ['a', 'b'].map((value) => ({
        ...{ appEnvironmentId: '99999999-9999-4999-8999-999999999999', key: 'API_URL', value },
      })),
    }),
  ],
];

const texts: readonly Variant[] = [
  ['roles-not-json', 'a key twice', examplePackage({ [ROLES_PATH]: '{\n"roles": [],\n"roles": []\n}' })],
  rules('alert-rules-not-yaml', 'an empty file', ''),
  rules('alert-rules-not-yaml', 'bytes that are not UTF-8', Buffer.from(EXAMPLE_ALERT_RULES, 'latin1')),
  rules('alert-rules-not-yaml', 'two documents', `${EXAMPLE_ALERT_RULES}---\nb: 2\n`),
  rules('alert-rules-not-yaml', 'YAML 1.1', `%YAML 1.1\n---\n${EXAMPLE_ALERT_RULES}`),
  rules('alert-rules-not-yaml', 'YAML 1.3', `%YAML 1.3\n---\n${EXAMPLE_ALERT_RULES}`),
  rules('alert-rules-not-yaml', 'a key twice', `${EXAMPLE_ALERT_RULES}schema: 1.1\n`),
  rules('alert-rules-not-yaml', 'a key that is a list', `${EXAMPLE_ALERT_RULES}? [a]\n: 1\n`),
  rules('alert-rules-not-yaml', 'an alias in its anchor', `${EXAMPLE_ALERT_RULES}a: &a [*a]\n`),
  replaced('alert-rules-not-yaml', 'a tag of its own', '!!float', '!version'),
  replaced('alert-rules-not-yaml', 'a tag that does not fit', '!!float', '!!int'),
  replaced('alert-rules-not-yaml', 'an alias without an anchor', '60', '*top'),
  replaced('alert-rules-not-yaml', 'a tab', '\n  temperature', '\n\ttemperature'),
  rules('alert-rules-not-yaml', 'a list that does not end', `${EXAMPLE_ALERT_RULES}a: [1, 2\n`),
  rules('alert-rules-property-unknown', 'in another letter case', `${EXAMPLE_ALERT_RULES}Criterias: {}\n`),
  replaced('alert-rules-invalid', 'a kind of input', 'field: number', 'field: color'),
  replaced('alert-rules-invalid', 'no kind of input', 'field: number, ', ''),
  replaced('alert-rules-invalid', 'another version', '!!float 1.1', '2.5'),
  replaced('alert-rules-invalid', 'an old version', '!!float 1.1', '0.5'),
  replaced('alert-rules-invalid', 'a text as version', '!!float 1.1', 'one'),
  replaced('alert-rules-invalid', 'no English', '{ en: Temperature, de: Temperatur }', '{ de: Temperatur }'),
  replaced('alert-rules-invalid', 'a language that is none', 'de: Temperatur', 'German_: Temperatur'),
  replaced('alert-rules-invalid', 'bounds in the wrong order', 'max: 60', 'max: -60'),
  replaced('alert-rules-invalid', 'an inexact bound', 'max: 60', 'max: 60.123456789012345'),
  replaced('alert-rules-invalid', 'a bound in words', 'max: 60', 'max: high'),
  replaced('alert-rules-invalid', 'a select without options', 'field: number', 'field: select'),
  replaced('alert-rules-invalid', 'no options', '{ gt: { en: greater than }, lt: { en: less than } }', '{}'),
  replaced('alert-rules-invalid', 'a label that is too long', 'en: Value', `en: ${'x'.repeat(201)}`),
  replaced('alert-rules-invalid', 'a name that is too long', 'temperature:', `${'x'.repeat(201)}:`),
  rules(
    'alert-rules-invalid',
    'an interval that is too long',
    `${EXAMPLE_ALERT_RULES}expectedIntervalHours: 9000\n`,
  ),
  replaced('alert-rules-invalid', 'a forbidden name', 'temperature:', '__proto__:'),
];

/** Packages with the same code as another one, but with another message. */
export const ADVICE_VARIANTS: readonly Variant[] = [...layout, ...descriptor, ...texts];
