import { Type, type Static } from 'typebox';
import type { Catalogue } from '../../shared/catalogue/catalogue.ts';
import type { AvailableModule } from '../../shared/db/modules/available-modules.ts';
import type { RevisionChanges } from '../../shared/db/modules/changed-parts.ts';
import { MAX_COUNTED, type ListedModule } from '../../shared/db/modules/listed-modules.ts';
import { MODULE_VERSION, type Translation } from '../../shared/package/descriptor/descriptor.ts';
import {
  documentsInCountry,
  documentsInLanguage,
  type ModuleDocument,
} from '../../shared/package/documents/applicable-documents.ts';
import {
  boolean,
  dateTime,
  guid,
  integer,
  listOf,
  namedObject,
  NEXT_CURSOR,
  orNull,
  sha256,
  text,
} from '../http/schema.ts';
import { present, timestamp } from '../http/answer.ts';
import { revisionChanges } from '../http/revision-changes.ts';
import { moduleVersion } from '../imports/import.ts';
import { alertRuleDefinitions, translations } from '../modules/normal-form.ts';
import { logo, translatedNames } from '../modules/vendor-module.ts';
import {
  dataArea,
  dataAreasOf,
  languageIdsOf,
  price,
  pricesOf,
  inFirstLanguage,
  textInFirstLanguage,
} from './catalogue-words.ts';

/** A terms or privacy file. */
export const moduleDocument = namedObject('ModuleDocument', 'A file with terms or a privacy statement.', {
  path: text('The path of the file in the package.'),
  sha256: sha256('The SHA-256 of the file, in hexadecimal digits.'),
  mediaType: text('The media type of the file.'),
  countryId: orNull(text('The country, a code of ISO 3166-1; null: for every country.')),
  languageId: orNull(text('Its language, a tag of BCP 47; null: no particular one.')),
});

const offeredDocument = namedObject(
  'OfferedDocument',
  'A file with terms or a privacy statement, and its date.',
  {
    ...moduleDocument.properties,
    publishedAt: dateTime(
      'When the first of the revisions that are kept with this content of the file was imported.',
    ),
  },
);

const offer = {
  id: guid('The ID of the module.'),
  moduleVersion,
  revision: integer('The number of the revision that the organization sees.', 1),
  name: text('The name of the module, in the language of the request if it has one, else in English.'),
  shortDescription: orNull(text('A description in one sentence; null if there is none.')),
  releasedAt: orNull(dateTime('When the revision was released first; null: it is not released yet.')),
  vendorId: guid('The organization of the vendor.'),
  vendorName: text('The name of the vendor.'),
  vendorVerified: boolean('Whether an operator has checked who the vendor is.'),
  logos: listOf(logo, 'The logos of the revision.'),
  categoryId: orNull(guid('The category, an ID of the catalogue.'), 'The category; null if it has none.'),
  prices: listOf(price, 'The prices of the module; empty if the vendor lists none.'),
  dataAreaIds: listOf(guid('An ID of the catalogue.'), 'The data areas that the module requests.'),
  installations: integer('The number of organizations with the module; counted each minute.', 0),
  installed: boolean('Whether the organization has the module installed.'),
  createdAt: dateTime('When the module was created.'),
  updatedAt: dateTime('When the module last changed.'),
};

/** A module in the list of the market. */
export const availableModuleSummary = namedObject(
  'AvailableModuleSummary',
  'An available module in a list.',
  {
    ...offer,
    translations: translatedNames,
  },
);

/** A page of the market's list, with the number of all results on the first one. */
export const availableModulePage = namedObject('AvailableModulePage', 'A page of available modules.', {
  items: listOf(availableModuleSummary, 'The items of the page, in the order of the list.'),
  nextCursor: NEXT_CURSOR,
  total: orNull(
    Type.Integer({ minimum: 0, maximum: MAX_COUNTED }),
    `The number of modules on all pages; ${MAX_COUNTED}: at least that number. Null: not the first page.`,
  ),
});

const neededModule = namedObject('NeededModule', 'A module that another one needs.', {
  moduleId: guid('The ID of the module.'),
  name: orNull(text("Its name; null if the organization's tenant does not offer it.")),
  installed: boolean('Whether the organization has it installed.'),
});

const entity = namedObject('ModuleEntity', 'A kind of data that the module itself stores.', {
  name: text('The name of the kind of data.'),
  intention: text("The module's use of the data."),
  internalOnly: orNull(boolean('Whether only the module sees it.'), 'Null if the vendor states none.'),
});

