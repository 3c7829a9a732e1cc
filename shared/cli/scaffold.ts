import { randomUUID } from 'node:crypto';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { PLACEHOLDER_ADDRESSES, PLACEHOLDER_FILES, PLACEHOLDER_TEXTS } from '../package/placeholders.ts';

interface ScaffoldOptions {
  /** English name of the module. */
  readonly name: string;
  /** The server whose `/schemas/…` editors use; without a trailing slash. */
  readonly server: string;
  readonly catalogue: Catalogue;
}

/** The fields that the author decides in `moduleSchema.json`, which is JSON and cannot contain comments. */
export const DECISIONS: readonly (readonly [field: string, what: string])[] = [
  ['scope', 'permanent name: unique in your tenant, case-sensitive'],
  ['hostingTypeId, …', 'IDs of the catalogue: hosting, type, category, federation'],
  ['dataAreaIds', 'the farm data that the module reads; farmers see the list, and dataAreaReasons'],
  ['translations', 'name, texts, website and support; one entry per language'],
  ['moduleFiles', 'country and language of each terms and privacy file'],
];

const LOGO = `<!-- Decide: your logo, as SVG, PNG, JPEG, GIF, WebP or AVIF. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img">
  <rect width="64" height="64" rx="12" fill="#2e7d32" />
  <path d="M32 52V28M32 36c0-12 6-18 18-20 0 14-6 20-18 20zM32 44c0-9-5-14-16-15 0 11 5 15 16 15z"
    fill="#a5d6a7" stroke="#fff" stroke-width="2" />
</svg>
`;

const IMAGE = `<!-- Decide: pictures for the marketplace; each is named in moduleFiles. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180" role="img">
  <rect width="320" height="180" fill="#e8f5e9" />
  <path d="M24 140l60-50 56 30 70-70 86 60" fill="none" stroke="#2e7d32" stroke-width="6" />
</svg>
`;

/** No link to the schema: this file allows only roles and data. */
const ROLES = { roles: [], data: [] };

function alertRules(server: string): string {
  return `# yaml-language-server: $schema=${server}/schemas/alert-rules.json
#
# Decide: what farmers can build alert rules from. A module without alerts does not need this folder.
schema: 1.1
# Your back end reports each rule at least so often; farmers see when a report is overdue. Leave it out if it does not.
expectedIntervalHours: 24
criterias:
  # The identifier, which your back end gets with each rule. Do not change it later.
  soilMoisture:
    # By language; English is required.
    displayName: { en: Soil moisture }
    description: { en: Share of water in the soil at 30 cm }
    # The inputs of the form that a farmer fills in: select, number, text, boolean or date.
    parts:
      operator:
        field: select
        title: { en: Comparison }
        options: { lt: { en: less than }, gt: { en: greater than } }
      value: { field: number, title: { en: Value }, min: 0, max: 100, unit: "%" }
`;
}

/** `Soil moisture` → `soilMoisture`. */
function scopeOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? ['module'];
  const parts = words.map((word, index) =>
    index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
  );
  return parts.join('');
}

function descriptor(
  { name, server, catalogue }: ScaffoldOptions,
  id: (set: string, key: string) => string | null,
): object {
  const file = (path: string, documentType: string, countryId: 'US' | null, languageId: 'en' | null) => ({
    file: path,
    countryId,
    languageId,
    documentTypeId: id('documentTypes', documentType),
  });
  const dataAreas = ['FarmOrganization', 'FarmOrganizationAlerts'].map((key) => id('dataAreas', key));
  return {
    $schema: `${server}/schemas/module-schema.json`,
    schema: '1.0',
    moduleId: randomUUID(),
    moduleVersion: 0.1,
    vendorInternalCodeVersion: '0.1.0',
    scope: scopeOf(name),
    hostingTypeId: id('hostingTypes', 'vendor'),
    typeId: id('types', 'application'),
    categoryId: id('categories', 'irrigation'),
    federationTypeId: id('federationTypes', 'iframe'),
    entryFileUrl: 'index.html',
    deploymentType: id('deploymentTypes', '0') === null ? null : 0,
    offlineCapability: false,
    dataAreaIds: dataAreas,
    translations: Object.entries(PLACEHOLDER_TEXTS).flatMap(([key, { reason, ...texts }]) => {
      const languageId = catalogue.entry('languages', key)?.id ?? '';
      if (key !== 'en' && !catalogue.forPackages.recommendedLanguages.has(languageId)) return [];
      const dataAreaReasons = Object.fromEntries(dataAreas.map((each) => [String(each), reason]));
      return {
        ...{ languageId, moduleName: name, ...texts, ...PLACEHOLDER_ADDRESSES },
        dataAreaReasons,
      };
    }),
    subscriptionOptions: [],
    environmentVariables: [],
    moduleFiles: [
      file('ModuleToS/terms-en.md', 'termsOfService', 'US', 'en'),
      file('ModulePrivacy/privacy-en.md', 'privacyPolicy', 'US', 'en'),
      file('ModuleLogo/logo.svg', 'logo', null, null),
      file('ModuleImage/overview.svg', 'image', null, null),
    ],
  };
}

/** A new module, as a package that passes every rule except the registry's. Its placeholders are warnings until they are replaced. */
export function scaffold(options: ScaffoldOptions) {
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  /** Entries that the catalogue does not have, such as `types/application`: the descriptor is without their IDs. */
  const missing = new Set<string>();
  const idOf = (set: string, key: string) => {
    const id = options.catalogue.entry(set, key)?.id ?? null;
    if (id === null) missing.add(`${set}/${key}`);
    return id;
  };
  const files = {
    'moduleSchema.json': json(descriptor(options, idOf)),
    'PackageArtifact/build/index.html': PLACEHOLDER_FILES.page,
    'ModuleToS/terms-en.md': PLACEHOLDER_FILES.terms,
    'ModulePrivacy/privacy-en.md': PLACEHOLDER_FILES.privacy,
    'ModuleLogo/logo.svg': LOGO,
    'ModuleImage/overview.svg': IMAGE,
    'AlertRuleDefinitionFile/alert-rules.yaml': alertRules(options.server),
    'ModuleSpecificRolesEntitiesDefinition/roles-entities.json': json(ROLES),
  };
  return { files, missing: [...missing] };
}
