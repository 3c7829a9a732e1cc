import { useLayoutEffect, useState } from 'preact/hooks';
import { goTo, useAddress } from '../navigation.ts';
import { useCatalogue, useEntryName, useNames } from '../parts/catalogue.ts';
import { Select } from '../parts/fields.tsx';
import { ItemList, Loaded } from '../parts/lists.tsx';
import { PageHead, RowButton, useOrganization } from '../parts/page.tsx';
import { useList } from '../server/use-resource.ts';
import { useFormats, useLanguage, useTexts } from '../texts/language.ts';
import { MarketCard } from './market-card.tsx';

/** The modules that the tenant offers, which of them are installed, and what those may read. */
export function MarketPage() {
  const { common, market: texts } = useTexts();
  const organization = useOrganization();
  const language = useLanguage();
  const search = searchOf(useAddress('search'));
  const query = new URLSearchParams([['language', language], ...search]).toString();
  const modules = useList(`/${organization.id}/availableModules?${query}`);
  const installations = useList(`/${organization.id}/installations?limit=200`);
  const installationOf = (id: string) => installations.value?.find(({ moduleId }) => moduleId === id) ?? null;
  return (
    <>
      <PageHead title={common.pages.market} lead={texts.lead} />
      {!organization.isAdmin && <p class="note">{common.readOnly}</p>}
      <MarketSearch search={search} />
      <SearchResult total={modules.total} isFiltered={search.size > 0} />
      <Loaded of={installations}>
        {() => (
          <ItemList of={modules} empty={<NoModules search={search} />} class="cards">
            {(module) => (
              <MarketCard
                key={module.id}
                module={module}
                installation={installationOf(module.id)}
                reload={() => Promise.all([installations.reload(), modules.reload()])}
              />
            )}
          </ItemList>
        )}
      </Loaded>
    </>
  );
}

/** What modules are searched by, as the parameters of an address. */
const FILTERS = ['query', 'categoryId', 'cropId', 'vendorId'] as const;

type Filter = (typeof FILTERS)[number];
/** The filters of a search that are not empty. */
type Search = ReadonlyMap<Filter, string>;

/** The service counts no further: it returns this number for every larger one. */
const MAX_COUNTED = 100;

/** The search that an address has after its path. */
function searchOf(addressQuery: string): Search {
  const parameters = new URLSearchParams(addressQuery);
  const all = FILTERS.map((name) => [name, parameters.get(name) ?? ''] as const);
  return new Map(all.filter(([, value]) => value !== ''));
}

/** The form in which modules are searched; what was searched last is in the address. */
function MarketSearch({ search }: { readonly search: Search }) {
  const { common, market: texts } = useTexts();
  const searched = search.get('query') ?? '';
  const [words, setWords] = useState(searched);
  // In the same turn as the results: an effect after the paint would undo what was typed since.
  useLayoutEffect(() => setWords(searched), [searched]);
  const options = useOptions();
  return (
    <form
      class="market-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        changeSearch('query', words.trim());
      }}
    >
      <label>
        {common.search}
        <input
          type="search"
          value={words}
          maxLength={200}
          placeholder={texts.searchHint}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
      </label>
      <Select
        label={common.category}
        options={options(useCatalogue('categories'))}
        value={search.get('categoryId') ?? ''}
        onChange={(id) => changeSearch('categoryId', id)}
      />
      <Select
        label={texts.crop}
        options={options(useCatalogue('crops'))}
        value={search.get('cropId') ?? ''}
        onChange={(id) => changeSearch('cropId', id)}
      />
      <button type="submit">{common.search}</button>
    </form>
  );
}

function useOptions() {
  const { common } = useTexts();
  const nameOf = useEntryName();
  const { compare } = new Intl.Collator(useLanguage());
  return (set: ReturnType<typeof useCatalogue>) => {
    const entries = [...set].map(([id, entry]) => [id, nameOf(entry)] as const);
    return [['', common.all] as const, ...entries.toSorted(([, a], [, b]) => compare(a, b))];
  };
}

/**
 * Goes to the results of a search that differs from that of the address in one filter. It does not start from the
 * search that the form shows: a second choice can come before the form shows the first one.
 */
function changeSearch(name: Filter, value: string): void {
  const query = new URLSearchParams([...searchOf(location.search)]);
  if (value === '') query.delete(name);
  else query.set(name, value);
  goTo(query.size === 0 ? location.pathname : `${location.pathname}?${query}`);
}

interface SearchResultProps {
  /** Null while modules are being searched. */
  readonly total: number | null;
  readonly isFiltered: boolean;
}

/** The number of modules found, and a button that ends the search. */
function SearchResult({ total, isFiltered }: SearchResultProps) {
  const texts = useTexts().market;
  const { number } = useFormats();
  const count = number(total ?? 0);
  const words =
    total !== null && total >= MAX_COUNTED ? texts.atLeast(count) : texts.found(count, total === 1);
  return (
    <div class="row search-result">
      <p role="status">{total !== null && total > 0 && words}</p>
      {isFiltered && total !== 0 && <ClearButton />}
    </div>
  );
}

/** That nothing was found, for what was searched. */
function NoModules({ search }: { readonly search: Search }) {
  const texts = useTexts().market;
  const category = useNames('categories', [search.get('categoryId') ?? null]);
  const crop = useNames('crops', [search.get('cropId') ?? null]);
  const wordsFor: Readonly<Record<Filter, (value: string) => string>> = {
    query: texts.searchedWords,
    categoryId: () => texts.searchedCategory(category),
    cropId: () => texts.searchedCrop(crop),
    vendorId: () => texts.searchedVendor,
  };
  if (search.size === 0) return <p>{texts.none}</p>;
  return (
    <>
      <p role="status">
        {texts.noMatch} {[...search].map(([name, value]) => wordsFor[name](value)).join(', ')}
      </p>
      <ClearButton />
    </>
  );
}

function ClearButton() {
  const texts = useTexts().market;
  const { id } = useOrganization();
  return <RowButton text={texts.clear} onClick={() => goTo(`/portal/${id}/market`)} />;
}
