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
    shortName: {
      ...optionalName,
      title: 'Short name',
      description: 'The name where there is little room.',
    },
    description: {
      ...optionalText,
      title: 'Description',
      description: 'What the module does, in a few paragraphs.',
    },
    shortDescription: {
      ...optionalText,
      title: 'Short description',
      description: 'What the module does, in one sentence.',
    },
    websiteUrl: {
      ...optionalText,
      title: 'Website',
      description: 'A page about the module: an http or https URL.',
      format: 'uri',
    },
    websiteName: {
      ...optionalName,
      title: 'Name of the website',
      description: 'What a link to the website says.',
    },
    supportContact: {
      ...optionalText,
      title: 'Support',
      description: 'Where farmers get help: an e-mail address.',
      format: 'email',
    },
  },
  required: ['languageId', 'moduleName'],
} as const;

const subscriptionOption = {
  title: 'Subscription option',
  description: 'What the module costs in one currency and cycle.',
  type: 'object',
  properties: {
    paymentCycleId: {
      ...requiredId,
      title: 'Payment cycle',
      description: 'How often the price is due: an ID of /api/v8.0/CommonData/paymentCycles.',
    },
    currencyId: {
      ...requiredId,
      title: 'Currency',
      description: 'The currency of the price: an ID of /api/v8.0/CommonData/currencies.',
    },
    regionId: {
      ...optionalId,
      title: 'Region',
      description: 'Where the option is offered: an ID of /api/v8.0/CommonData/regions. Null: everywhere.',
    },
    trialLength: {
      title: 'Length of the trial',
      description: 'How long the module can be tried, in days. Null: there is no trial.',
      type: ['integer', 'null'],
      minimum: 0,
      maximum: MAX_INTEGER,
    },
    price: {
      title: 'Price',
      description: 'The price of one cycle in the currency, with at most 15 significant digits.',
      type: 'number',
      minimum: 0,
    },
  },
  required: ['paymentCycleId', 'currencyId', 'price'],
} as const;

const environmentVariable = {
  title: 'Environment variable',
  description: 'Keys are unique within an environment.',
  type: 'object',
  properties: {
    appEnvironmentId: {
      ...requiredId,
      title: 'Environment',
      description: 'Where the variable is set: an ID of /api/v8.0/CommonData/appEnvironments.',
    },
    key: {
      ...requiredName,
      title: 'Key',
      description: 'The name of the variable; once in each environment.',
    },
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
      description: 'The module to update. Absent, null or the empty GUID: a new module.',
    },
    hostingTypeId: {
      ...optionalId,
      title: 'Hosting type',
      description: 'Who hosts the module: an ID of /api/v8.0/CommonData/hostingTypes.',
    },
    typeId: {
      ...optionalId,
      title: 'Module type',
      description: 'What kind of module it is: an ID of /api/v8.0/CommonData/types.',
    },
    parentId: {
      ...optionalId,
      title: 'Parent module',
      description: 'The module that this one is a part of; null if it is none.',
    },
    categoryId: {
      ...optionalId,
      title: 'Category',
      description: 'Where the marketplace lists the module: an ID of /api/v8.0/CommonData/categories.',
    },
    federationTypeId: {
      ...optionalId,
      title: 'Federation type',
      description: 'How the platform loads the application: an ID of /api/v8.0/CommonData/federationTypes.',
    },
    moduleVersion: {
      title: 'Version',
      description: 'An import creates 0.1 whatever it says.',
      type: ['number', 'null'],
    },
    vendorInternalCodeVersion: {
      ...optionalText,
      title: "The vendor's own version",
      description: 'How the vendor numbers this version of the code.',
    },
    component: {
      ...optionalText,
      title: 'Component',
      description: 'The name of the component that the application exposes to the platform.',
    },
    entryFileUrl: {
      ...optionalText,
      title: 'Entry file',
      description: 'The file that the platform loads first.',
    },
    offlineReason: {
      ...optionalText,
      title: 'Why the module is offline',
      description: 'What farmers read while the module is offline.',
    },
    scope: {
      title: 'Scope',
      description: 'Unique in the tenant; exact and case-sensitive.',
      type: ['string', 'null'],
      maxLength: MAX_NAME_LENGTH,
      pattern: NON_BLANK_PATTERN,
    },
    offlineCapability: {
      title: 'Whether the module works offline',
      description: 'True if the module works without a connection.',
      type: ['boolean', 'null'],
    },
    deploymentType: {
      title: 'Deployment type',
      description: 'How the module is deployed: a key of /api/v8.0/CommonData/deploymentTypes.',
      type: ['integer', 'null'],
      minimum: MIN_INTEGER,
      maximum: MAX_INTEGER,
    },
    paymentOptionIds: {
      ...idSet,
      title: 'Payment options',
      description: 'IDs of /api/v8.0/CommonData/paymentOptions.',
    },
    cropIds: {
      ...idSet,
      title: 'Crops',
      description: 'The crops that the module is for: IDs of /api/v8.0/CommonData/crops.',
    },
    environmentIds: {
      ...idSet,
      title: 'Environments',
      description: 'Where the module runs: IDs of /api/v8.0/CommonData/environments.',
    },
    requirementIds: {
      ...idSet,
      title: 'Requirements',
      description: 'What the module needs: IDs of /api/v8.0/CommonData/requirements.',
    },
    dataAreaIds: { ...idSet, title: 'Data areas', description: 'IDs of /api/v8.0/CommonData/dataAreas.' },
    dependencies: {
      ...idSet,
      title: 'Modules that it depends on',
      description: 'The IDs of modules that must be installed too.',
    },
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
