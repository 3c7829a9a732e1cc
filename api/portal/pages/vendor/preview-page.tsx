import { useState } from 'preact/hooks';
import { OfferView } from '../farmer/offer-page.tsx';
import { useAddress } from '../navigation.ts';
import { useCatalogue, useLanguageName } from '../parts/catalogue.ts';
import { Select } from '../parts/fields.tsx';
import { Loaded } from '../parts/lists.tsx';
import { useOrganization } from '../parts/page.tsx';
import { useResource } from '../server/use-resource.ts';
import { isLanguage, LanguageContext, useLanguage, useTexts } from '../texts/language.ts';

/** The address of a revision's preview. */
export function previewAddress(organizationId: string, moduleId: string, revision: number): string {
  return `/portal/${organizationId}/modules/${moduleId}/preview?revision=${revision}`;
}

/** A revision as farmers will read it, in each of its languages. The vendor sees it before it is released. */
export function PreviewPage({ moduleId }: { readonly moduleId: string }) {
  const texts = useTexts().releases;
  const { id } = useOrganization();
  const search = new URLSearchParams(useAddress('search'));
  // Part of the addresses of calls, whatever somebody has put into that of the page.
  const revision = encodeURIComponent(search.get('revision') ?? '1');
  // Its languages do not change while another one is being fetched.
  const module = useResource(`/${id}/modules/${moduleId}?revision=${revision}`);
  return (
    <>
      <p>
        <a href={`/portal/${id}/modules/${moduleId}/releases`}>{texts.backToReleases}</a>
      </p>
      <p class="note">{texts.previewLead(revision)}</p>
      <Loaded of={module}>
        {({ descriptor }) => (
          <Listing
            path={`/${id}/modules/${moduleId}/revisions/${revision}/offer`}
            languageIds={descriptor.translations.map(({ languageId }) => languageId)}
          />
        )}
      </Loaded>
    </>
  );
}

interface ListingProps {
  readonly path: `/${string}/modules/${string}/revisions/${string}/offer`;
  readonly languageIds: readonly string[];
}

/** The page that a reader of the chosen language gets, in words of that language if the portal has them. */
function Listing({ path, languageIds }: ListingProps) {
  const texts = useTexts().releases;
  const own = useLanguage();
  const [chosen, setChosen] = useState<string | null>(null);
  const languages = useCatalogue('languages');
  const nameOf = useLanguageName();
  const options = languageIds.flatMap((each) => languages.get(each) ?? []);
  // English is always among them.
  const language = chosen ?? (languages.size === 0 || options.some(({ key }) => key === own) ? own : 'en');
  const offer = useResource(`${path}?language=${language}`);
  return (
    <>
      <Select
        label={texts.previewLanguage}
        options={options.map((entry) => [entry.key, nameOf(entry)])}
        value={language}
        onChange={setChosen}
      />
      <LanguageContext.Provider value={isLanguage(language) ? language : own}>
        <div lang={language}>
          <Loaded of={offer}>{(value) => <OfferView offer={value} />}</Loaded>
        </div>
      </LanguageContext.Provider>
    </>
  );
}
