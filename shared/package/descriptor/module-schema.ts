import {
  described,
  GUID_PATTERN,
  IDENTIFIER_PATTERN,
  MAX_INTEGER,
  MAX_NAME_LENGTH,
  MAX_TEXT_LENGTH,
  MIN_INTEGER,
  NON_BLANK_PATTERN,
  NON_EMPTY_GUID_PATTERN,
  SET,
  TEXT_PATTERN,
} from '../schema/schema-parts.ts';

/*
 * Absent, null and the empty string are one for every optional member, and so is the empty GUID for an ID: the empty
 * strings are removed before this schema is applied. Unknown members are allowed here: the service ignores them, with
 * a warning each.
 */

const requiredId = { type: 'string', pattern: NON_EMPTY_GUID_PATTERN } as const;
const optionalId = { type: ['string', 'null'], pattern: GUID_PATTERN } as const;
const requiredName = { type: 'string', maxLength: MAX_NAME_LENGTH, pattern: NON_BLANK_PATTERN } as const;
const optionalName = { type: ['string', 'null'], maxLength: MAX_NAME_LENGTH, pattern: TEXT_PATTERN } as const;
const path = { type: 'string', maxLength: MAX_TEXT_LENGTH, pattern: NON_BLANK_PATTERN } as const;
const requiredText = { type: 'string', maxLength: MAX_TEXT_LENGTH, pattern: TEXT_PATTERN } as const;
const optionalText = { ...requiredText, type: ['string', 'null'] } as const;
const optionalFlag = { type: ['boolean', 'null'] } as const;
const optionalInteger = { type: ['integer', 'null'], maximum: MAX_INTEGER } as const;

/** An ID of a set of the catalogue. */
function idOf<const Id extends object>(set: string, id: Id, title: string, meaning: string) {
  return described(title, `${meaning}: an ID of /api/v8.0/CommonData/${set}.`, { ...id, [SET]: set });
}

function optionalList<const Items extends object>(items: Items) {
  return { type: ['array', 'null'], items } as const;
}

/** IDs of a set of the catalogue. */
function idsOf(set: string, title: string, meaning?: string) {
  const list = `IDs of /api/v8.0/CommonData/${set}.`;
  const ids = optionalList({ ...requiredId, [SET]: set });
  return described(title, meaning === undefined ? list : `${meaning}: ${list}`, ids);
}

const translation = {
  title: 'Translation',
  description: 'Names and descriptions of the module in one language.',
  type: 'object',
  properties: {
    languageId: described('Language', 'An ID of /api/v8.0/CommonData/languages.', {
      ...requiredId,
      [SET]: 'languages',
    }),
    moduleName: described('Name of the module', 'As farmers see it in this language.', requiredName),
    shortName: described('Short name', 'The name where there is little room.', optionalName),
    description: described('Description', 'A few paragraphs about the module.', optionalText),
    shortDescription: described('Short description', 'One sentence about the module.', optionalText),
    websiteUrl: described('Website', 'A page about the module: an http or https URL.', {
      ...optionalText,
      format: 'uri',
    }),
    websiteName: described('Name of the website', 'The text of a link to the website.', optionalName),
    supportContact: described('Support', 'Where farmers get help: an e-mail address.', {
      ...optionalText,
      format: 'email',
    }),
    dataAreaReasons: described(
      'Reasons for data areas',
      'Why the module needs each data area: ID of the data area → text. Farmers read it before they agree.',
      {
        type: ['object', 'null'],
        propertyNames: { maxLength: MAX_NAME_LENGTH, pattern: IDENTIFIER_PATTERN, [SET]: 'dataAreas' },
        additionalProperties: requiredText,
      },
    ),
    releaseNotes: described(
      'Release notes',
      'What this package changes, in Markdown; the notes of earlier packages are not kept.',
      optionalText,
    ),
  },
  required: ['languageId', 'moduleName'],
} as const;

const subscriptionOption = {
  title: 'Subscription option',
  description: 'The price of the module in one currency and cycle.',
  type: 'object',
  properties: {
    paymentCycleId: idOf('paymentCycles', requiredId, 'Payment cycle', 'How often the price is due'),
    currencyId: idOf('currencies', requiredId, 'Currency', 'The currency of the price'),
    regionId: described(
      'Region',
      'Where the option is offered: an ID of /api/v8.0/CommonData/regions. Null: everywhere.',
      { ...optionalId, [SET]: 'regions' },
    ),
    trialLength: described(
      'Length of the trial',
      'How long the module can be tried, in days. Null: there is no trial.',
      { ...optionalInteger, minimum: 0 },
    ),
    price: described('Price', 'The price of one cycle in the currency, with at most 15 significant digits.', {
      type: 'number',
      minimum: 0,
    }),
  },
  required: ['paymentCycleId', 'currencyId', 'price'],
} as const;

