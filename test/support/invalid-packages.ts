import { PLACEHOLDER_FILES } from '../../shared/package/placeholders.ts';
import {
  ENGLISH_ID,
  EXAMPLE_ALERT_RULES,
  examplePackage,
  FEDERATION_TYPE_ID,
  jsonText,
  OTHER_ID,
  packageWithDescriptor,
  ROLES_PATH,
  RULES_PATH,
  TINY_PNG,
  type PackageEntries,
} from './package-builder.ts';

const ID = '99999999-9999-4999-8999-999999999999';

/** A package for each code of this stage that has this problem. */
export const INVALID_PACKAGES: Readonly<Record<string, PackageEntries>> = {
  'layout-descriptor-missing': examplePackage({ 'moduleSchema.json': undefined }),
  'layout-wrapped-in-folder': { 'a/moduleSchema.json': '{}' },
  'layout-entry-unexpected': examplePackage({ 'readme.txt': 'x' }),
  'layout-artifact-folder': examplePackage({ 'PackageArtifact/dist/a.js': 'x' }),
  'layout-file-count': examplePackage({ 'AlertRuleDefinitionFile/b.yaml': EXAMPLE_ALERT_RULES }),
  'layout-file-type': examplePackage({ 'ModuleImage/field.png': 'x' }),
  'layout-file-too-large': examplePackage({ [ROLES_PATH]: ' '.repeat(1024 * 1024 + 1) }),
  'layout-folder-nested': examplePackage({ 'ModuleToS/en/terms.pdf': '%PDF-1.7' }),
  'layout-folder-missing': examplePackage({ 'ModuleToS/terms.pdf': undefined }),
  'layout-file-undeclared': examplePackage({ 'ModuleImage/other.png': TINY_PNG }),
  'layout-file-secret': examplePackage({ 'PackageArtifact/build/.git/config': 'x' }),
  'layout-file-suspicious': examplePackage({ 'PackageArtifact/build/.env.local': 'A=b' }),
  'layout-litter-skipped': examplePackage({ '.DS_Store': 'x' }),
  'layout-part-missing': examplePackage({ [ROLES_PATH]: undefined }),
  'layout-file-unreferenced': examplePackage({ 'ModuleToS/other.pdf': '%PDF-1.7' }),
  'layout-file-content': examplePackage({ 'ModuleToS/terms.pdf': '<!doctype html><p>Terms' }),
  'layout-active-content': examplePackage({
    'ModuleToS/terms.pdf': '%PDF-1.7\n1 0 obj <</OpenAction <</S /JavaScript /JS (x)>>>>\n',
  }),
  'layout-placeholder': examplePackage({ 'PackageArtifact/build/index.html': PLACEHOLDER_FILES.page }),
  'descriptor-not-json': examplePackage({ 'moduleSchema.json': '{' }),
  'descriptor-duplicate-key': examplePackage({ 'moduleSchema.json': '{"a": 1, "a": 2}' }),
  'descriptor-schema-unsupported': packageWithDescriptor({ schema: '2.0' }),
  'descriptor-invalid': packageWithDescriptor({ moduleId: 'x' }),
  'descriptor-english-missing': packageWithDescriptor({ translations: [] }),
  'descriptor-translation-duplicate': packageWithDescriptor({
    translations: [
      { languageId: ENGLISH_ID, moduleName: 'A' },
      { languageId: ENGLISH_ID, moduleName: 'B' },
    ],
  }),
  'descriptor-translation-recommended': packageWithDescriptor({
    translations: [{ languageId: ENGLISH_ID, moduleName: 'A' }],
  }),
  'descriptor-language-unknown': packageWithDescriptor({
    translations: [{ languageId: OTHER_ID, moduleName: 'A' }],
  }),
  'descriptor-data-area-unknown': packageWithDescriptor({ dataAreaIds: [OTHER_ID] }),
  'descriptor-file-missing': packageWithDescriptor({ moduleFiles: [{ file: 'ModuleLogo/none.png' }] }),
  'descriptor-file-misplaced': packageWithDescriptor({ moduleFiles: [{ file: 'moduleSchema.json' }] }),
  'descriptor-property-unknown': packageWithDescriptor({ slogan: 'x' }),
  'descriptor-document-type-unknown': packageWithDescriptor({
    moduleFiles: [{ file: 'ModuleToS/terms.pdf', documentTypeId: 'x' }],
  }),
  'descriptor-entry-file-missing': packageWithDescriptor({ entryFileUrl: 'nope.js' }),
  'descriptor-id-of-other-set': packageWithDescriptor({ typeId: FEDERATION_TYPE_ID }),
  'descriptor-id-unknown': packageWithDescriptor({ federationTypeId: OTHER_ID }),
  'descriptor-reason-unused': packageWithDescriptor({
    translations: [{ languageId: ENGLISH_ID, moduleName: 'A', dataAreaReasons: { [OTHER_ID]: 'To help.' } }],
  }),
  'descriptor-deployment-type-unknown': packageWithDescriptor({ deploymentType: 77 }),
  'descriptor-price-ambiguous': packageWithDescriptor({
    subscriptionOptions: [1, 2].map((price) => ({ paymentCycleId: ID, currencyId: ID, price })),
  }),
  'descriptor-file-backslash': packageWithDescriptor({ moduleFiles: [{ file: 'ModuleToS\\terms.pdf' }] }),
  'descriptor-value-repeated': packageWithDescriptor({ cropIds: [ID, ID] }),
  'roles-not-json': examplePackage({ [ROLES_PATH]: '{' }),
  'roles-invalid': examplePackage({ [ROLES_PATH]: '[]' }),
  'roles-environment-key-unknown': examplePackage({
    [ROLES_PATH]: jsonText({ data: [{ name: 'A', intention: 'B', environmentKey: 'NONE' }] }),
  }),
  'alert-rules-not-yaml': examplePackage({ [RULES_PATH]: '[' }),
  'alert-rules-property-unknown': examplePackage({ [RULES_PATH]: `${EXAMPLE_ALERT_RULES}extra: 1\n` }),
  'alert-rules-property-unused': examplePackage({
    [RULES_PATH]: EXAMPLE_ALERT_RULES.replace('field: number', 'field: text'),
  }),
  'alert-rules-invalid': examplePackage({ [RULES_PATH]: '[]' }),
};
