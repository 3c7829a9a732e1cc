import {
  GUID_PATTERN,
  MAX_INTEGER,
  MAX_NAME_LENGTH,
  MAX_TEXT_LENGTH,
  MIN_INTEGER,
  NON_BLANK_PATTERN,
  NON_EMPTY_GUID_PATTERN,
  TEXT_PATTERN,
} from '../schema/schema-parts.ts';

/*
 * Absent, null and the empty string are one for every optional member, and so is the empty GUID for an ID: the empty
 * strings are removed before this schema is applied. Unknown members are allowed here: the service ignores them, with
 * a warning each.
 */

const optionalId = { type: ['string', 'null'], pattern: GUID_PATTERN } as const;
const requiredId = { type: 'string', pattern: NON_EMPTY_GUID_PATTERN } as const;
const optionalName = { type: ['string', 'null'], maxLength: MAX_NAME_LENGTH, pattern: TEXT_PATTERN } as const;
const requiredName = { type: 'string', maxLength: MAX_NAME_LENGTH, pattern: NON_BLANK_PATTERN } as const;
const optionalText = { type: ['string', 'null'], maxLength: MAX_TEXT_LENGTH, pattern: TEXT_PATTERN } as const;
const idSet = { type: ['array', 'null'], items: requiredId } as const;

const translation = {
  title: 'Translation',
  description: 'What the module is called and what it does, in one language.',
  type: 'object',
  properties: {
    languageId: { ...requiredId, title: 'Language', description: 'An ID of /api/v8.0/CommonData/languages.' },
    moduleName: {
      ...requiredName,
      title: 'Name of the module',
      description: 'As farmers see it in this language.',
    },
    shortName: { ...optionalName, title: 'Short name' },
    description: { ...optionalText, title: 'Description' },
    shortDescription: { ...optionalText, title: 'Short description' },
    websiteUrl: { ...optionalText, title: 'Website', description: 'An http or https URL.', format: 'uri' },
    websiteName: { ...optionalName, title: 'Name of the website' },
    supportContact: { ...optionalText, title: 'Support', description: 'An e-mail address.', format: 'email' },
  },
  required: ['languageId', 'moduleName'],
} as const;

const subscriptionOption = {
  title: 'Subscription option',
  description: 'What the module costs in one currency and cycle.',
  type: 'object',
  properties: {
    paymentCycleId: { ...requiredId, title: 'Payment cycle' },
    currencyId: { ...requiredId, title: 'Currency' },
    regionId: { ...optionalId, title: 'Region' },
    trialLength: {
      title: 'Length of the trial',
      description: 'Null: no trial.',
      type: ['integer', 'null'],
      minimum: 0,
      maximum: MAX_INTEGER,
    },
    price: { title: 'Price', description: 'At most 15 significant digits.', type: 'number', minimum: 0 },
  },
  required: ['paymentCycleId', 'currencyId', 'price'],
} as const;

const environmentVariable = {
  title: 'Environment variable',
  description: 'Keys are unique within an environment.',
  type: 'object',
  properties: {
    appEnvironmentId: { ...requiredId, title: 'Environment' },
    key: { ...requiredName, title: 'Key', description: 'Once in each environment.' },
    value: {
      title: 'Value',
      description: 'Secret: never returned.',
      type: 'string',
      maxLength: MAX_TEXT_LENGTH,
      pattern: TEXT_PATTERN,
    },
  },
  required: ['appEnvironmentId', 'key', 'value'],
} as const;

