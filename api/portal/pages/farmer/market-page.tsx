import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { useCatalogue } from '../parts/catalogue.ts';
import { Select } from '../parts/fields.tsx';
import { ItemList, Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useList } from '../server/use-resource.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { OfferDialog } from './install-dialogs.tsx';
import { MarketCard } from './market-card.tsx';
import type { MarketDialog, OfferedModule } from './market-card.tsx';
import { useEntryName } from './market-words.ts';

interface Search {
  readonly query: string;
  readonly categoryId: string;
  readonly cropId: string;
}

/** The modules that the tenant offers, which of them are installed, and what those may read. */
export function MarketPage() {
  const { common, farmer } = useTexts();
  const organization = useOrganization();
  const language = useLanguage();
  const [search, setSearch] = useState<Search>({ query: '', categoryId: '', cropId: '' });
  const [open, setOpen] = useState<{ dialog: MarketDialog; module: OfferedModule } | null>(null);
  const filters = Object.entries(search).filter(([, value]) => value !== '');
  const query = new URLSearchParams([['language', language], ...filters]).toString();
  const modules = useList(`/${organization.id}/availableModules?${query}`);
  const installations = useList(`/${organization.id}/installations?limit=200`);
  const installationOf = (module: OfferedModule) =>
    installations.value?.find(({ moduleId }) => moduleId === module.id) ?? null;
  return (
    <>
      <PageHead title={common.pages.market} lead={farmer.market.lead} />
      {!organization.isAdmin && <p class="note">{common.readOnly}</p>}
      <SearchForm search={search} onSearch={setSearch} />
      <Loaded of={installations}>
        {() => (
          <ItemList of={modules} empty={farmer.market.none} class="cards">
            {(module) => (
              <MarketCard
                key={module.id}
                module={module}
                installation={installationOf(module)}
                onOpen={(dialog) => {
                  setOpen({ dialog, module });
                }}
              />
            )}
          </ItemList>
        )}
      </Loaded>
      {open !== null && (
        <OfferDialog
          dialog={open.dialog}
          module={open.module}
          installation={installationOf(open.module)}
          onDone={installations.reload}
          onClose={() => {
            setOpen(null);
          }}
        />
      )}
    </>
  );
}

interface SearchFormProps {
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

function SearchForm({ search, onSearch }: SearchFormProps) {
  const texts = useTexts().farmer.market;
  const [words, setWords] = useState(search.query);
  const nameOf = useEntryName();
  const { compare } = new Intl.Collator(useLanguage());
  const options = (set: ReturnType<typeof useCatalogue>) => {
    const entries = [...set].map(([id, entry]) => [id, nameOf(entry)] as const);
    return [['', texts.any] as const, ...entries.toSorted(([, a], [, b]) => compare(a, b))];
  };
  return (
    <form
      class="market-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch({ ...search, query: words.trim() });
      }}
    >
      <label>
        {texts.search}
        <input
          type="search"
          value={words}
          maxLength={200}
          placeholder={texts.searchHint}
          onInput={({ currentTarget }) => {
            setWords(currentTarget.value);
          }}
        />
      </label>
      <Select
        label={texts.category}
        options={options(useCatalogue('categories'))}
        value={search.categoryId}
        onChange={(categoryId) => {
          onSearch({ ...search, categoryId });
        }}
      />
      <Select
        label={texts.crop}
        options={options(useCatalogue('crops'))}
        value={search.cropId}
        onChange={(cropId) => {
          onSearch({ ...search, cropId });
        }}
      />
      <button type="submit">{texts.search}</button>
    </form>
  );
}
