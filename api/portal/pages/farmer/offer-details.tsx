import { useLanguageName, useNames } from '../parts/catalogue.ts';
import { Facts, Time } from '../parts/facts.tsx';
import { Section } from '../parts/page.tsx';
import { WebLink } from '../parts/vendor-content.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { useInstallationWords } from './market-words.ts';

/** Facts about a module: version, category, crops, languages, website and support. */
export function OfferDetails({ offer }: { readonly offer: Schemas['AvailableModule'] }) {
  const { common, market: texts } = useTexts();
  const installationWords = useInstallationWords();
  const languageIds = offer.translations.map(({ languageId }) => languageId);
  return (
    <Section title={texts.facts}>
      <Facts
        of={[
          [common.version, offer.vendorVersion],
          [common.revision, offer.revision],
          [texts.released, offer.releasedAt === null ? null : <Time value={offer.releasedAt} />],
          [texts.usage, offer.installations === 0 ? null : installationWords(offer.installations)],
          [common.category, useNames('categories', [offer.categoryId])],
          [common.crops, useNames('crops', offer.cropIds)],
          [texts.languages, useNames('languages', languageIds, useLanguageName())],
          [common.website, websiteOf(offer)],
          [common.support, supportOf(offer)],
        ]}
      />
    </Section>
  );
}

function websiteOf({ websiteUrl, websiteName }: Schemas['AvailableModule']) {
  return websiteUrl === null ? null : <WebLink href={websiteUrl}>{websiteName ?? websiteUrl}</WebLink>;
}

function supportOf({ supportContact }: Schemas['AvailableModule']) {
  return supportContact === null ? null : <a href={`mailto:${supportContact}`}>{supportContact}</a>;
}
