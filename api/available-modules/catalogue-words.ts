import { type Static, Type } from 'typebox';
import type { Catalogue } from '../../shared/catalogue/catalogue.ts';
import type { CatalogueEntry } from '../../shared/catalogue/catalogue-file.ts';
import type { Descriptor } from '../../shared/package/descriptor/descriptor.ts';
import { guid, integer, namedObject, orNull, text } from '../http/schema.ts';

/** A price of a module. */
export const price = namedObject('Price', 'The price of a module in one currency and cycle.', {
  price: Type.Number({ description: 'The price of one cycle, in the currency.' }),
  currencyId: guid('The currency, an ID of the catalogue.'),
  currency: orNull(text('The key of the currency, such as EUR; null if the catalogue does not know it.')),
  paymentCycleId: guid('How often the price is due, an ID of the catalogue.'),
  paymentCycle: orNull(
    text('The name of the cycle, such as Monthly; null if the catalogue does not know it.'),
  ),
  regionId: orNull(guid('Where the price applies, an ID of the catalogue.'), 'Null: everywhere.'),
  region: orNull(text('The name of the region; null: everywhere, or the catalogue does not know it.')),
  trialLength: orNull(
    integer('How long the module can be tried, in days.'),
    'In days; null: there is no trial.',
  ),
});

/** Data that a module requests. */
export const dataArea = namedObject('DataArea', 'A kind of farm data that a module requests.', {
  id: guid('The ID of the data area in the catalogue.'),
  key: orNull(text('The key of the data area; null if the catalogue does not know it.')),
  name: orNull(text('The name of the data area; null if the catalogue does not know it.')),
  description: orNull(text('The data that is in it; null if there is no description.')),
  reason: orNull(
    text(
      "Why the module needs it, in the vendor's words and the language of the request; null if none is given.",
    ),
  ),
});

/** Finds the entries of a set by their IDs. */
function entryOf(catalogue: Catalogue, set: string, id: string | null): CatalogueEntry | null {
  return catalogue.sets.get(set)?.find((each) => each.id === id) ?? null;
}

/** Prices in words. */
export function pricesOf(
  catalogue: Catalogue,
  options: Descriptor['subscriptionOptions'],
): readonly Static<typeof price>[] {
  return options.map(({ price, currencyId, paymentCycleId, regionId, trialLength }) => ({
    price,
    currencyId,
    currency: entryOf(catalogue, 'currencies', currencyId)?.key ?? null,
    paymentCycleId,
    paymentCycle: entryOf(catalogue, 'paymentCycles', paymentCycleId)?.value ?? null,
    regionId,
    region: entryOf(catalogue, 'regions', regionId)?.value ?? null,
    trialLength,
  }));
}

/** Data areas in words, each with its reason. */
export function dataAreasOf(
  catalogue: Catalogue,
  ids: readonly string[],
  reasonOf: (id: string) => string | null = () => null,
): readonly Static<typeof dataArea>[] {
  return ids.map((id) => {
    const entry = entryOf(catalogue, 'dataAreas', id);
    return {
      id,
      key: entry?.key ?? null,
      name: entry?.value ?? null,
      description: entry?.description ?? null,
      reason: reasonOf(id),
    };
  });
}

/** The IDs of the languages of a reader: the tag's, its primary language's, and English. */
export function languageIdsOf(catalogue: Catalogue, tag: string): readonly string[] {
  const wanted = [tag.toLowerCase(), tag.toLowerCase().split('-', 1)[0]];
  const found = wanted.flatMap((each) => {
    const entry = catalogue.sets.get('languages')?.find(({ key }) => key.toLowerCase() === each);
    return entry === undefined ? [] : [entry.id];
  });
  return [...new Set([...found, catalogue.englishId])];
}

/** A text of a module in one language. */
interface InLanguage {
  readonly languageId: string;
}

/** The translation in the first of the languages that the module has, else any. */
export function inFirstLanguage<Text extends InLanguage>(
  translations: readonly Text[],
  languageIds: readonly string[],
): Text | undefined {
  for (const id of languageIds) {
    const found = translations.find(({ languageId }) => languageId === id);
    if (found !== undefined) return found;
  }
  return translations[0];
}

/** A text that not every translation has, in the first of the languages that does. */
export function textInFirstLanguage<Text extends InLanguage>(
  translations: readonly Text[],
  languageIds: readonly string[],
  textOf: (translation: Text) => string | null | undefined,
): string | null {
  const written = translations.filter((each) => languageIds.includes(each.languageId) && textOf(each));
  const shown = inFirstLanguage(written, languageIds);
  return shown === undefined ? null : (textOf(shown) ?? null);
}
