import { validatePackage } from '../../shared/package/validate-package.ts';
import type {
  ValidationSettings,
  PackageCatalogue,
  PackageReport,
} from '../../shared/package/package-report.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../shared/package/limits.ts';
import type { Problem } from '../../shared/package/problem.ts';
import { bufferSource } from '../../shared/package/archive/source.ts';
import { buildZip } from './zip-builder.ts';

export const ENGLISH_ID = '11111111-1111-4111-8111-111111111111';
export const GERMAN_ID = '22222222-2222-4222-8222-222222222222';
export const SPANISH_ID = '33333333-3333-4333-8333-333333333333';
export const FARM_AREA_ID = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
export const ALERTS_AREA_ID = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
export const DOCUMENT_TYPE_ID = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc';
/** The federation type of inline frames, as it is shipped. */
export const FEDERATION_TYPE_ID = 'ec81ede9-e1cd-549f-9542-46a0c1ee4343';
/** An ID that is not in the catalogue. */
export const OTHER_ID = 'ffffffff-ffff-4fff-8fff-ffffffffffff';
export const EMPTY_ID = '00000000-0000-0000-0000-000000000000';

function named(keys: Readonly<Record<string, string>>) {
  return new Map(Object.entries(keys).map(([id, key]) => [id, { key, value: key }]));
}

/** A catalogue with fixed IDs: three languages, of which German is recommended, two data areas, a document type, a federation type. */
export const testCatalogue: PackageCatalogue = {
  englishId: ENGLISH_ID,
  recommendedLanguages: new Map([[GERMAN_ID, 'German']]),
  documentTypes: new Set([DOCUMENT_TYPE_ID, 'termsOfService']),
  deploymentTypes: new Set(['0', '1', '2']),
  sets: new Map([
    ['languages', named({ [ENGLISH_ID]: 'en', [GERMAN_ID]: 'de', [SPANISH_ID]: 'es' })],
    ['dataAreas', named({ [FARM_AREA_ID]: 'FarmOrganization', [ALERTS_AREA_ID]: 'FarmOrganizationAlerts' })],
    ['federationTypes', named({ [FEDERATION_TYPE_ID]: 'iframe' })],
  ]),
};

/** The settings of validation in tests; members can be replaced. */
export function testSettings(overrides: Partial<ValidationSettings> = {}): ValidationSettings {
  return { limits: DEFAULT_PACKAGE_LIMITS, requiredFolders: [], catalogue: testCatalogue, ...overrides };
}

/** The path of the roles in the example package. */
export const ROLES_PATH = 'ModuleSpecificRolesEntitiesDefinition/roles.json';
/** The path of the alert rules in the example package. */
export const RULES_PATH = 'AlertRuleDefinitionFile/alert-rules.yaml';

/** A PNG of one transparent pixel. */
export const TINY_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

export const TINY_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>\n';

/** A descriptor that passes every rule; these members replace its own, and undefined omits one. */
export function packageDescriptor(
  overrides: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    schema: '1.0',
    moduleId: null,
    hostingTypeId: '44444444-4444-4444-8444-444444444444',
    typeId: '55555555-5555-4555-8555-555555555555',
    moduleVersion: 0.1,
    vendorInternalCodeVersion: '2.4.1',
    scope: 'irrigation-advisor',
    offlineCapability: false,
    deploymentType: 1,
    cropIds: ['66666666-6666-4666-8666-666666666666'],
    dataAreaIds: [FARM_AREA_ID, ALERTS_AREA_ID],
    translations: [
      {
        languageId: ENGLISH_ID,
        moduleName: 'Irrigation advisor',
        shortName: 'Irrigation',
        description: 'Says when and how much to irrigate.',
        websiteUrl: 'https://vendor.example/irrigation',
        supportContact: 'support@vendor.example',
      },
      { languageId: GERMAN_ID, moduleName: 'Bewässerungsberater' },
    ],
    subscriptionOptions: [
      {
        paymentCycleId: '77777777-7777-4777-8777-777777777777',
        currencyId: '88888888-8888-4888-8888-888888888888',
        regionId: null,
        trialLength: 30,
        price: 9.95,
      },
    ],
    environmentVariables: [
      {
        appEnvironmentId: '99999999-9999-4999-8999-999999999999',
        key: 'API_URL',
        value: 'https://api.vendor.example',
      },
    ],
    moduleFiles: [
      { file: 'ModuleToS/terms.pdf', countryId: 'DE', languageId: 'de-DE', documentTypeId: null },
      { file: 'ModulePrivacy/privacy.pdf', countryId: 'DEU', languageId: 'de', documentTypeId: null },
      { file: 'ModuleImage/field.png', countryId: null, languageId: null, documentTypeId: null },
      { file: 'ModuleLogo/logo.svg' },
    ],
    ...overrides,
  };
}