const environmentVariable = {
  title: 'Environment variable',
  description: 'Keys are unique within an environment.',
  type: 'object',
  properties: {
    appEnvironmentId: idOf('appEnvironments', requiredId, 'Environment', 'Where the variable is set'),
    key: described('Key', 'The name of the variable; once in each environment.', requiredName),
    value: described('Value', 'Secret: never returned.', requiredText),
  },
  required: ['appEnvironmentId', 'key', 'value'],
} as const;

const moduleFile = {
  title: 'File of the package',
  description: 'A file for farmers: terms, a privacy statement, an image or a logo.',
  type: 'object',
  properties: {
    file: described(
      'Path in the package',
      'In ModuleToS/, ModulePrivacy/, ModuleImage/ or ModuleLogo/; case-sensitive.',
      path,
    ),
    countryId: described('Country', 'ISO 3166-1 alpha-2, alpha-3 or numeric. Absent: for every country.', {
      type: ['string', 'null'],
      format: 'country-code',
    }),
    languageId: described('Language', 'BCP 47. Absent: in no particular language.', {
      type: ['string', 'null'],
      format: 'language-code',
    }),
    documentTypeId: described(
      'Kind of document',
      'An ID or key of /api/v8.0/CommonData/documentTypes, or any other text.',
      { ...optionalName, format: 'document-type' },
    ),
  },
  required: ['file'],
} as const;

/** The members of the descriptor that the service keeps. */
export const descriptorForm = {
  type: 'object',
  properties: {
    schema: described('Version of this form', 'The version of this schema.', {
      type: 'string',
      const: '1.0',
    }),
    moduleId: described(
      'Module',
      'The module to update. Absent, null or the empty GUID: a new module.',
      optionalId,
    ),
    hostingTypeId: idOf('hostingTypes', optionalId, 'Hosting type', 'The kind of host'),
    typeId: idOf('types', optionalId, 'Module type', 'The kind of module'),
    parentId: described(
      'Parent module',
      'The module that this one is a part of; null if it is none.',
      optionalId,
    ),
    categoryId: idOf('categories', optionalId, 'Category', 'Where the marketplace lists the module'),
    federationTypeId: idOf(
      'federationTypes',
      optionalId,
      'Federation type',
      'How the platform loads the application',
    ),
    moduleVersion: described('Version', 'Ignored: an import always creates 0.1.', {
      type: ['number', 'null'],
    }),
    vendorInternalCodeVersion: described(
      "The vendor's own version",
      'How the vendor numbers this version of the code.',
      optionalText,
    ),
    component: described(
      'Component',
      'The name of the component that the application exposes to the platform.',
      optionalText,
    ),
    entryFileUrl: described('Entry file', 'The file that the platform loads first.', optionalText),
    offlineReason: described(
      'Why the module is offline',
      'The text that farmers read while the module is offline.',
      optionalText,
    ),
    scope: described('Scope', 'Unique in the tenant; exact and case-sensitive.', {
      ...requiredName,
      type: ['string', 'null'],
    }),
    offlineCapability: described(
      'Whether the module works offline',
      'True if the module works without a connection.',
      optionalFlag,
    ),
    deploymentType: described(
      'Deployment type',
      'How the module is deployed: a key of /api/v8.0/CommonData/deploymentTypes.',
      { ...optionalInteger, minimum: MIN_INTEGER },
    ),
    paymentOptionIds: idsOf('paymentOptions', 'Payment options'),
    cropIds: idsOf('crops', 'Crops', 'The crops that the module is for'),
    environmentIds: idsOf('environments', 'Environments', 'Where the module runs'),
    requirementIds: idsOf('requirements', 'Requirements', "The module's prerequisites"),
    dataAreaIds: idsOf('dataAreas', 'Data areas'),
    dependencies: described(
      'Modules that it depends on',
      'The IDs of modules that must be installed too.',
      optionalList(requiredId),
    ),
    translations: described('Translations', 'One per language; English is required.', {
      type: 'array',
      items: translation,
    }),
    subscriptionOptions: described(
      'Subscription options',
      'How farmers pay for the module.',
      optionalList(subscriptionOption),
    ),
    environmentVariables: described(
      'Environment variables',
      'The variables that the module is started with, by environment.',
      optionalList(environmentVariable),
    ),
    moduleFiles: described(
      'Files',
      'Terms, privacy statements, images and logos of the package.',
      optionalList(moduleFile),
    ),
  },
  required: ['schema', 'translations'],
} as const;

/** The JSON Schema of `moduleSchema.json`, served at `/schemas/module-schema.json`. */
export const moduleSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'moduleSchema.json',
  description:
    'The descriptor of a module package. For an optional member, absent, null and the empty string mean the same.',
  type: 'object',
  properties: {
    $schema: described(
      'Schema for editors',
      'Where an editor finds this schema; the service ignores it.',
      optionalText,
    ),
    organizationId: described('Organization', 'Ignored: the organization is the one of the path.', {}),
    ...descriptorForm.properties,
  },
  required: descriptorForm.required,
} as const;