const moduleFile = {
  title: 'File of the package',
  description: 'A file for farmers: terms, a privacy statement, an image or a logo.',
  type: 'object',
  properties: {
    file: {
      title: 'Path in the package',
      description: 'In ModuleToS/, ModulePrivacy/, ModuleImage/ or ModuleLogo/; case-sensitive.',
      type: 'string',
      maxLength: MAX_TEXT_LENGTH,
      pattern: NON_BLANK_PATTERN,
    },
    countryId: {
      title: 'Country',
      description: 'ISO 3166-1 alpha-2, alpha-3 or numeric. Absent: for every country.',
      type: ['string', 'null'],
      format: 'country-code',
    },
    languageId: {
      title: 'Language',
      description: 'BCP 47. Absent: in no particular language.',
      type: ['string', 'null'],
      format: 'language-code',
    },
    documentTypeId: {
      ...optionalName,
      title: 'Kind of document',
      description: 'An ID or key of /api/v8.0/CommonData/documentTypes, or any other text.',
      format: 'document-type',
    },
  },
  required: ['file'],
} as const;

/** The members of the descriptor that the service keeps. */
export const descriptorForm = {
  type: 'object',
  properties: {
    schema: {
      title: 'Version of this form',
      description: 'The version of this schema.',
      type: 'string',
      const: '1.0',
    },
    moduleId: {
      ...optionalId,
      title: 'Module',
      description: 'Absent, null or the empty GUID: a new module.',
    },
    hostingTypeId: { ...optionalId, title: 'Hosting type' },
    typeId: { ...optionalId, title: 'Module type' },
    parentId: { ...optionalId, title: 'Parent module' },
    categoryId: { ...optionalId, title: 'Category' },
    federationTypeId: { ...optionalId, title: 'Federation type' },
    moduleVersion: {
      title: 'Version',
      description: 'An import creates 0.1 whatever it says.',
      type: ['number', 'null'],
    },
    vendorInternalCodeVersion: { ...optionalText, title: "The vendor's own version" },
    component: { ...optionalText, title: 'Component' },
    entryFileUrl: { ...optionalText, title: 'Entry file' },
    offlineReason: { ...optionalText, title: 'Why the module is offline' },
    scope: {
      title: 'Scope',
      description: 'Unique in the tenant; exact and case-sensitive.',
      type: ['string', 'null'],
      maxLength: MAX_NAME_LENGTH,
      pattern: NON_BLANK_PATTERN,
    },
    offlineCapability: { title: 'Whether the module works offline', type: ['boolean', 'null'] },
    deploymentType: {
      title: 'Deployment type',
      type: ['integer', 'null'],
      minimum: MIN_INTEGER,
      maximum: MAX_INTEGER,
    },
    paymentOptionIds: { ...idSet, title: 'Payment options' },
    cropIds: { ...idSet, title: 'Crops' },
    environmentIds: { ...idSet, title: 'Environments' },
    requirementIds: { ...idSet, title: 'Requirements' },
    dataAreaIds: { ...idSet, title: 'Data areas', description: 'IDs of /api/v8.0/CommonData/dataAreas.' },
    dependencies: { ...idSet, title: 'Modules that it depends on' },
    translations: {
      title: 'Translations',
      description: 'One per language; English is required.',
      type: 'array',
      items: translation,
    },
    subscriptionOptions: {
      title: 'Subscription options',
      description: 'How farmers pay for the module.',
      type: ['array', 'null'],
      items: subscriptionOption,
    },
    environmentVariables: {
      title: 'Environment variables',
      description: 'What the module is started with, by environment.',
      type: ['array', 'null'],
      items: environmentVariable,
    },
    moduleFiles: {
      title: 'Files',
      description: 'Terms, privacy statements, images and logos of the package.',
      type: ['array', 'null'],
      items: moduleFile,
    },
  },
  required: ['schema', 'translations'],
} as const;

/** The JSON Schema of `moduleSchema.json`, served at `/schemas/module-schema.json`. */
export const moduleSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'moduleSchema.json',
  description:
    'The descriptor of a module package. Absent, null and the empty string are one for every optional member.',
  type: 'object',
  properties: {
    $schema: {
      ...optionalText,
      title: 'Schema for editors',
      description: 'Where an editor finds this schema; the service ignores it.',
    },
    organizationId: {
      title: 'Organization',
      description: 'Ignored: the organization is the one of the path.',
    },
    ...descriptorForm.properties,
  },
  required: descriptorForm.required,
} as const;
