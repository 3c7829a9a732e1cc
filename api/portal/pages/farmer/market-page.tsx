import { useState } from 'preact/hooks';
import { useQuery } from '../location.ts';
import { useOrganization } from '../organization.ts';
import { ItemList, Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useList } from '../server/use-resource.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { OfferDialog } from './install-dialogs.tsx';
import { MarketCard, type MarketDialog, type OfferedModule } from './market-card.tsx';
import { filtersOf, MarketSearch, NoModules, SearchResult, searchOf } from './market-search.tsx';

/** The modules that the tenant offers, which of them are installed, and what those may read. */
export function MarketPage() {
  const { common, farmer } = useTexts();
  const organization = useOrganization();
  const language = useLanguage();
  const search = searchOf(useQuery());
  const [open, setOpen] = useState<{ dialog: MarketDialog; module: OfferedModule } | null>(null);
  const filters = filtersOf(search);
  const query = new URLSearchParams([['language', language], ...filters]).toString();
  const modules = useList(`/${organization.id}/availableModules?${query}`);
  const installations = useList(`/${organization.id}/installations?limit=200`);
  const installationOf = (module: OfferedModule) =>
    installations.value?.find(({ moduleId }) => moduleId === module.id) ?? null;
  return (
    <>
      <PageHead title={common.pages.market} lead={farmer.market.lead} />
      {!organization.isAdmin && <p class="note">{common.readOnly}</p>}
      <MarketSearch search={search} />
      <SearchResult total={modules.total} isFiltered={filters.length > 0} />
      <Loaded of={installations}>
        {() => (
          <ItemList of={modules} empty={<NoModules search={search} />} class="cards">
            {(module) => (
              <MarketCard
                key={module.id}
                module={module}
                installation={installationOf(module)}
                onOpen={(dialog) => setOpen({ dialog, module })}
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
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}
