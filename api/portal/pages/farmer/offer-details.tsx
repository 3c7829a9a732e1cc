import { useCatalogue } from '../parts/catalogue.ts';
import { Facts } from '../parts/facts.tsx';
import { Time } from '../parts/localized.tsx';
import { WebLink } from '../parts/markdown.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { useEntryName } from './market-words.ts';

/** Facts about a module: version, category, crops, languages, website and support. */
export function OfferDetails({ offer }: { readonly offer: Schemas['AvailableModule'] }) {
  const texts = useTexts().farmer.market;
  const [categories, crops, languages] = [
    useCatalogue('categories'),
    useCatalogue('crops'),
    useCatalogue('languages'),
  ];
  const nameOf = useEntryName();
  const languageNames = new Intl.DisplayNames([useLanguage()], { type: 'language' });
  const names = (set: typeof crops, ids: readonly string[], name = nameOf) =>
    ids
      .map((id) => {
        const entry = set.get(id);
        return entry === undefined ? id : name(entry);
      })
      .join(', ');
  const website =
    offer.websiteUrl === null ? null : (
      <WebLink href={offer.websiteUrl}>{offer.websiteName ?? offer.websiteUrl}</WebLink>
    );
  const support =
    offer.supportContact === null ? null : (
      <a href={`mailto:${offer.supportContact}`}>{offer.supportContact}</a>
    );
  return (
    <section>
      <h2>{texts.facts}</h2>
      <Facts
        of={[
          [texts.version, offer.vendorVersion],
          [texts.revision, offer.revision],
          [texts.released, offer.releasedAt === null ? null : <Time value={offer.releasedAt} />],
          [texts.category, names(categories, offer.categoryId === null ? [] : [offer.categoryId])],
          [texts.crops, names(crops, offer.cropIds)],
          [
            texts.languages,
            names(
              languages,
              offer.translations.map(({ languageId }) => languageId),
              ({ key, value }) => languageNames.of(key) ?? value,
            ),
          ],
          [texts.website, website],
          [texts.support, support],
        ]}
      />
    </section>
  );
}