/** A module on offer, whole. */
export const availableModule = namedObject('AvailableModule', 'An available module.', {
  ...offer,
  vendorVersion: orNull(text("The vendor's own version; null if there is none.")),
  description: orNull(text('A description in Markdown; null if there is none.')),
  websiteUrl: orNull(text('A page about the module: an http or https URL.')),
  websiteName: orNull(text('The text of a link to the website.')),
  supportContact: orNull(text('Where farmers get help: an e-mail address.')),
  translations,
  images: listOf(logo, 'Pictures of the module.'),
  cropIds: listOf(guid('An ID of the catalogue.'), 'The crops that the module is for.'),
  dataAreas: listOf(dataArea, 'The data areas that the module requests, in words.'),
  entities: listOf(entity, 'The kinds of data that the module itself stores.'),
  dependencies: listOf(neededModule, 'The modules that must be installed too.'),
  terms: listOf(
    offeredDocument,
    "The terms for the organization's country, in the language of the request if they exist in it, else in English.",
  ),
  privacy: listOf(offeredDocument, 'The privacy statements, chosen in the same way.'),
  withdrawnReason: orNull(text('Why it can no longer be installed; null if it can be installed.')),
  deprecationMessage: orNull(text("The vendor's advice; null if the module is not deprecated.")),
  successorModuleId: orNull(
    guid('The module that replaces it.'),
    'Null if the vendor names none, or one that the organization does not see.',
  ),
  quarantineReason: orNull(text('Why an operator has stopped the module; null if it is not stopped.')),
  releaseNotes: orNull(
    text(
      "The vendor's notes on the revision, in Markdown and in the language of the request if they exist in it, else in English.",
    ),
    'What the revision changes; null if there are no notes.',
  ),
  changes: orNull(revisionChanges, 'The changes; null if no earlier revision is kept.'),
  alertRules: orNull(alertRuleDefinitions, 'The alert rule definitions of the module; null if it has none.'),
});

/** A module of the market's list, for a reader of a language. */
export function summaryOf(
  found: ListedModule,
  catalogue: Catalogue,
  language: string,
): Static<typeof availableModuleSummary> {
  const shown = inFirstLanguage(found.texts, languageIdsOf(catalogue, language));
  return present(availableModuleSummary, {
    ...found,
    moduleVersion: MODULE_VERSION,
    name: shown?.moduleName ?? '',
    shortDescription: shown?.shortDescription ?? null,
    prices: pricesOf(catalogue, found.subscriptionOptions),
    installed: found.isInstalled,
  });
}

/** A module's page, for a reader of a language. */
export function availableModuleOf(
  found: AvailableModule,
  changes: RevisionChanges | null,
  catalogue: Catalogue,
  language: string,
): Static<typeof availableModule> {
  const languageIds = languageIdsOf(catalogue, language);
  const shown = inFirstLanguage(found.translations, languageIds);
  const listed = { ...found, texts: found.translations, isInstalled: found.installedRevision !== null };
  const summary = summaryOf(listed, catalogue, language);
  const documentsOf = (documents: readonly ModuleDocument[]) =>
    documentsInLanguage(documentsInCountry(documents, found.countryCode), language).map((document) => ({
      ...document,
      publishedAt: timestamp(new Date(`${found.documentDates[document.path] ?? ''}Z`)),
    }));
  const textOf = (member: (translation: Translation) => string | null | undefined) =>
    textInFirstLanguage(found.translations, languageIds, member);
  const page = present(availableModule, {
    ...found,
    ...summary,
    translations: found.translations,
    description: shown?.description ?? null,
    websiteUrl: shown?.websiteUrl ?? null,
    websiteName: shown?.websiteName ?? null,
    supportContact: shown?.supportContact ?? null,
    dataAreas: dataAreasOf(catalogue, found.dataAreaIds, (id) =>
      textOf(({ dataAreaReasons }) => dataAreaReasons?.[id]),
    ),
    releaseNotes: textOf(({ releaseNotes }) => releaseNotes),
    entities: (found.entities ?? []).map(({ name, intention, internalOnly }) => ({
      name,
      intention,
      internalOnly,
    })),
    dependencies: found.dependencies.map(({ moduleId, translations, isInstalled }) => ({
      moduleId,
      name: inFirstLanguage(translations ?? [], languageIds)?.moduleName ?? null,
      installed: isInstalled,
    })),
    terms: documentsOf(found.terms),
    privacy: documentsOf(found.privacy),
    changes,
  });
  // In the order of the list: first what the summary has.
  return { ...summary, ...page };
}
