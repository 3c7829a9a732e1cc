import type { Catalogue } from '../../shared/catalogue/catalogue.ts';
import { buildZip } from './zip-builder.ts';

export interface SampleOptions {
  /** Members that replace those of the sample's descriptor. */
  readonly descriptor?: Readonly<Record<string, unknown>>;
  /** Files that replace or add to those of the sample; null omits one. */
  readonly files?: Readonly<Record<string, string | Buffer | null>>;
  /** Paths of files that are not compressed. */
  readonly stored?: readonly string[];
}

type SampleCatalogue = Pick<Catalogue, 'forPackages'>;

/** A PNG of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  'base64',
);

/** The sample's alert rule definitions. */
export const ALERT_RULES = `schema: !!float 1.1
criterias:
  temperature:
    displayName: { en: Temperature }
    description: { en: Air temperature at two metres }
    parts:
      operator: { field: select, title: { en: Operator }, options: { gt: { en: greater than }, lt: { en: less than } } }
      value: { field: number, title: { en: Value }, min: -50, max: 60, unit: °C }
`;

/** The sample's roles and entities. */
export const ROLES = JSON.stringify({
  roles: [{ name: 'Agronomist', baseRoles: ['Member'], permissions: { fields: ['read'] } }],
  data: [{ name: 'Readings', intention: 'Charts', internalOnly: true }],
});

/** The descriptor of the sample, with members replaced. */
export function sampleDescriptor(
  { forPackages }: SampleCatalogue,
  members: SampleOptions['descriptor'] = {},
) {
  const languageIds = [forPackages.englishId, ...forPackages.recommendedLanguages.keys()];
  return {
    schema: '1.0',
    translations: languageIds.map((languageId) => ({ languageId, moduleName: 'Soil moisture' })),
    moduleFiles: [
      { file: 'ModuleToS/terms.md', countryId: 'US', languageId: 'en' },
      { file: 'ModulePrivacy/privacy.md', countryId: 'US', languageId: 'en' },
      { file: 'ModuleLogo/logo.png' },
    ],
    ...members,
  };
}

/** A small package that passes every rule; its parts can be replaced. */
export function samplePackage(
  catalogue: SampleCatalogue,
  { descriptor = {}, files = {}, stored = [] }: SampleOptions = {},
): Buffer {
  const all: Record<string, string | Buffer | null> = {
    'moduleSchema.json': JSON.stringify(sampleDescriptor(catalogue, descriptor)),
    'PackageArtifact/build/index.html': '<!doctype html><title>Soil moisture</title>',
    'PackageArtifact/build/assets/index-4f2a91c7.js': 'console.log("soil moisture");\n',
    'ModuleToS/terms.md': '# Terms\n',
    'ModulePrivacy/privacy.md': '# Privacy\n',
    'ModuleLogo/logo.png': PIXEL,
    'AlertRuleDefinitionFile/alert-rules.yaml': ALERT_RULES,
    'ModuleSpecificRolesEntitiesDefinition/roles.json': ROLES,
    ...files,
  };
  const entries = Object.entries(all).flatMap(([path, content]) =>
    content === null ? [] : [{ path, content, ...(stored.includes(path) && { method: 'stored' as const }) }],
  );
  return buildZip(entries);
}