/** An alert rule definition file that passes every rule. */
export const EXAMPLE_ALERT_RULES = `schema: !!float 1.1
criterias:
  temperature:
    displayName: { en: Temperature, de: Temperatur }
    description: { en: Air temperature two metres above ground }
    parts:
      operator:
        field: select
        title: { en: Comparison }
        options: { gt: { en: greater than }, lt: { en: less than } }
      value: { field: number, title: { en: Value }, min: -50, max: 60, unit: °C }
`;

/** A roles and entities file that passes every rule. */
export function exampleRoles(): Record<string, unknown> {
  return {
    roles: [{ name: 'Agronomist', baseRoles: ['Member'], permissions: { Field: ['read', 'write'] } }],
    data: [{ name: 'SoilSample', intention: 'Advice on irrigation', internalOnly: true }],
  };
}

/** The files of a package by path; undefined omits one. A path that ends in `/` is a folder. */
export type PackageEntries = Readonly<Record<string, string | Buffer | undefined>>;

/** Any JSON value as the text of a file. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** A package that passes every rule, as entries; these entries replace its own. */
export function examplePackage(overrides: PackageEntries = {}): PackageEntries {
  return {
    'moduleSchema.json': jsonText(packageDescriptor()),
    'PackageArtifact/build/index.html': '<!doctype html><title>Irrigation</title>\n',
    'PackageArtifact/build/assets/app.js': 'export const started = true;\n',
    'ModuleToS/terms.pdf': '%PDF-1.7\n% terms\n',
    'ModulePrivacy/privacy.pdf': '%PDF-1.7\n% privacy\n',
    [RULES_PATH]: EXAMPLE_ALERT_RULES,
    'ModuleImage/field.png': TINY_PNG,
    'ModuleLogo/logo.svg': TINY_SVG,
    [ROLES_PATH]: jsonText(exampleRoles()),
    ...overrides,
  };
}

/** The example package with members of its descriptor replaced. */
export function packageWithDescriptor(members: Readonly<Record<string, unknown>>): PackageEntries {
  return examplePackage({ 'moduleSchema.json': jsonText(packageDescriptor(members)) });
}

/** The ZIP of a package's entries, in this order. */
export function zipPackage(entries: PackageEntries): Buffer {
  const specs = [];
  for (const [path, content] of Object.entries(entries)) {
    if (content !== undefined) specs.push(path.endsWith('/') ? { path } : { path, content });
  }
  return buildZip(specs);
}

/** Checks a package of these entries. */
export async function checkEntries(
  entries: PackageEntries,
  overrides: Partial<ValidationSettings> = {},
): Promise<PackageReport> {
  return validatePackage(bufferSource(zipPackage(entries)), testSettings(overrides));
}

/** Problems but for the warnings that the package lacks a folder, which nearly every package of the tests does. */
export function besidesMissingParts(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ code }) => code !== 'layout-part-missing');
}

/**
 * Problems, but for missing folders, on one line each: a mark for the severity, code, location, and the text for the
 * vendor.
 */
export function formatProblems(problems: readonly Problem[]): string[] {
  return besidesMissingParts(problems).map(
    ({ code, detail, severity, entry = '', pointer, line, column }) => {
      const position = line === undefined ? '' : `:${line}:${column ?? 0}`;
      const at = pointer === undefined ? '' : ` ${pointer === '' ? '(root)' : pointer}`;
      return `${severity === 'error' ? '✗' : '!'} ${code} ${entry}${position}${at} | ${detail}`;
    },
  );
}
